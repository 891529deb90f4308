"""links.py - Whether every relative link of Markdown pages leads to a file, and every anchor to a heading.

Usage: links.py FOLDER-OR-PAGE ...
"""

import os
import re
import sys


def pages(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, files in sorted(os.walk(path)):
            yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".md"))


def text_of(page):
    """The page without its code blocks, in which nothing is a link or a heading."""
    with open(page) as file:
        return re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S)


def anchors(page):
    """The names that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.M)
    words = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in words}


def broken(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(full):
            yield f"{page}: there is no {target}"
        elif anchor and anchor not in anchors(full):
            yield f"{page}: {path or 'the page'} has no heading {anchor}"


def main():
    every = list(pages(sys.argv[1:]))
    wrong = [problem for page in every for problem in broken(page)]
    print(f"{len(every)} pages, {len(wrong)} broken links", *wrong, sep="\n")
    return 1 if wrong or not every else 0


if __name__ == "__main__":
    sys.exit(main())
