#!/usr/bin/env python3
"""retired_words.py - Whether users meet a word of ours where the field has one.

Reads the texts that tkc's users see: `tkc --help`, the messages of compiler/**/*.def, README.md and docs/, the examples and
the steps of the tutorial, the CUDA and the report of every example, and the headers that the CUDA includes. A line with a
word of retired_words.table is an error, unless it is used there in the meaning that the table allows. The comments of the
compiler are held to its rows on nouns: a sentence that begins with "What" hides its subject.

Usage: retired_words.py TKC                everything
       retired_words.py --in FILE...       these texts only
       retired_words.py --comments FILE... the comments of these sources only
"""
import glob
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from generated import ROOT

sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
from tkc_run.builds import Kernels

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "retired_words.table")
# The measurements quote commits and programs by the names that they had.
UNREAD = ("docs/performance.md", "docs/design/")


def table():
    """(pattern, what to write, pattern of what is allowed or None) of each line."""
    rows = []
    with open(TABLE) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                pattern, write, *allowed = (cell.strip() for cell in line.rstrip("\n").split(" | "))
                rows.append((re.compile(pattern, re.I | re.M), write, re.compile("|".join(allowed), re.I) if any(allowed) else None))
    return rows


def find(rows, name, text):
    """A sentence for each use of a retired word."""
    rows = [row for row in rows if row[0].search(text)]  # few words are in a text; of those, the lines
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, write, allowed in rows:
            rest = allowed.sub("", line) if allowed else line
            if match := pattern.search(rest):
                yield f"{name}:{number}: '{match[0]}' is retired, write {write}: {line.strip()[:120]}"


def messages(path):
    """The strings of a table of messages, each on its line."""
    with open(path) as file:
        return "\n".join(" ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', line)) for line in file)


def comments(path):
    """The comments of a source, each on its line; of a title, the part after the file's name."""
    with open(path) as file:
        found = [re.match(r'[^"]*?//[/!]?<? ?(.*)', line) for line in file]
    return "\n".join(re.sub(r"^===-+ \S+ - ", "", match[1]) if match else "" for match in found)


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def files(*patterns):
    found = sorted(path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern), recursive=True))
    return [(os.path.relpath(path, ROOT), path) for path in found if not os.path.relpath(path, ROOT).startswith(UNREAD)]


def read(path):
    with open(path) as file:
        return file.read()


def example(tkc, name, path):
    kernels = Kernels(path)
    return [(f"{name}, emitted", kernels.read()), (f"{name}, header", kernels.read(".h")),
            (f"{name}, report", output(tkc, path, "--emit=report", "-o", "-"))]


def texts(tkc):
    """(name, text) of everything."""
    for command in ((tkc, "--help"), (tkc, "run", "--help")):
        yield " ".join(("tkc", *command[1:])), output(*command)
    for name, path in files("compiler/**/*Messages.def", "compiler/**/*Warnings.def"):
        yield name, messages(path)
    for name, path in files("README.md", "docs/**/*.md", "compiler/README.md", "runtime/README.md", "dsl-examples/**/*.tk",
                            "docs/tutorial/*.tk", "runtime/hopper/**/*.h", "runtime/host/*.h", "runtime/language/*.h"):
        yield name, read(path)
    examples = files("dsl-examples/*.tk")
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda each: example(tkc, *each), examples):
            yield from found


def main():
    rows = table()
    nouns = [row for row in rows if row[1].startswith("the noun")]
    read_texts, sources = [], []
    if sys.argv[1] == "--in":
        read_texts = [(path, read(path)) for path in sys.argv[2:]]
    elif sys.argv[1] == "--comments":
        sources = [(path, path) for path in sys.argv[2:]]
    else:
        read_texts = list(texts(sys.argv[1]))
        sources = files("compiler/**/*.h", "compiler/**/*.cpp", "compiler/**/*.td", "compiler/**/*.def")
    problems = [problem for name, text in read_texts for problem in find(rows, name, text)]
    problems += [problem for name, path in sources for problem in find(nouns, name, comments(path))]
    print("\n".join(problems + [f"{len(read_texts) + len(sources)} texts, {len(problems)} retired words"]))
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
