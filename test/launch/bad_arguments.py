#!/usr/bin/env python3
"""bad_arguments.py - What the C function says to arguments it cannot work with.

Each case takes good arguments of a small GEMM, spoils one thing, and expects a status with the right
words, and not one byte written. The checks are the launcher's, so every backend must give the same answer.

Usage: bad_arguments.py [--backends reference,emulator,gpu]
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import abi, sweep
from tkc_run.device import device
from tkc_run.tensors import POISON, HostTensor

M, N, K = 32, 48, 64


class Arguments:
    """Views of A (M x K), B (K x N) and C (M x N), to be spoiled by a case; None is a null pointer."""

    def __init__(self, backend, extra_stride):
        rng = np.random.default_rng(1)
        self.backend = backend
        self.tensors = [HostTensor.random(rng, (M, K), extra_stride), HostTensor.random(rng, (K, N), extra_stride),
                        HostTensor((M, N), extra_stride)]
        self.copies = []
        if backend.name == "gpu":
            self.copies = [device().upload(tensor.buffer) for tensor in self.tensors]
            self.views = [t.view(copy.value) for t, copy in zip(self.tensors, self.copies)]
        else:
            self.views = [tensor.view() for tensor in self.tensors]

    A = property(lambda self: self.views[0])
    B = property(lambda self: self.views[1])
    C = property(lambda self: self.views[2])

    def call(self):
        return self.backend.call_views("gemm", self.views)

    def written(self):
        """How many places of C's memory are no longer as they were."""
        buffer = self.tensors[2].buffer
        if self.copies:
            device().synchronize()
            device().download(self.copies[2], buffer)
        return int(np.count_nonzero(buffer != POISON))

    def free(self):
        for copy in self.copies:
            device().free(copy)


def null_pointer(i):
    def spoil(arguments):
        arguments.views[i] = None

    return spoil


def field(i, name, value):
    def spoil(arguments):
        setattr(arguments.views[i], name, value)

    return spoil


def extent(i, dimension, value):
    def spoil(arguments):
        arguments.views[i].extents[dimension] = value

    return spoil


def stride(i, dimension, value):
    def spoil(arguments):
        arguments.views[i].strides[dimension] = value

    return spoil


def off_base(i):
    def spoil(arguments):
        arguments.views[i].data += 2

    return spoil


def all_of(*spoils):
    def spoil(arguments):
        for one in spoils:
            one(arguments)

    return spoil


# What is spoiled, how, and which words the message must hold.
REFUSED = [
    ("A is a null pointer", null_pointer(0), ["A", "null"]),
    ("B is a null pointer", null_pointer(1), ["B", "null"]),
    ("C is a null pointer", null_pointer(2), ["C", "null"]),
    ("A has no memory", field(0, "data", None), ["A", "null"]),
    ("C has no memory", field(2, "data", None), ["C", "null"]),
    ("A has rank 1", field(0, "rank", 1), ["A", "rank 1", "rank 2"]),
    ("B has rank 3", field(1, "rank", 3), ["B", "rank 3", "rank 2"]),
    ("C has rank 0", field(2, "rank", 0), ["C", "rank 0", "rank 2"]),
    ("A has rank -1", field(0, "rank", -1), ["A", "rank -1", "rank 2"]),
    ("A is f16", field(0, "dtype", abi.F16), ["A", "f16", "bf16"]),
    ("C is f32", field(2, "dtype", abi.F32), ["C", "f32", "bf16"]),
    ("B has type 77", field(1, "dtype", 77), ["B", "77", "bf16"]),
    ("A's rows are 65 elements apart", stride(0, 0, 65), ["A", "130", "16"]),
    ("B's rows are 49 elements apart", stride(1, 0, 49), ["B", "98", "16"]),
    ("C's rows are 52 elements apart", stride(2, 0, 52), ["C", "104", "16"]),
    ("A's rows go backwards", stride(0, 0, -64), ["A", "-64"]),
    ("C's rows are one", stride(2, 0, 0), ["C", "stride 0"]),
    ("A's columns are 2 elements apart", stride(0, 1, 2), ["A", "2", "1"]),
    ("B's columns are 0 elements apart", stride(1, 1, 0), ["B", "0", "1"]),
    ("A starts 2 bytes off", off_base(0), ["A", "2 bytes", "16"]),
    ("B starts 2 bytes off", off_base(1), ["B", "2 bytes", "16"]),
    ("C starts 2 bytes off", off_base(2), ["C", "2 bytes", "16"]),
    ("K differs", extent(0, 1, K - 16), ["A", str(K - 16), "B", str(K)]),
    ("M differs", extent(2, 0, M - 16), ["A", str(M), "C", str(M - 16)]),
    ("N differs", extent(1, 1, N - 16), ["B", str(N - 16), "C", str(N)]),
    ("M is negative", all_of(extent(0, 0, -1), extent(2, 0, -1)), ["A", "-1"]),
    ("M is 2^40", all_of(extent(0, 0, 1 << 40), extent(2, 0, 1 << 40)), ["A", str(1 << 40)]),
    # Mathematically C = 0, but a kernel whose tiles never load is more often a mistake of the caller.
    ("K is 0", all_of(extent(0, 1, 0), extent(1, 0, 0)), ["no elements"]),
]

# Nothing to do is not a mistake, whatever the memory is.
NO_OPS = [
    ("M is 0", all_of(extent(0, 0, 0), extent(2, 0, 0))),
    ("N is 0", all_of(extent(1, 1, 0), extent(2, 1, 0))),
    ("all is 0", all_of(*(extent(i, d, 0) for i in range(3) for d in range(2)))),
    ("all is 0, without memory", all_of(*(extent(i, d, 0) for i in range(3) for d in range(2)),
                                        *(field(i, "data", None) for i in range(3)))),
]


def judge(arguments, spoil, words):
    """What is wrong with the answer to one spoiled call; words is None where TK_OK is right."""
    spoil(arguments)
    status = arguments.call()
    message = status.message.decode()
    if words is None and status.code != abi.OK:
        return f"is {status} when it should be ok"
    if words is not None:
        if status.code != abi.INVALID_ARGUMENT:
            return f"is {status} when it should be an invalid argument"
        if not message.startswith("gemm: "):
            return f"does not name the kernel: '{message}'"
        missing = [word for word in words if word not in message]
        if missing:
            return f"does not say {missing}: '{message}'"
    if arguments.written():
        return f"{arguments.written()} elements of C were written"
    return ""


def main():
    options = sweep.parser(__doc__.splitlines()[0]).parse_args()
    failures = 0
    for backend in sweep.open_backends(options):
        cases = REFUSED + [(name, spoil, None) for name, spoil in NO_OPS]
        for extra_stride in (0, 8):
            for name, spoil, words in cases:
                arguments = Arguments(backend, extra_stride)
                problem = judge(arguments, spoil, words)
                arguments.free()
                if problem:
                    failures += 1
                    print(f"FAIL {backend.name}: {name}: {problem}")
        # The case that shows that the rest mean something: unspoiled, the call works and writes.
        arguments = Arguments(backend, 0)
        status = arguments.call()
        if status.code != abi.OK or not arguments.written():
            failures += 1
            print(f"FAIL {backend.name}: good arguments: {status}, {arguments.written()} elements written")
        arguments.free()
        print(f"{backend.name}: {2 * len(cases) + 1} calls")
    print(f"{failures} failures")
    return 1 if failures else 0


sys.exit(main())
