#!/usr/bin/env python3
"""seeds.py - Writes what the fuzzers begin with: seeds.py FOLDER makes FOLDER/source and FOLDER/ir.

Programs: the examples, the programs of the tests, and random ones over the whole language. IR: each part of
each .mlir test, below a line that names the passes of its RUN line.
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tools", "python")]
from programs.features import chosen
from programs.generate import generate

MOST = 8000  # bytes of one seed


def programs():
    for folder in ("dsl-examples", "test/frontend", "test/language", "test/backend/Inputs"):
        for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.tk"))):
            with open(path) as file:
                yield os.path.basename(path), file.read()
    for seed in range(40):
        yield f"random-{seed}.tk", generate(seed, "k", chosen("all")).text()


def passes_of(line):
    """The passes that a RUN line names, as fuzz_ir.cpp wants them."""
    names = re.findall(r"--?((?:tk-|canonicalize|cse|loop-)[\w-]*(?:=\S+)?)", line)
    return ",".join(re.sub(r"=(.*)", r"{\1}", name) for name in names)


def modules():
    """Of all tests but those of fuzz/, which come from here."""
    for path in sorted(glob.glob(os.path.join(ROOT, "test", "[!f]*", "**", "*.mlir"), recursive=True)):
        with open(path) as file:
            text = file.read()
        run = next((line for line in text.splitlines() if "RUN:" in line and "opt" in line), "")
        text = re.sub(r"^\s*// (?:RUN|CHECK|[A-Z]+).*\n", "", text, flags=re.M)
        stem = os.path.relpath(path, os.path.join(ROOT, "test")).replace("/", "-")[:-5]
        for i, part in enumerate(re.split(r"^// -----.*\n", text, flags=re.M)):
            if not part.strip():
                continue
            yield f"{stem}-{i}.mlir", (f"// passes: {passes_of(run)}\n" if passes_of(run) else "") + part.strip() + "\n"


def main():
    for kind, seeds in (("source", programs()), ("ir", modules())):
        folder = os.path.join(sys.argv[1], kind)
        os.makedirs(folder, exist_ok=True)
        for name, text in seeds:
            if len(text) <= MOST:
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)


main()
