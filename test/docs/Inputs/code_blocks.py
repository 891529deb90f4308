#!/usr/bin/env python3
"""code_blocks.py - A verdict on each code block of a page, by the kind that its first line names.

    cpp tk                a program: C++20 without a warning, and CUDA
    cpp                   C++ that compiles against the runtime's headers
    cpp quotes FILE ...   each line is one of FILE, or of the CUDA that tkc makes of it, if it is a .tk
    c header FILE.tk      C that compiles after the header that tkc makes of FILE.tk
    sh                    commands that succeed; if a line begins with "$ ", it is one of several, and what follows is its
                          output, in which "..." stands for any lines. A command that prints "error:" must fail
    python                a program that succeeds, with tools/python on its path
    cmake                 the CMakeLists.txt of a project that can be configured with an installed tkc, on the emulator
    cmake quotes FILE     each line is one of FILE, where it may be a comment; comments at its end do not count
    json                  JSON
    diff, text            of a page's part that a tool writes between "begin" and "end"

After the kind may stand "needs nvcc", which is skipped where there is none, or "not run: REASON". Every block has a kind, and code
that is indented in place of being fenced is an error, as nobody would run it.

Commands run in a folder of the page's own with the programs of dsl-examples and docs/tutorial in it, the folders of the tree
beside them, and build/bin in PATH.

Usage: code_blocks.py FOLDER PAGE-OR-FOLDER ... [--but PAGE]
Prints a line for each block, then those that were not run, and the counts.
"""
import concurrent.futures
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(ROOT, "test", "packaging", "Inputs"))
import package  # noqa: E402
from tkc_run import toolchain  # noqa: E402

BUILD = os.environ["TKC_BUILD"]
TKC = os.path.join(BUILD, "bin", "tkc")
RUNTIME = os.path.join(ROOT, "runtime")
CXX = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Werror"]
CC = [os.environ.get("CC", "cc"), "-std=c11", "-fsyntax-only", "-Wall", "-Werror", "-I", RUNTIME]
INCLUDES = ["-I", os.path.join(RUNTIME, "emulator"), "-I", os.path.join(RUNTIME, "hopper"), "-I", RUNTIME]
LINKS = ("dsl-examples", "docs", "runtime", "test", "tools")
MAIN = '#include "gemm.h"\nint main() { return gemm(nullptr, nullptr, nullptr, nullptr).code == TK_OK; }\n'


# What tkc run shows while it works, if that takes long.
PROGRESS = re.compile(r"\[[#.]+\] |\d+ s  ")


class Wrong(Exception):
    """A block is not what it says; the text says why."""


