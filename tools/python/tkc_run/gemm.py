"""gemm.py - One GEMM of one shape, checked against float64, in any of the ways.

Inputs and outputs are test tensors (tensors.py): wrong elements, elements never written, reads beyond
an extent and writes beyond it are all found here.
"""
from dataclasses import dataclass

import numpy as np

from .compare import Comparison, Matmul
from .tensors import HostTensor


@dataclass(frozen=True)
class Shape:
    m: int
    n: int
    k: int
    padding: int = 0  # elements by which rows are further apart than they need be, a multiple of 8

    def __str__(self):
        return f"{self.m}x{self.n}x{self.k}" + (f"+{self.padding}" if self.padding else "")


@dataclass
class Result:
    comparison: Comparison | None
    seconds: float
    problem: str  # empty if all is right


class Gemm:
    """The tensors and the truth of one shape; `check` runs one way and judges it."""

    def __init__(self, shape, seed):
        rng = np.random.default_rng([seed, shape.m, shape.n, shape.k])
        self.a = HostTensor.random(rng, (shape.m, shape.k), shape.padding)
        self.b = HostTensor.random(rng, (shape.k, shape.n), shape.padding)
        self.c = HostTensor((shape.m, shape.n), shape.padding)
        self.inputs = (self.a.buffer.copy(), self.b.buffer.copy())
        self.matmul = Matmul(self.a.values(), self.b.values())

    def check(self, backend, kernel="gemm"):
        self.c.poison()
        status = backend.call(kernel, [self.a, self.b, self.c])
        if status.code:
            return Result(None, backend.seconds, str(status))
        for name, tensor, before in zip("AB", (self.a, self.b), self.inputs):
            if not np.array_equal(tensor.buffer, before):
                return Result(None, backend.seconds, f"{name} was written to")
        stray = self.c.stray_writes()
        if stray:
            return Result(None, backend.seconds, f"{stray} places outside the elements of C were written")
        unwritten = self.c.unwritten()
        if unwritten:
            return Result(None, backend.seconds, f"{unwritten} elements of C were never written")
        comparison = self.matmul.compare(self.c.values())
        return Result(comparison, backend.seconds, comparison.problem)
