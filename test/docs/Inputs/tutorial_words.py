#!/usr/bin/env python3
"""tutorial_words.py - Whether the tutorial explains each word of the field where it comes first.

The words are those that docs/glossary.md has in bold. Where one is met first on the path through the pages, in this order, it must
be the text of a link to the section of the glossary that explains it, or a part of that text. Code and headings are not looked at.

Usage: tutorial_words.py PAGE ...
"""
import os
import re
import sys

GLOSSARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docs", "glossary.md")
# Entries of several words of which each is looked for in another form than the glossary's heading of it.
FORMS = {
    "full and empty barriers": ["full barrier", "empty barrier"],
    "cooperative": [],  # an adjective of everyday language
    "conditional rescale": ["conditional rescale", "lazy rescale"],
    "wait": [],  # a verb of everyday language
    "overlap": ["overlap"],
    "reference": ["reference"],
}


def terms():
    """Each word with the anchor of its section."""
    anchor, found = "", {}
    with open(GLOSSARY) as file:
        text = file.read()
    for heading, bold in re.findall(r"^## (.*)$|\*\*([^*]+)\*\*", text, re.M):
        if heading:
            anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            continue
        for name in re.sub(r"\([^)]*\)", "", " ".join(bold.split())).strip(". ").lower().split(","):
            name = " ".join(name.split())
            for form in FORMS.get(name, [name]):
                found[form] = anchor
    return found


def pattern(term):
    """The word, or its plural."""
    return re.compile(rf"(?<![\w-]){re.escape(term)}(?:e?s)?(?![\w-])", re.I)


def blank(match):
    return " " * len(match[0])


def readable(page):
    """The text without code and headings; positions stay."""
    with open(page) as file:
        text = file.read()
    text = re.sub(r"^```.*?^```$", blank, text, flags=re.M | re.S)
    text = re.sub(r"^    .*$|^#.*$|<!--.*?-->|`[^`\n]*`", blank, text, flags=re.M)
    return text


def links(text):
    """(first, last, anchor) of the text of each link; the anchor is empty if it leads elsewhere than the glossary."""
    for match in re.finditer(r"\[([^]]*)\]\(([^)]*)\)", text):
        _, _, anchor = match[2].partition("../glossary.md#")
        yield (*match.span(1), anchor)


def problems(pages):
    unseen = terms()
    for page in pages:
        text = readable(page)
        linked = list(links(text))
        # Where links lead is no text.
        words = re.sub(r"(?<=\])\([^)]*\)", blank, text)
        for term, anchor in list(unseen.items()):
            found = pattern(term).search(words)
            if not found:
                continue
            del unseen[term]
            place = f"{os.path.basename(page)}:{text.count(chr(10), 0, found.start()) + 1}"
            around = next((at for first, last, at in linked if first <= found.start() and found.end() <= last), None)
            if around is None:
                yield f"{place}: '{found[0]}' comes first here and is not explained: write [{found[0]}](../glossary.md#{anchor})"
            elif around != anchor:
                yield f"{place}: '{found[0]}' is explained in ../glossary.md#{anchor}, not #{around}"


def main():
    found = list(problems(sys.argv[1:]))
    print(*found, f"{len(terms())} words, {len(found)} problems", sep="\n")
    return 1 if found or len(terms()) < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
