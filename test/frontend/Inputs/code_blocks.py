#!/usr/bin/env python3
"""code_blocks.py - Every C++ example of a page, as tkc and as a C++20 compiler see it.

Each is C++ without a warning. tkc compiles it to CUDA, unless the line above it says *reference only, so far*: then
tkc refuses it, with a message. So the page cannot promise what tkc has not; that it hides what tkc has is said,
and with --strict is an error.
"""
import os
import re
import subprocess
import sys

MARK = "*Reference only, so far.*"


def main():
    strict = "--strict" in sys.argv
    tkc, header, page, folder = [word for word in sys.argv[1:] if word != "--strict"]
    os.makedirs(folder, exist_ok=True)
    with open(page) as file:
        blocks = re.findall(r"((?:.*\n)?(?:.*\n)?)^```cpp\n(.*?)^```$", file.read(), re.M | re.S)
    failures = refused = 0
    for number, (before, block) in enumerate(blocks):
        path = os.path.join(folder, f"example{number}.tk")
        with open(path, "w") as file:
            file.write(block)
        marked = MARK in before
        compiler = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Werror"]
        for command in (compiler + ["-include", header, "-x", "c++", path], [tkc, path, "-o", os.devnull]):
            done = subprocess.run(command, capture_output=True, text=True)
            if command[0] == tkc and marked:
                refused += 1
                if done.returncode == 0:
                    print(f"example {number} has '{MARK}' above it, but tkc compiles it:\n{block}")
                    failures += strict
                elif done.returncode != 1 or "error: " not in done.stderr:
                    failures += 1
                    print(f"FAIL status {done.returncode} of {' '.join(command)}\n{done.stderr}")
            elif done.returncode or (done.stderr and command[0] != tkc):
                failures += 1
                print(f"FAIL {' '.join(command)}\n{done.stderr}")
    print(f"{len(blocks)} examples, {refused} for the reference only, {failures} failures")
    return 1 if failures or not blocks else 0


sys.exit(main())
