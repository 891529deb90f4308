#!/usr/bin/env python3
"""runtime_names.py - Variables may be called as functions and types of the runtime are: emitted code calls them otherwise.

Usage: runtime_names.py FOLDER
Finds the names of the runtime's own namespace that the emitted examples spell, writes a program whose variables are called so
into FOLDER, and fails if what tkc makes of it declares one of them.
"""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
from tkc_run.builds import Kernels

# At the beginning of a line, or after a template's parameters: members are indented.
FUNCTION = re.compile(r"^(?:template <.*> )?(?:TK_DEVICE|TK_HOST_DEVICE|inline)\b[^(;=]*?\b(\w+)\(", re.M)
USE = re.compile(r"(?<![.:\w])(\w+)(?=[(<]| \w)")  # as a function or a type, not as a member or of a namespace that is named
TYPE = re.compile(r"^(?:template <.*> )?(?:struct|enum|using) (\w+)", re.M)


def emitted(source):
    return re.sub("//.*", "", Kernels(source).read())


def main():
    [folder] = sys.argv[1:]
    runtime, spelled = set(), set()
    for folder_of in ("hopper/ptx", "hopper/tile", "host"):
        for header in glob.glob(os.path.join(ROOT, "runtime", folder_of, "*.h")):
            with open(header) as file:
                text = file.read()
            runtime |= {*FUNCTION.findall(text), *TYPE.findall(text)}
    for source in glob.glob(os.path.join(ROOT, "dsl-examples", "*.tk")):
        spelled |= set(USE.findall(emitted(source)))
    names = sorted(runtime & spelled - {"operator"})
    source = os.path.join(folder, "names.tk")
    with open(source, "w") as file:
        lines = [f"    const float {name} = S.at(m, {i});" for i, name in enumerate(names)]
        file.write("kernel names(gl<float> S, gl<float, -1> C) {\n  for (auto [m] : grid(cdiv(C.cols(), 64))) {\n"
                   "    col_vec<float, 64> all = 0;\n" + "\n".join(lines) + "\n    tk::store(C, {m}, all + (" + " + ".join(names) + "));\n  }\n}\n")
    text = emitted(source)
    taken = [name for name in names if re.search(rf"\bfloat {name}\b", text)]
    print(f"{len(names)} names, declared by emitted code: {', '.join(taken) or 'none'}")
    return 1 if taken or len(names) < 50 else 0


sys.exit(main())
