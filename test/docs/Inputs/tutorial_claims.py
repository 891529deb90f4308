#!/usr/bin/env python3
"""tutorial_claims.py - Whether what the tutorial says of registers, bytes, stages and barriers is so.

tutorial.claims has, for each page, phrases of its text and an expression that makes each true:

    [5-registers]
    room for 4 stages => buffer("a").stages == 4

An expression sees the page's program as `report`, `role`, `buffer`, `barrier`, `limit`, `waits`, `lines` of the CUDA, and other programs
as `answer` and `program(file, *arguments)`. Every number with a unit on a page must be part of such a phrase.

Usage: tutorial_claims.py [--page FILE]    FILE instead of the page of its name
"""
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FOLDER = os.path.join(ROOT, "docs", "tutorial")
CLAIMS = os.path.join(ROOT, "test", "docs", "Inputs", "tutorial.claims")
TKC = os.path.join(os.environ["TKC_BUILD"], "bin", "tkc")
UNITS = (
    "threads?|warps?|warpgroups?|registers?|stages?|bytes|KB|MB|cycles|mbarriers?|arrivals?|consumers|SMs|blocks|buffers|iterations"
    "|tiles|pairs|columns|rows|elements|instructions|rounds|names|%|high|wide|`?movmatrix|of them"
)
WORDS = "two|three|four|five|six|seven|eight"
NUMBER = re.compile(rf"\b(?:\d[\d.]*|{WORDS})(?: consumer)? (?:{UNITS})(?!\w)|\b\d{{4,}}\b", re.I)


class Program:
    """A .tk file as tkc compiles it."""

    def __init__(self, source, *arguments):
        self.command = [TKC, source, "-W", "no-tk-perf", *arguments]

    def run(self, *arguments):
        return subprocess.run([*self.command, *arguments], capture_output=True, text=True)

    @functools.cached_property
    def kernels(self):
        """The report's, with attributes in place of keys."""
        found = self.run("--emit=report-json", "-o", "-")
        if found.returncode:
            sys.exit(found.stderr)
        return json.loads(found.stdout, object_hook=lambda table: types.SimpleNamespace(**table)).kernels

    @functools.cached_property
    def cuda(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.cu")
            if (done := self.run("-o", path)).returncode:
                sys.exit(done.stderr)
            with open(path) as file:
                return file.read()

    @property
    def report(self):
        return self.kernels[-1]

    @property
    def refusal(self):
        """What tkc says against it."""
        done = self.run("-o", os.devnull)
        return done.stderr if done.returncode else ""

    def named(self, what, key, name):
        return next(item for item in getattr(self.report, what) if getattr(item, key) == name)

    def role(self, kind):
        return self.named("roles", "kind", kind)

    def buffer(self, name):
        return self.named("buffers", "name", name)

    def barrier(self, name):
        return self.named("barriers", "name", name)

    def limit(self, part):
        return round(self.named("limits", "part", part).cycles)

    def lines(self, text):
        """How many lines of the CUDA have this text."""
        return sum(text in line for line in self.cuda.splitlines())

    def waits(self, op):
        return [wait for wait in self.report.waits if wait.op == op]


@functools.cache
def program(path, *arguments):
    return Program(os.path.join(FOLDER, path), *arguments)


def read(path):
    with open(path) as file:
        return file.read()


def prose(text):
    """A page without code, generated parts and targets of links, in one line."""
    text = re.sub(r"<!-- (\w+): begin -->.*?<!-- \1: end -->", "", text, flags=re.S)
    text = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(text.split())


def claims():
    """(page, phrase, expression) of each line."""
    page = None
    with open(CLAIMS) as file:
        for line in file:
            if line.startswith("["):
                page = line.strip()[1:-1]
            elif line.strip() and not line.startswith("#"):
                phrase, expression = line.rstrip("\n").split(" => ")
                yield page, phrase.strip(), expression.strip()


def names_of(page):
    """What an expression may use."""
    own = program(page + ".tk")
    number = page.split("-")[0]
    answer = next((name for name in os.listdir(os.path.join(FOLDER, "answers")) if name.startswith(number + "-")), None)
    rates = lambda other, cores, l2, share: (other.limit("tensor cores"), other.limit("L2"), 100 * cores // l2) == (cores, l2, share)
    own_names = {name: getattr(own, name) for name in ("report", "cuda", "role", "buffer", "barrier", "limit", "lines", "waits")}
    return own_names | {
        "answer": program(os.path.join("answers", answer)),
        "program": program,
        "ceil": math.ceil,
        "rates": rates,
        "passes": lambda: [remark.__dict__["pass"] for remark in own.report.done],
        "page": lambda path: read(os.path.join(FOLDER, path)),
        "runtime": lambda path: read(os.path.join(ROOT, "runtime", path)),
    }


def problems(page, text, checked):
    text = prose(text)
    covered = []
    for phrase, expression in checked:
        places = [match.span() for match in re.finditer(re.escape(phrase), text)]
        covered += places
        if not places:
            yield f"does not say '{phrase}', which is checked"
        elif not eval(expression, names_of(page)):
            yield f"'{phrase}' is not so: {expression}"
    for match in NUMBER.finditer(text):
        if not any(first <= match.start() and match.end() <= last for first, last in covered):
            yield f"nothing checks '{text[max(0, match.start() - 30) : match.end() + 20]}'"


def main():
    given = sys.argv[2] if sys.argv[1:2] == ["--page"] else None
    by_page = {}
    for page, *claim in claims():
        by_page.setdefault(page, []).append(claim)
    pages = sorted(name[:-3] for name in os.listdir(FOLDER) if re.match(r"\d.*\.md", name))
    wrong = []
    for page in pages:
        path = os.path.join(FOLDER, page + ".md")
        if given and os.path.basename(given) != os.path.basename(path):
            continue
        with open(given or path) as file:
            wrong += [f"{page}.md: {problem}" for problem in problems(page, file.read(), by_page.get(page, []))]
    print(*wrong, f"{len(pages)} pages, {sum(map(len, by_page.values()))} claims, {len(wrong)} problems", sep="\n")
    return 1 if wrong or len(pages) != 8 else 0


if __name__ == "__main__":
    sys.exit(main())
