#!/usr/bin/env python3
"""dropout.py - What the dropout of layernorm.tk keeps: how much of it, in no pattern, and the same for the same seed.

Usage: dropout.py [--backends reference,emulator,gpu]
Each bound is five standard deviations of what independent draws would give.
"""
import ctypes
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import sweep
from tkc_run.tensors import HostTensor

ROWS, EXTENTS = 64, (64, 16, 64)


def keep(backend, seed, p):
    """Which elements of ROWS rows of 1024 are kept."""
    ones, zeros = HostTensor(EXTENTS), HostTensor(EXTENTS)
    ones.set(np.ones(EXTENTS, np.float32))
    zeros.set(np.zeros(EXTENTS, np.float32))
    weights = HostTensor(EXTENTS[1:])
    weights.set(np.zeros(EXTENTS[1:], np.float32))
    sums, y = HostTensor(EXTENTS), HostTensor(EXTENTS)
    status = backend.call("layernorm", [ones, zeros, weights, weights, sums, y],
                      [ctypes.c_float(1e-5), ctypes.c_float(p), ctypes.c_int(seed)])
    if status.code:
        sys.exit(str(status))
    return sums.values().reshape(ROWS, -1) != 0


def expect_share(what, found, share):
    """The share of true elements is that of independent draws."""
    bound = 5 * np.sqrt(share * (1 - share) / found.size)
    is_right = abs(found.mean() - share) <= bound
    print(f"{'ok  ' if is_right else 'FAIL'} {what}: {found.mean():.4f}, {share:.4f} +- {bound:.4f}")
    return not is_right


def check(backend):
    p, failures = 0.2, 0
    kept = keep(backend, 7, p)
    failures += expect_share("kept", kept, 1 - p)
    # Two neighbours are both dropped as often as two strangers are. Those at 1, 8 and 64 share words of one counter.
    for distance in (1, 2, 8, 64, 512):
        failures += expect_share(f"dropped with the element {distance} columns on", ~kept[:, distance:] & ~kept[:, :-distance], p * p)
    for distance in (1, 8, 16):
        failures += expect_share(f"dropped with the element {distance} rows on", ~kept[distance:] & ~kept[:-distance], p * p)
    for other in (8, -7):
        failures += expect_share(f"dropped with seed {other} too", ~kept & ~keep(backend, other, p), p * p)
    if not np.array_equal(kept, keep(backend, 7, p)):
        print("FAIL the same seed drops other elements the second time")
        failures += 1
    # The same numbers are compared with another bound.
    if not (keep(backend, 7, 0.5) <= kept).all():
        print("FAIL what is kept with p = 0.5 is dropped with p = 0.2")
        failures += 1
    return failures


def main():
    options = sweep.parser(__doc__.splitlines()[0], example="layernorm").parse_args()
    failures = 0
    for backend in sweep.open_backends(options):
        print(f"{backend.name}:", flush=True)
        failures += check(backend)
    print(f"{failures} failures")
    return 1 if failures else 0


sys.exit(main())
