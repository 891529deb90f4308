#!/usr/bin/env python3
"""quoted.py - Whether a page quotes files truly.

Usage: quoted.py PAGE FILE ...     every line of PAGE's ```cpp blocks must be a line of one of the files
"""
import sys


def quoted_lines(page):
    inside = False
    for number, line in enumerate(page, 1):
        line = line.rstrip("\n")
        if line.startswith("```"):
            inside = line == "```cpp"
        elif inside:
            yield number, line


def main():
    page, *quoted = sys.argv[1:]
    lines = set()
    for path in quoted:
        with open(path) as file:
            lines.update(file.read().splitlines())
    with open(page) as file:
        quotes = list(quoted_lines(file))
    wrong = [f"{page}:{number}: {' and '.join(quoted)} has no such line: {line}" for number, line in quotes if line not in lines]
    if not quotes:
        wrong.append(f"{page}: quotes nothing")
    print("\n".join(wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
