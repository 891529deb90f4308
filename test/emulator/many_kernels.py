#!/usr/bin/env python3
"""many_kernels.py - Loads copies of one emulated kernel into this process and launches each.

Each shared object brings an emulator of its own, whose launches map hundreds of megabytes for the stacks of their threads, in
thousands of mappings, of which a process may have some 65,000: each must take those that the others have left, and a launch
that needs too many must leave none.

Usage: many_kernels.py COPIES
"""
import ctypes
import os
import shutil
import sys
import tempfile

import numpy as np

from tkc_run import abi, builds
from tkc_run.tensors import HostTensor

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch", "Inputs", "sizes.tk")
MOST_OF_AN_OBJECT = 4  # megabytes: its segments, and what the loader and the allocator map beside it


def mapped():
    """Megabytes of this process's address space."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE") >> 20


def check(library, rng, rows, what):
    """Launches the kernel, which copies a tensor of as many rows."""
    given, result = HostTensor.random(rng, (1, 1, rows, 64), 0), HostTensor((1, 1, rows, 64), 0)
    result.poison()
    status = abi.function(library, "copied", 2)(given.view(), result.view(), None)
    if status.code != abi.OK:
        sys.exit(f"{what}: {status}")
    if not np.array_equal(given.values(), result.values()):
        sys.exit(f"{what}: the result is wrong")


def main():
    copies = int(sys.argv[1])
    os.environ["TK_EMULATOR_SMS"] = "8"
    path = builds.Kernels(SOURCE).build("emulator")
    rng = np.random.default_rng(1)
    before = mapped()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(copies):
            library = ctypes.CDLL(shutil.copy(path, os.path.join(folder, f"copy{number}.so")))
            check(library, rng, 512, f"kernel {number}")
            if number == 0:
                first = mapped()
        left = mapped()
        if first - before < 100:
            sys.exit(f"the first kernel leaves only {first - before} MB: it keeps no stacks")
        if left - first > copies * MOST_OF_AN_OBJECT:
            sys.exit(f"{copies - 1} kernels leave {left - first} MB more than the first one's {first - before}")
    print(f"{copies} kernels are right")
    os.environ["TK_EMULATOR_SMS"] = "128"
    check(library, rng, 16384, "many blocks")
    if (left := mapped() - before) > copies * MOST_OF_AN_OBJECT:
        sys.exit(f"a launch of many blocks leaves {left} MB")
    print("a large launch leaves no stacks")


main()
