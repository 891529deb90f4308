#!/usr/bin/env python3
"""sizes.py - What the C functions say to strides and extents that no number or no memory can follow.

Calls the kernels of Inputs/sizes.tk with views of small buffers: views that promise more than there is must be refused
before a thread looks. Outputs that overlap themselves are refused, inputs may; any strides that keep elements apart
are taken, in any order.

Usage: sizes.py [--backends reference,emulator,gpu]
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python"))
from tkc_run import abi, sweep
from tkc_run.device import device

HUGE = 1 << 30
TWO = (2, 2, 64, 64)
APART = (64 * 64 * 2, 64 * 64, 64, 1)  # of a tensor TWO

# The kernel, the extents and strides of its two tensors, and which words the message must hold; none if it is right.
CASES = [
    ("copied", (TWO, APART), (TWO, APART), None),
    # The order in memory is free, and so are gaps.
    ("copied", (TWO, APART), (TWO, (64 * 64, 64 * 64 * 2, 64, 1)), None),
    ("copied", (TWO, APART), (TWO, (64, 128, 256, 1)), None),
    ("copied", (TWO, (64 * 64 * 3, 64 * 64, 64, 1)), (TWO, (64 * 64 * 3, 64 * 64, 64, 1)), None),
    # Inputs may repeat themselves.
    ("copied", (TWO, (0, 0, 64, 1)), (TWO, APART), None),
    ("copied", (TWO, (64, 64, 64, 1)), (TWO, APART), None),
    # Outputs may not.
    ("copied", (TWO, APART), (TWO, (64, 64, 64, 1)), ["C", "stride 64", "overlap"]),
    ("copied", (TWO, APART), (TWO, (0, 64 * 64, 64, 1)), ["C", "stride 0", "dimension 0", "overlap"]),
    ("copied", (TWO, APART), (TWO, (64 * 64, 64 * 64, 64, 1)), ["C", "overlap"]),
    ("copied", (TWO, APART), (TWO, (64 * 64 * 2, 64 * 32, 64, 1)), ["C", "stride 2048", "dimension 1", "4096"]),
    # Extents of 1 have no stride.
    ("copied", ((1, 1, 64, 64), APART), ((1, 1, 64, 64), (0, 0, 64, 1)), None),
    # An output that threads write may lie as it likes, but apart.
    ("row_sums", ((2, 64, 64), (64 * 64, 64, 1)), ((2, 64), (64, 1)), None),
    ("row_sums", ((2, 64, 64), (64 * 64, 64, 1)), ((2, 64), (1, 2)), None),
    ("row_sums", ((2, 64, 64), (64 * 64, 64, 1)), ((2, 64), (32, 1)), ["S", "stride 32", "overlap"]),
    ("row_sums", ((2, 64, 64), (64 * 64, 64, 1)), ((2, 64), (1, 1)), ["S", "stride 1", "overlap"]),
    # Tiles that 64 bits cannot count: 2^24 x 2^24 x 2^10 x 2^6 = 2^64 and 2^66 wrap to 0.
    ("summed", ((64, 1 << 10, HUGE, HUGE), (0, 0, 0, 1)), ((64, 64), (64, 1)), ["tiles", "many"]),
    ("summed", ((256, 1 << 10, HUGE, HUGE), (0, 0, 0, 1)), ((64, 64), (64, 1)), ["tiles", "many"]),
    # Tiles that 64 bits can count, and 32 cannot.
    ("summed", ((1 << 16, 1 << 16, 64, 64), (0, 0, 64, 1)), ((64, 64), (64, 1)), ["tiles", "many"]),
    # No memory is that large, and 64 bits cannot say where its last element would be.
    ("copied", ((64, 1 << 10, HUGE, HUGE), (0, 0, 0, 1)), ((64, 1 << 10, HUGE, HUGE), (HUGE, HUGE, HUGE, 1)), ["C"]),
    ("copied", ((HUGE, 1, 64, 64), (0, 0, 64, 1)), ((HUGE, 1, 64, 64), (1 << 38, 0, 64, 1)), ["C", "memory"]),
    ("copied", ((HUGE, HUGE, 64, 64), (1 << 38, 1 << 38, 64, 1)), (TWO, APART), ["A", "memory"]),
    # Rows beyond what 32 bits number, with the last tile.
    ("summed", ((1, 1, (1 << 31) - 1, 64), (0, 0, 0, 1)), ((64, 64), (64, 1)), ["A", str((1 << 31) - 1)]),
]


def view(data, dtype, extents, strides):
    result = abi.Tensor(data=data, dtype=dtype, rank=len(extents))
    for i, (extent, stride) in enumerate(zip(extents, strides)):
        result.extents[i], result.strides[i] = extent, stride
    return result


def bf16(values):
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def strided(buffer, extents, strides):
    return np.lib.stride_tricks.as_strided(buffer, extents, [stride * buffer.itemsize for stride in strides])


def judge(backend, kernel, given, output, words):
    """What is wrong with the answer to one call."""
    rng = np.random.default_rng(1)
    source = rng.integers(0, 8, 1 << 16).astype(np.float32)  # sums of 64 are exact
    inputs = bf16(source)
    results = np.full(1 << 16, 0x7FE5, np.uint16) if kernel == "copied" else np.full(1 << 16, np.nan, np.float32)
    before = results.copy()
    arrays = [inputs, results]
    copies = [device().upload(array) for array in arrays] if backend.name == "gpu" else []
    addresses = [copy.value for copy in copies] or [array.ctypes.data for array in arrays]
    status = backend.call_views(kernel, [view(addresses[0], abi.BF16, *given),
                                     view(addresses[1], abi.BF16 if kernel == "copied" else abi.F32, *output)])
    code, message = status.code, (status.message or b"").decode()
    if copies:
        device().synchronize()
        device().download(copies[1], results)
        for copy in copies:
            device().free(copy)
    if words is not None:
        if code != abi.INVALID_ARGUMENT:
            return f"is code {code} '{message}' when it should be an invalid argument"
        if not np.array_equal(results.view(np.uint8), before.view(np.uint8)):
            return "something was written"
        missing = [word for word in words if word not in message]
        return f"does not say {missing}: '{message}'" if missing else ""
    if code != abi.OK:
        return f"is code {code} '{message}' when it should be ok"
    if kernel == "copied":
        wanted, found = strided(inputs, *given), strided(results, *output)
    else:
        wanted, found = strided(source, *given).sum(axis=2), strided(results, *output)
    return "" if np.array_equal(found, wanted) else f"{np.count_nonzero(found != wanted)} elements are wrong"


def main():
    options = sweep.parser(__doc__.splitlines()[0]).parse_args()
    options.source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "sizes.tk")
    failures = 0
    for backend in sweep.open_backends(options):
        # The reference walks any grid, however long that takes.
        cases = [case for case in CASES if backend.name != "reference" or not (case[3] and "tiles" in case[3])]
        for kernel, given, output, words in cases:
            if problem := judge(backend, kernel, given, output, words):
                failures += 1
                print(f"FAIL {backend.name}: {kernel} of {given} to {output}: {problem}")
        print(f"{backend.name}: {len(cases)} calls")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
