#!/usr/bin/env python3
"""checker.py - Does the three-way driver notice what it is there for?

A way that multiplies with numpy takes the place of a kernel: first right, then with one mistake each
time. The right one must pass at every shape, every mistake must be found at every shape.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import abi, sweep
from tkc_run.gemm import Gemm, Shape
from tkc_run.tensors import GUARD, HostTensor, from_bf16, to_bf16, to_small


def right(a, b, c):
    c.elements[:] = to_bf16(a.values() @ b.values())


def one_element_is_wrong(a, b, c):
    right(a, b, c)
    c.elements[-1, -1] = to_bf16(c.values()[-1, -1:] * 1.02 + 0.5)[0]


def one_element_is_not_written(a, b, c):
    before = c.elements[-1, 0]
    right(a, b, c)
    c.elements[-1, 0] = before


def one_element_is_nan(a, b, c):
    right(a, b, c)
    c.elements[0, -1] = 0x7FC0


def last_step_is_missing(a, b, c):
    c.elements[:] = to_bf16(a.values()[:, :-1] @ b.values()[:-1])


def truncated_instead_of_rounded(a, b, c):
    c.elements[:] = ((a.values() @ b.values()).view(np.uint32) >> 16).astype(np.uint16)


def written_before_the_first(a, b, c):
    right(a, b, c)
    c.buffer[GUARD - 1] = 0


def written_behind_a_row(a, b, c):
    right(a, b, c)
    c.buffer[GUARD + c.extents[1]] = 0  # padding of the first row


def input_is_written(a, b, c):
    right(a, b, c)
    b.elements[0, 0] ^= 1


def padding_is_read(a, b, c):
    behind = from_bf16(a.buffer[GUARD + a.stride - 1 : GUARD + a.stride])
    c.elements[:] = to_bf16(a.values() @ b.values() + behind * 0)


MISTAKES = [one_element_is_wrong, one_element_is_not_written, one_element_is_nan, last_step_is_missing,
            truncated_instead_of_rounded, written_before_the_first, written_behind_a_row, input_is_written,
            padding_is_read]


class LastLaunchDiffers:
    """The fourth launch leaves another bit in one element, as near to the truth as the other one."""

    def __init__(self):
        self.launches = 0

    def __call__(self, a, b, c):
        right(a, b, c)
        self.launches += 1
        c.elements[0, 0] ^= self.launches == 4


class NumpyBackend:
    """What backends.Backend is to the driver, for a Python function."""

    name, seconds = "numpy", 0.0

    def __init__(self, work):
        self.work = work

    def call(self, kernel, tensors):
        self.work(*tensors)
        return abi.Status()


def main():
    failures = 0
    for shape in (Shape(33, 17, 40, 8), Shape(130, 70, 600, 8), Shape(256, 128, 2048, 8)):
        for seed in range(5):
            problem = Gemm(shape, seed).check(NumpyBackend(right)).problem
            if problem:
                failures += 1
                print(f"FAIL {shape}: a right result is refused: {problem}")
        for mistake in MISTAKES:
            if not Gemm(shape, 1).check(NumpyBackend(mistake)).problem:
                failures += 1
                print(f"FAIL {shape}: not noticed: {mistake.__name__}")
    for work, wanted in ((right, ""), (LastLaunchDiffers(), "launches differ in 1 elements")):
        problem = sweep.check(Gemm(Shape(33, 17, 40), 1), NumpyBackend(work), "gemm", 4).problem
        if problem != wanted:
            failures += 1
            print(f"FAIL four launches: '{problem}' instead of '{wanted}'")
    # Rounding itself, at its corners: ties go to even, both ways; infinities stay; NaN stays NaN.
    corners = np.array([1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-8, np.inf, 3.4e38, np.nan], np.float32)
    if [hex(bits) for bits in to_bf16(corners)] != ["0x3f80", "0x3f82", "0xbf80", "0x7f80", "0x7f80", "0x7fc0"]:
        failures += 1
        print(f"FAIL rounding to bf16: {[hex(bits) for bits in to_bf16(corners)]}")
    # To 8 bits, from float64 at once: ties and what is next to them, what is smaller than the smallest, and too large.
    corners = [17, 19, 17 + 1e-9, 17 - 1e-9, -17 - 1e-9, 2.0**-10, 2.0**-10 + 1e-12, 3 * 2.0**-10, 464, 1e300, np.inf, -np.nan]
    found = [hex(bits & 0x7F if bits & 0x7F == 0x7F else bits) for bits in to_small("e4m3")(corners)]
    if found != ["0x58", "0x5a", "0x59", "0x58", "0xd9", "0x0", "0x1", "0x2", "0x7e", "0x7e", "0x7e", "0x7f"]:
        failures += 1
        print(f"FAIL rounding to e4m3: {found}")
    tensor = HostTensor((3, 5))
    if tensor.view().data % 1024 or tensor.stride % 8:
        failures += 1
        print("FAIL a test tensor is not where TMA can reach it")
    print(f"{failures} failures")
    return 1 if failures else 0


sys.exit(main())
