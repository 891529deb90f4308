#!/usr/bin/env python3
"""many_kernels.py - Loads copies of one emulated kernel into this process and launches each.

A process may have some 65,000 memory mappings. Each shared object brings an emulator of its own, whose launches need
thousands for the stacks of their threads; what they leave mapped must not add up.

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
MOST_MAPPINGS = 30_000  # half of what Linux allows a process


def mappings():
    with open("/proc/self/maps") as file:
        return sum(1 for _ in file)


def main():
    copies = int(sys.argv[1])
    os.environ["TK_EMULATOR_SMS"] = "8"
    library = builds.Kernels(SOURCE).build("emulator")
    rng = np.random.default_rng(1)
    given, result = HostTensor.random(rng, (1, 1, 512, 64), 0), HostTensor((1, 1, 512, 64), 0)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(copies):
            path = shutil.copy(library, os.path.join(folder, f"copy{number}.so"))
            result.poison()
            status = abi.function(ctypes.CDLL(path), "copied", 2)(given.view(), result.view(), None)
            if status.code != abi.OK:
                sys.exit(f"kernel {number}: {status}")
            if not np.array_equal(given.values(), result.values()):
                sys.exit(f"kernel {number}: the result is wrong")
        if (left := mappings()) > MOST_MAPPINGS:
            sys.exit(f"{copies} kernels leave {left} mappings behind")
    print(f"{copies} kernels are right")


main()
