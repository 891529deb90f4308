#!/usr/bin/env python3
"""messages.py - Writes docs/messages.md: every message, with the test that provokes it.

The frontend's messages are in FrontendMessages.def and BuiltinMessages.def. Those of the dialects and passes are
written where they are reported, so they are taken from the tests, which compare every word of them.
"""
import glob
import os
import re
import sys

from generated import ROOT, publish

DEFS = [os.path.join(ROOT, "compiler", "frontend", name) for name in ("FrontendMessages.def", "BuiltinMessages.def")]
LEVELS = {"Error": "error", "Warning": "warning", "Note": "note"}
# Messages that no test can provoke: the first needs a crash, the second an incomplete installation, and the others
# answer for programs that nobody has thought of.
UNTESTED = {"crashed", "header_not_found", "word_elsewhere", "unsupported_operator"}
HOLE = re.compile(r"%(?:select|plural)\{((?:[^{}]|\{[^{}]*\})*)\}\d|%q?\d")

FEWEST_VERIFIED = 120  # errors and warnings that tests of the frontend expect at their place, by `tkc -verify`

INTRODUCTION = """# Messages

tkc's messages about a wrong program, and the test that shows each. An error says what is wrong, and after a semicolon
what to do about it; `...` stands for what differs. Tests expect {source} different errors and warnings at their place
in a `.tk` file (`tkc -verify`), and {ir} at their place in the IR. This page is written by `tools/docs/messages.py`.

"""


def frontend_messages():
    """(section, name, level, text) of each message, in the order of the file."""
    text = ""
    for path in DEFS:
        with open(path) as file:
            text += file.read().split("//===---", 2)[-1]
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


def alternatives(text):
    """The message with each choice of a %select."""
    match = next((match for match in HOLE.finditer(text) if match[0].startswith("%select")), None)
    if not match:
        return [text]
    return [full for choice in match[1].split("|") for full in alternatives(text[: match.start()] + choice + text[match.end() :])]


def words_of(text):
    """The words of a message; None stands for what differs."""
    return [None if HOLE.search(word) else word.strip(",;:.'\"") for word in HOLE.sub("%0", text).split()]


def quotes(expected, message):
    """Whether a test's words are a piece of a message, of three words that do not differ or more."""

    def from_here(i, j, fixed):
        if i == len(expected) or j == len(message):
            return i == len(expected) and (fixed >= 3 or fixed == len([word for word in message if word]))
        if message[j] is None:
            return any(from_here(i + n, j + 1, fixed) for n in (1, 2, 3, 4) if i + n <= len(expected))
        return expected[i] == message[j] and from_here(i + 1, j + 1, fixed + 1)

    return any(from_here(0, j, 0) for j in range(len(message)))


class Tests:
    """What the tests expect, to look messages up in."""

    EXPECTED = re.compile(r"\{\{(.*?)\}\}|^[A-Z]+[A-Z-]*: (.*)$|\"((?:[^\"\\]|\\.){12,})\"")

    def __init__(self):
        self.expected = []
        folders = [os.path.join(ROOT, "test", "**", ending) for ending in ("*.tk", "*.test", "*.py")]
        for path in sorted(path for folder in folders for path in glob.glob(folder, recursive=True)):
            name = os.path.relpath(path, ROOT)
            if name.startswith(("test/fuzz/", "test/golden/")):
                continue
            with open(path) as file:
                for line in file:
                    self.expected += [(name, line, words) for words in self.words_in(line)]

    def words_in(self, line):
        for match in self.EXPECTED.finditer(line):
            text = re.sub(r"\{\{.*?\}\}", "...", match[1] or match[2] or match[3])
            text = re.split(r"(?:error|warning|note): ", text)[-1]
            words = [word.strip(",;:.'\"") for word in text.split()]
            if words:
                yield words

    def find(self, text):
        """The first line that expects this message: path, line."""
        messages = [words_of(alternative) for alternative in alternatives(text)]
        found = ((path, line) for path, line, words in self.expected if any(quotes(words, message) for message in messages))
        return next(found, None)


def example(found):
    """The code of a test line, and a link to it."""
    path, line = found
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


def verified():
    """The different errors and warnings that tests expect at a place of a .tk file."""
    found = set()
    for ending in ("*.tk", "*.test"):
        for path in glob.glob(os.path.join(ROOT, "test", "frontend", ending)):
            with open(path) as file:
                found |= set(re.findall(r"expected-(?:error|warning)[^{\n]*\{\{(.*?)\}\}", file.read()))
    return found


def pass_messages():
    """(file, text) of each error that a test of dialects, analyses, passes or backend expects, and none of fuzz/."""
    seen = set()
    for path in sorted(glob.glob(os.path.join(ROOT, "test", "[!f]*", "**", "*.mlir"), recursive=True)):
        with open(path) as file:
            for text in re.findall(r"expected-(?:error|warning)[^{]*\{\{(.*?)\}\}", file.read()):
                if text not in seen:
                    seen.add(text)
                    yield os.path.relpath(path, ROOT), text


def pass_page():
    """A heading for each folder of tests, and below it their messages, each with its test."""
    lines, last = [], None
    for path, text in pass_messages():
        folder = os.path.dirname(path).removesuffix("/errors")
        if folder != last:
            last = folder
            lines += ["", f"### {folder[5:]}", ""]
        lines.append(f"- {text} ([{os.path.basename(path)}](../{path}))")
    return lines


def main():
    lines, missing = frontend_page()
    if missing:
        print(f"no test provokes {', '.join(missing)} (compiler/frontend/*Messages.def)")
    source, ir = len(verified()), len(list(pass_messages()))
    text = INTRODUCTION.format(source=source, ir=ir) + "\n".join(lines).strip() + "\n\n## From the dialects, passes and the backend\n\n"
    text += "These say what a kernel needs of the machine; the numbers are those of the test.\n"
    text += "\n".join(pass_page()) + "\n"
    if source < FEWEST_VERIFIED:
        print(f"tests expect {source} errors and warnings of the frontend when {FEWEST_VERIFIED} are wanted")
    status = publish({"docs/messages.md": text}, "tools/docs/messages.py")
    return status or int(bool(missing) or source < FEWEST_VERIFIED)


sys.exit(main())
