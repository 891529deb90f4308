#!/usr/bin/env python3
"""code_blocks.py - Every C++ example of a page, as tkc and as a C++20 compiler see it.

Each is C++ without a warning, and tkc compiles it to CUDA. So the page promises nothing that tkc has not.
"""
import os
import re
import subprocess
import sys


def problem(command):
    """What is wrong for a compiler."""
    done = subprocess.run(command, capture_output=True, text=True)
    return f"{' '.join(command)}\n{done.stderr}" if done.returncode else ""


def main():
    tkc, header, page, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with open(page) as file:
        examples = re.findall(r"^```cpp\n(.*?)^```$", file.read(), re.M | re.S)
    compiler = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Werror", "-include", header]
    failures = 0
    for number, text in enumerate(examples):
        path = os.path.join(folder, f"example{number}.tk")
        with open(path, "w") as file:
            file.write(text)
        for command in ([*compiler, "-x", "c++", path], [tkc, path, "-o", os.devnull]):
            if said := problem(command):
                failures += 1
                print(f"FAIL {said}")
    print(f"{len(examples)} examples, {failures} failures")
    return 1 if failures or not examples else 0


sys.exit(main())
