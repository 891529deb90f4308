#!/usr/bin/env python3
"""defined_once.py - No two libraries define one function.

Usage: defined_once.py FOLDER
A linker takes the first definition that it meets and says nothing, unless it needs something else of the second library's file:
then a program that links a little more, as the fuzzers do, no longer links.
"""
import collections
import glob
import os
import subprocess
import sys


def main(folder):
    libraries = collections.defaultdict(set)
    for path in sorted(glob.glob(os.path.join(folder, "*.a"))):
        text = subprocess.run(["llvm-nm", "--defined-only", "--extern-only", "--demangle", path], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        for line in text.splitlines():
            _, _, name = line.partition(" T ")
            if name:
                libraries[name].add(os.path.basename(path))
    twice = {name: found for name, found in libraries.items() if len(found) > 1}
    for name, found in sorted(twice.items()):
        print(f"{name} is defined in {' and '.join(sorted(found))}")
    print(f"{len(libraries)} functions, {len(twice)} defined in two libraries")
    return 1 if twice or not libraries else 0


sys.exit(main(sys.argv[1]))
