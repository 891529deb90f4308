"""words.py - Every word that the language header marks has a row in the compiler, and every row is a word of the header.

Reads the header as tkc does, and Words.def and Builtins.def, and prints what only one of them has.
"""
import os
import re
import subprocess
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(*path):
    with open(os.path.join(SOURCE, *path)) as file:
        return file.read()


def marked(command):
    """The words that the header marks: what macros have made of TK_LANGUAGE, and the marks of macros that users call."""
    text = subprocess.run([*command, "-Wno-unused-command-line-argument", "-E", "/dev/null"], check=True, capture_output=True, text=True).stdout
    strings = re.findall(r'clang::annotate\(((?:"[^"]*"\s*)+)\)', text)
    words = {"".join(re.findall(r'"([^"]*)"', pieces)).removeprefix("tk.") for pieces in strings}
    return words | set(re.findall(r'TK_LANGUAGE\("(\w+)"\)', read("runtime", "language", "grid.h")))


def rows():
    text = read("compiler", "frontend", "Words.def") + read("compiler", "frontend", "Builtins.def")
    return re.findall(r"^TKC_[A-Z_]+\((\w+)", text, re.M)


def main():
    words, listed = marked(sys.argv[1:]), rows()
    problems = [f"{word}: marked in runtime/language, but it has no row in Words.def or Builtins.def" for word in sorted(words - set(listed))]
    problems += [f"{word}: has a row, but runtime/language does not mark it" for word in sorted(set(listed) - words)]
    problems += [f"{word}: has two rows" for word in sorted({word for word in listed if listed.count(word) > 1})]
    print(f"{len(words)} words, {len(listed)} rows", *problems, sep="\n  ")
    return 1 if problems or len(words) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
