#!/usr/bin/env python3
"""includes.py - Which folders of compiler/ include which, and that no folder includes itself by way of others.

Usage: includes.py FOLDER [--list]
Prints the number of folders and of arrows, and each circle with the files that close it; exits 1 if there is one.
"""
import collections
import os
import re
import sys

INCLUDE = re.compile(r'\s*#include "((?:\w+/)*\w+)/[\w.]+"')


def read(root):
    """{(folder, folder that it includes): files}."""
    arrows = collections.defaultdict(set)
    for folder, _, files in os.walk(root):
        own = os.path.relpath(folder, root)
        for name in files:
            if not name.endswith((".h", ".cpp", ".def")):
                continue
            with open(os.path.join(folder, name)) as file:
                for other in INCLUDE.findall(file.read()):
                    if other != own and os.path.isdir(os.path.join(root, other)):
                        arrows[own, other].add(os.path.join(own, name))
    return arrows


def reachable(start, arrows):
    found, todo = set(), [start]
    while todo:
        here = todo.pop()
        for source, target in arrows:
            if source == here and target not in found:
                found.add(target)
                todo.append(target)
    return found


def main():
    arrows = read(sys.argv[1])
    folders = {folder for arrow in arrows for folder in arrow}
    if "--list" in sys.argv:
        for source, target in sorted(arrows):
            print(f"{source} -> {target}")
    reached = {folder: reachable(folder, arrows) for folder in folders}
    closing = sorted(arrow for arrow in arrows if arrow[0] in reached[arrow[1]])
    for source, target in closing:
        print(f"circle: {source} -> {target}: {', '.join(sorted(arrows[source, target]))}")
    print(f"{len(folders)} folders, {len(arrows)} arrows, {len(closing)} of them in circles")
    return 1 if closing else 0


sys.exit(main())
