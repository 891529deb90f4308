#!/usr/bin/env python3
"""file_names.py - Compiles sources with hostile names: file_names.py TKC SOURCE FOLDER"""
import os
import re
import shutil
import subprocess
import sys

INJECTED = 'a\n#include "evil.h"\nint evil;\n.tk'
# The name of the source, and what the emitted file calls it; none if nothing may be written.
SOURCES = {
    INJECTED: r'a\012#include "evil.h"\012int evil;\012.tk',
    "back\\slash.tk": "back\\slash.tk",
    "carriage\rreturn.tk": r"carriage\015return.tk",
    "right\u202eleft.tk": r"right\342\200\256left.tk",
    "quote\"'.tk": "quote\"'.tk",
    "ends in a backslash \\": "ends in a backslash \\",
    "with space $x #1 a:b.tk": "with space $x #1 a:b.tk",
}
# Outputs that the .cu could not include, or that a rule could not name.
REFUSED_OUTPUTS = {'quote".cu': "no #include can spell 'quote\".h'", "line\nbreak.cu": r"no #include can spell 'line\012break.h'"}
REFUSED_RULES = {"line\nbreak.tk": "which has a line break or ends with a backslash"}


def run(tkc, *arguments):
    return subprocess.run([tkc, *arguments], capture_output=True, text=True)


def lines_of_code(text):
    """Without comments; there are no others than those that end with their line."""
    lines = [re.sub(r"\s*//.*", "", line) for line in re.split(r"[\n\r]", text)]
    return [line for line in lines if line]


def check_sources(tkc, wanted):
    failures = 0
    for name, called in SOURCES.items():
        done = run(tkc, "./" + name, "-o", "out.cu")
        text = open("out.cu", newline="").read() if done.returncode == 0 else ""
        os.path.exists("out.cu") and os.remove("out.cu")
        first = re.sub(r"\n// ", " ", text).split("\n")[0]
        if done.returncode or lines_of_code(text) != wanted or f"from {called}" not in first.replace(" ...", ""):
            print(f"FAIL source {name!r}: status {done.returncode}, {first!r}: {done.stderr}")
            failures += 1
    return failures


def check_rules(tkc):
    """make itself says what it reads: of a rule without a recipe, what it has no rule to make."""
    failures = 0
    for name in ["back\\slash.tk", "with space $x #1 a:b.tk", "plain.tk", "two\\\\slashes and space.tk", "back\\ space.tk"]:
        shutil.copy(SOURCE, name)
        target = name[:-3] + ".cu"
        done = run(tkc, "./" + name, "-o", target, "-MD", "-MF", "rule.d")
        assert done.returncode == 0, done.stderr
        os.remove(name)
        made = subprocess.run(["make", "-f", "rule.d"], capture_output=True, text=True)
        if f"No rule to make target './{name}', needed by '{target}'" not in made.stderr and \
           f"No rule to make target '{name}', needed by '{target}'" not in made.stderr:
            print(f"FAIL rule {name!r}: {open('rule.d').read()} read as {made.stderr}")
            failures += 1
    return failures


def check_refused(tkc):
    failures = 0
    for names, kind in ((REFUSED_OUTPUTS, "output"), (REFUSED_RULES, "rule")):
        for name, message in names.items():
            shutil.copy(SOURCE, name)
            before = sorted(os.listdir("."))
            arguments = ["plain.tk", "-o", "out/" + name] if kind == "output" else [name, "-o", "out/x.cu", "-MD"]
            done = run(tkc, *arguments)
            if done.returncode != 1 or message not in done.stderr or os.listdir("out") or sorted(os.listdir(".")) != before:
                print(f"FAIL {kind} {name!r}: status {done.returncode}, {os.listdir('out')}: {done.stderr}")
                failures += 1
    return failures


def main():
    global SOURCE
    tkc, SOURCE, folder = sys.argv[1:]
    SOURCE = os.path.abspath(SOURCE)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/out")
    os.chdir(folder)
    wanted = lines_of_code(run(tkc, SOURCE, "-o", "-").stdout)
    wanted = [line.replace('"gemm.h"', '"out.h"') for line in wanted]
    for name in SOURCES:
        shutil.copy(SOURCE, name)
    failures = check_sources(tkc, wanted)
    failures += check_rules(tkc) if shutil.which("make") else 0
    shutil.copy(SOURCE, "plain.tk")
    failures += check_refused(tkc)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