def run(command, folder=None, **options):
    """The output of a command, which must succeed."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise Wrong(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}")
    return done.stdout


# ---- pages


class Block:
    def __init__(self, page, line, kind, text, generated):
        self.page, self.line, self.kind, self.text, self.generated = page, line, kind, text, generated

    @property
    def place(self):
        return f"{os.path.relpath(self.page, ROOT)}:{self.line}"


def blocks(page):
    """The fenced blocks of a page; Wrong if code is indented only."""
    with open(page) as file:
        lines = file.read().splitlines()
    found, opened, generated, blank, listed = [], None, False, True, False
    for number, line in enumerate(lines, 1):
        fence = re.match(r" *```(.*)$", line)
        if opened:
            if fence:
                found.append(Block(page, opened[0], opened[1], "\n".join(opened[2]) + "\n", generated))
                opened = None
            else:
                opened[2].append(line)
            continue
        if fence:
            opened = (number, fence[1].strip(), [])
        elif re.match(r"<!-- .*: begin -->", line):
            generated = True
        elif re.match(r"<!-- .*: end -->", line):
            generated = False
        elif line.startswith("    ") and blank and not listed:
            place = f"{os.path.relpath(page, ROOT)}:{number}"
            raise Wrong(f"{place}: code that is only indented; fence it, with its kind: {line.strip()}")
        blank = not line.strip()
        # What is indented below an item of a list is a part of that.
        listed = bool(re.match(r" *([-*]|\d+\.) ", line)) or listed and (blank or line.startswith(" "))
    if opened:
        raise Wrong(f"{os.path.relpath(page, ROOT)}:{opened[0]}: a block that does not end")
    return found


# ---- verdicts: each takes a block, the words after its kind, and the page's folder


def compiles_as_tk(block, words, folder):
    handle, path = tempfile.mkstemp(suffix=".tk", dir=folder)
    with open(handle, "w") as file:
        file.write(block.text)
    run([*CXX, "-include", os.path.join(RUNTIME, "language", "tk.h"), "-x", "c++", path])
    run([TKC, path, "-W", "no-tk-perf-idle-sms", "-o", os.devnull])
    return "compiled"


def compiles_as_cpp(block, words, folder):
    run([*CXX, *INCLUDES, "-x", "c++", "-"], input=block.text)
    return "compiled"


@functools.cache
def lines_of(path):
    """The lines of a file; of a .tk file those of its CUDA as well."""
    places = (os.path.join(ROOT, path), os.path.join(ROOT, "docs", "tutorial", path))
    if not (found := next(filter(os.path.exists, places), None)):
        raise Wrong(f"there is no {path} to quote")
    with open(found) as file:
        lines = set(file.read().splitlines())
    if path.endswith(".tk"):
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "quoted.cu")
            run([TKC, found, "-W", "no-tk-perf", "-o", output])
            with open(output) as file:
                lines |= set(file.read().splitlines())
    return lines


def quotes(block, words, folder):
    known = set().union(*(lines_of(path) for path in words))
    for line in block.text.splitlines():
        if line not in known:
            raise Wrong(f"{' and '.join(words)} has no such line: {line}")
    return "quoted"


def quotes_comment(block, words, folder):
    bare = lambda line: re.sub(r"\s+# .*", "", line.removeprefix("#").strip())
    known = set(map(bare, lines_of(words[0])))
    for line in block.text.splitlines():
        if bare(line) not in known:
            raise Wrong(f"{words[0]} has no such line: {line}")
    return "quoted"


def compiles_with_header(block, words, folder):
    with tempfile.TemporaryDirectory() as inner:
        source = next(at for at in (os.path.join(folder, words[0]), os.path.join(ROOT, words[0])) if os.path.exists(at))
        run([TKC, source, "--emit=header", "-o", os.path.join(inner, "kernel.h")])
        run([*CC, "-x", "c", "-"], folder=inner, input='#include "kernel.h"\n' + block.text)
    return "compiled"


def matches(expected, found):
    """Whether lines are as shown, where "..." stands for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + r" *\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in found))


def runs(block, words, folder):
    nvcc = toolchain.find_nvcc(BUILD)
    programs = [os.path.join(BUILD, "bin"), *([os.path.dirname(nvcc)] if nvcc else []), os.environ["PATH"]]
    environment = os.environ | {"PATH": os.pathsep.join(programs)}
    shell = lambda text: subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=environment, stdin=subprocess.DEVNULL)
    if not block.text.startswith("$ "):
        if (done := shell(block.text)).returncode:
            raise Wrong(f"status {done.returncode}\n{done.stdout}")
        return "run"
    for step in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        command, *expected = step.rstrip("\n").split("\n")
        done = shell(command)
        if bool(done.returncode) != any("error:" in line for line in expected):
            raise Wrong(f"{command}: status {done.returncode}\n{done.stdout}")
        found = [line for line in done.stdout.splitlines() if not PROGRESS.match(line)]
        if not matches(expected, found):
            raise Wrong(f"{command} prints something else:\n{done.stdout}")
    return "run, output compared"


def runs_python(block, words, folder):
    path = os.pathsep.join([os.path.join(ROOT, "tools", "python"), os.environ.get("PYTHONPATH", "")])
    run([sys.executable, "-c", block.text], folder=folder, env=os.environ | {"PYTHONPATH": path})
    return "run"


@functools.cache
def installed(folder):
    """The place of an installed tkc."""
    where = os.path.join(folder, "installed")
    shutil.rmtree(where, ignore_errors=True)
    run(["cmake", "--install", BUILD, "--prefix", where])
    return where


