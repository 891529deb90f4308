"""gemm.py - One GEMM of one shape, checked against float64, on any of the backends.

Inputs and outputs are test tensors (tensors.py): wrong elements, elements never written, reads beyond
an extent and writes beyond it are all found here.
"""
import functools
from dataclasses import dataclass

import numpy as np

from .compare import Comparison, Matmul
from .families import Family, Launch, argument
from .tensors import HostTensor


@dataclass(frozen=True)
class Shape:
    m: int
    n: int
    k: int
    padding: int = 0  # elements by which rows are further apart than they need be, a multiple of 8
    batch: int = 0  # of batched matmuls, if not as many as the kernel's family takes

    def __str__(self):
        return f"{self.m}x{self.n}x{self.k}" + (f"+{self.padding}" if self.padding else "") + (f"*{self.batch}" if self.batch else "")

    @staticmethod
    @argument("MxNxK, with '+8' after it for rows 8 elements further apart, '*16' for a batch of 16")
    def parse(text):
        sizes, _, batch = text.partition("*")
        sizes, _, padding = sizes.partition("+")
        m, n, k = (int(size) for size in sizes.split("x"))
        return Shape(m, n, k, int(padding or 0), int(batch or 0))


@dataclass
class Result:
    comparison: Comparison | None
    seconds: float
    problem: str  # empty if all is right


class Gemm:
    """The tensors and the truth of one shape; `check` runs one way and judges it."""

    def __init__(self, shape, seed, kernel="gemm"):
        self.shape = shape
        rng = np.random.default_rng([seed, shape.m, shape.n, shape.k])
        self.a = HostTensor.random(rng, (shape.m, shape.k), shape.padding)
        self.b = HostTensor.random(rng, (shape.k, shape.n), shape.padding)
        self.c = HostTensor((shape.m, shape.n), shape.padding)
        self.inputs = (self.a.buffer.copy(), self.b.buffer.copy())

    @functools.cached_property
    def matmul(self):
        return Matmul(self.a.values(), self.b.values())

    def launches(self, kernel):
        return [Launch(kernel, {"A": self.a, "B": self.b, "C": self.c})]

    def flops(self, kernel):
        return 2.0 * self.shape.m * self.shape.n * self.shape.k

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


# ===-----------------------------------------------------------------------=== #
# The family
# ===-----------------------------------------------------------------------=== #


def edge_shapes(bm, bn, bk):
    """One element, one less and one more than a tile in each dimension, ring lengths around the number of stages, primes, and
    rows that are further apart than they are long."""
    around = [(1, 1, 1), (bm, bn, bk), (bm - 1, bn - 1, bk - 1), (bm + 1, bn + 1, bk + 1)]
    one_edge = [(1, bn, bk), (bm - 1, bn, bk), (bm + 1, bn, bk), (bm, 1, bk), (bm, bn - 1, bk), (bm, bn + 1, bk),
                (bm, bn, 1), (bm, bn, bk - 1), (bm, bn, bk + 1)]
    # The ring has a few stages: fewer k-tiles than that, as many, one more, and around it twice.
    trips = [(bm, bn, bk * trip) for trip in (2, 3, 4, 5, 8, 9)]
    primes = [(2, 3, 5), (7, 11, 13), (61, 67, 71), (127, 257, 131), (251, 509, 193)]
    many_tiles = [(3 * bm, 3 * bn, 2 * bk), (5 * bm + 1, bn, bk), (1, 5 * bn + 1, 3)]
    strided = [(bm, bn, bk, 8), (bm + 1, bn - 1, bk + 1, 64), (61, 67, 71, 200)]
    return [Shape(*sizes) for sizes in around + one_edge + trips + primes + many_tiles + strided]


def mixed_shapes():
    """All mixtures of small and large, divisible and not. The largest truths take a CPU many seconds."""
    extents = (64, 100, 128, 200, 4096, 8192)
    return [Shape(m, n, k) for m in extents for n in extents for k in extents]


def peers(problem, kernel, tensors):
    import torch

    a, b, c = tensors["A"], tensors["B"], tensors["C"]
    return {"torch": lambda: torch.mm(a, b, out=c)}


FAMILY = Family(
    name="gemm",
    kernels=("gemm",),
    example=lambda kernel: "gemm",
    problem=Gemm,
    parse=Shape.parse,
    shapes=lambda kernel: edge_shapes(128, 256, 64),
    more=lambda kernel: mixed_shapes(),
    rows=tuple(("gemm", shape) for shape in ("8192x8192x8192", "4096x4096x4096", *(f"4096x4096x{k}" for k in (64, 128, 256, 512, 1024)))),
    peers=peers,
)
