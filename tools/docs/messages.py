#!/usr/bin/env python3
"""messages.py - Writes docs/messages.md: every message, with the test that provokes it.

The frontend's messages are in FrontendMessages.def. Those of the dialects and passes are written where
they are reported, so they are taken from the tests, which compare every word of them.
"""
import glob
import os
import re
import sys

from generated import ROOT, publish

DEF = os.path.join(ROOT, "compiler", "frontend", "FrontendMessages.def")
LEVELS = {"Error": "error", "Warning": "warning", "Note": "note"}
# Messages that no test can provoke: the first needs a crash, the others an incomplete installation.
UNTESTED = {"crashed", "header_not_found"}
HOLE = re.compile(r"%(?:select|plural)\{((?:[^{}]|\{[^{}]*\})*)\}\d|%q?\d")

INTRODUCTION = """# Messages

What tkc says when a program is not right, and which test shows it. An error says what is wrong, and after a semicolon
what to do about it; `...` stands for what differs. This page is written by `tools/docs/messages.py`.

"""


def frontend_messages():
    """(section, name, level, text) of each message, in the order of the file."""
    with open(DEF) as file:
        text = file.read().split("//===---", 2)[-1]
    section = ""
    for match in re.finditer(r"^// (.*)$|TKC_MESSAGE\((\w+), (\w+),\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+)\)", text, re.M):
        if match[1]:
            section = match[1]
        else:
            words = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[4]))
            yield section, match[2], LEVELS[match[3]], words.replace('\\"', '"')


def shown(text):
    """A message as a reader meets it."""
    def fill(match):
        if match[1] is None:
            return "..."
        options = [option.split(":")[-1] for option in match[1].split("|") if option.split(":")[-1]]
        return options[0] if options else "..."

    return HOLE.sub(fill, text)


def pattern(text):
    """What of a message must stand in the test that provokes it."""
    literals = [part for part in re.split(HOLE, text)[:: HOLE.groups + 1] if len(part.strip()) > 1]
    return ".*".join(re.escape(part) for part in literals) or None


class Tests:
    """The lines of all tests, to look messages up in."""

    def __init__(self):
        self.lines = []
        folders = [os.path.join(ROOT, "test", "**", ending) for ending in ("*.tk", "*.test", "*.py")]
        for path in sorted(path for folder in folders for path in glob.glob(folder, recursive=True)):
            name = os.path.relpath(path, ROOT)
            if name.startswith(("test/fuzz/", "test/golden/")):
                continue
            with open(path) as file:
                self.lines += [(name, n, line) for n, line in enumerate(file, 1)]

    def find(self, text):
        """The first line that expects this message: path, number, line."""
        literals = sorted((p for p in re.split(HOLE, text)[:: HOLE.groups + 1] if p), key=len)
        for wanted in (pattern(text), re.escape(literals[-1].strip()) if literals else None, start_of(literals)):
            compiled = wanted and re.compile(wanted)
            for path, number, line in self.lines if compiled else []:
                if compiled.search(line) and re.search(r"expected-|CHECK|[A-Z]+: |\"", line):
                    return path, number, line
        return None


def start_of(literals):
    """A distinctive part of a message of which tests quote the beginning alone."""
    longest = literals[-1].split(";")[0].strip() if literals else ""
    return re.escape(longest) if len(longest) > 20 else None


def example(found):
    """The code of a test line, and a link to it."""
    path, _, line = found
    link = f"[{path[5:]}](../{path})"
    code = re.sub(r"\s*//.*", "", line).strip() if path.endswith(".tk") else ""
    return (f"`{code}` " if code and code not in "{}" else "") + link


def cell(text):
    return text.replace("|", "\\|")


def frontend_page():
    """The tables of the frontend, and what is missing in them."""
    tests, lines, missing, section = Tests(), [], [], None
    for part, name, level, text in frontend_messages():
        found = tests.find(text)
        if not found and name not in UNTESTED:
            missing.append(name)
        if part != section:
            section = part
            lines += ["", f"## {section.rstrip('.')}", "", "| | message | seen in |", "|---|---|---|"]
        lines.append(f"| {level} | {cell(shown(text))} | {cell(example(found)) if found else ''} |")
    return lines, missing


def pass_messages():
    """(file, text) of each error that a test of dialects, analyses, passes or backend expects."""
    seen = set()
    for path in sorted(glob.glob(os.path.join(ROOT, "test", "*", "*.mlir"))):
        with open(path) as file:
            for text in re.findall(r"expected-(?:error|warning)[^{]*\{\{(.*?)\}\}", file.read()):
                if text not in seen:
                    seen.add(text)
                    yield os.path.relpath(path, ROOT), text


def pass_page():
    lines, last = [], None
    for path, text in pass_messages():
        if path != last:
            last = path
            lines += ["", f"### [{path[5:]}](../{path})", ""]
        lines.append(f"- {text}")
    return lines


def main():
    lines, missing = frontend_page()
    if missing:
        print(f"no test provokes {', '.join(missing)} (compiler/frontend/FrontendMessages.def)")
    text = INTRODUCTION + "\n".join(lines).strip() + "\n\n## From the dialects, passes and the backend\n\n"
    text += "These say what a kernel needs of the machine; the numbers are those of the test.\n"
    text += "\n".join(pass_page()) + "\n"
    return publish({"docs/messages.md": text}, "tools/docs/messages.py") or bool(missing)


sys.exit(main())