def configures(block, words, folder):
    inner = package.fresh(os.path.join(folder, f"project{block.line}"))
    with_project = "project(" in block.text
    text = block.text if with_project else "project(user LANGUAGES CXX)\n" + block.text
    files = {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\n" + text, "main.cpp": MAIN}
    package.write(inner, files)
    for source in glob.glob(os.path.join(ROOT, "dsl-examples", "*.tk")):
        shutil.copy(source, inner)
    options = ["-G", "Ninja", "-DTKC_BACKEND=EMULATOR", f"-DCMAKE_PREFIX_PATH={installed(os.path.dirname(folder))}"]
    run(["cmake", *options, "-S", inner, "-B", os.path.join(inner, "build")])
    return "configured"


def parses(block, words, folder):
    try:
        json.loads(block.text)
    except ValueError as error:
        raise Wrong(str(error)) from None
    return "parsed"


def is_generated(block, words, folder):
    if not block.generated:
        raise Wrong("a block of this kind is written by a tool, between 'begin' and 'end'")
    return "written by a tool"


def is_run_by(block, test):
    """A block that a test of its own runs, which reads it from the page."""
    path, page = os.path.join(ROOT, test), os.path.basename(block.page)
    if not os.path.exists(path):
        raise Wrong(f"there is no test {test}")
    with open(path) as file:
        if page not in file.read():
            raise Wrong(f"{test} does not read {page}")
    return f"run by {test}"


KINDS = {
    "cpp tk": compiles_as_tk,
    "cpp quotes": quotes,
    "cpp": compiles_as_cpp,
    "c header": compiles_with_header,
    "sh": runs,
    "python": runs_python,
    "cmake quotes": quotes_comment,
    "cmake": configures,
    "json": parses,
    "diff": is_generated,
    "text": is_generated,
}


def verdict(block, folder):
    """What was found out about a block; Wrong if it does not hold."""
    if match := re.match(r"(\w+) not run: (.+)", block.kind):
        return f"not run: {match[2]}"
    if match := re.match(r"(\w+)(?: \w+)? run by (\S+)$", block.kind):
        return is_run_by(block, match[2])
    text, _, nvcc = block.kind.partition(" needs nvcc")
    if block.kind.endswith(" needs nvcc") and not toolchain.find_nvcc(BUILD):
        return "skipped: no nvcc"
    kind = next((kind for kind in KINDS if (text + " ").startswith(kind + " ")), None)
    if not kind or nvcc:
        raise Wrong(f"'{block.kind}' is no kind of block; one of {', '.join(KINDS)}")
    words = text[len(kind) :].split()
    if words and not kind.endswith(("quotes", "header")):
        raise Wrong(f"'{' '.join(words)}' says nothing about a block of the kind '{kind}'")
    if kind.endswith(("quotes", "header")) and not words:
        raise Wrong(f"'{kind}' needs the name of a file")
    return KINDS[kind](block, words, folder)


def prepare(folder):
    """A page's own folder, with what its commands may name."""
    package.fresh(folder)
    for name in LINKS:
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.symlink(BUILD, os.path.join(folder, "build"))
    for source in glob.glob(os.path.join(ROOT, "dsl-examples", "*.tk")) + glob.glob(os.path.join(ROOT, "docs", "tutorial", "*.tk")):
        shutil.copy(source, folder)
    for name, inside in (("library", "dsl-examples"), ("answers", "docs/tutorial")):
        os.symlink(os.path.join(ROOT, inside, name), os.path.join(folder, name))


def look_at(page, folder):
    """A line for each block of a page, and how many are wrong. Commands of a page run one after the other."""
    try:
        found = blocks(page)
    except Wrong as problem:
        return [f"WRONG {problem}"], []
    lines, verdicts = [], []
    if found:
        prepare(folder)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiled = {block: pool.submit(verdict, block, folder) for block in found if block.kind == "cpp tk"}
    for block in found:
        try:
            said = compiled[block].result() if block in compiled else verdict(block, folder)
            lines.append(f"{block.place}: {block.kind.split(' not run')[0]}: {said}")
            verdicts.append(said)
        except Wrong as problem:
            lines.append(f"WRONG {block.place}: {problem}")
        except SystemExit as problem:
            lines.append(f"WRONG {block.place}: {problem}")
    return lines, verdicts


def pages_of(arguments):
    """The pages that were named, and those that lie in named folders."""
    but = os.path.abspath(arguments[arguments.index("--but") + 1]) if "--but" in arguments else None
    named = arguments[: arguments.index("--but")] if but else arguments
    found = [page for path in named for page in (sorted(glob.glob(os.path.join(path, "*.md"))) if os.path.isdir(path) else [path])]
    return [os.path.abspath(page) for page in found if os.path.abspath(page) != but]


def main():
    folder, pages = sys.argv[1], pages_of(sys.argv[2:])
    os.makedirs(folder, exist_ok=True)
    wrong, verdicts, idle = 0, [], []
    for page in pages:
        name = os.path.relpath(page, ROOT).replace(os.sep, "-").replace("..", "")
        lines, said = look_at(page, os.path.join(os.path.abspath(folder), name))
        wrong += sum(line.startswith("WRONG") for line in lines)
        verdicts += said
        idle += [line for line in lines if ": not run: " in line]
        print(*lines, sep="\n", end="\n" if lines else "", flush=True)
    print(f"{len(idle)} not run", *idle, sep="\n")
    print(f"{len(pages)} pages, {len(verdicts) + wrong} blocks, {wrong} wrong")
    return 1 if wrong or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
