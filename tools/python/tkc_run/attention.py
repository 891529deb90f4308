"""attention.py - One attention forward of one shape, checked against float64, in any of the ways.

The truth is numpy in float64 on the same bf16 inputs. A right result differs from it because O is
rounded to bf16 (2^-8 of its value), because the probabilities are rounded to bf16 before they multiply V
(2^-8 of each term), and because scores are sums in fp32 whose errors, relative to the largest score,
become relative errors of the exponentials.
"""
import ctypes
import zlib
from dataclasses import dataclass

import numpy as np

from . import abi
from .compare import BF16_ROUNDING, Comparison
from .tensors import HostTensor

# The instances of dsl-examples/attention.tk: head size, causal, rows and keys of a tile.
KERNELS = {
    "attention": (128, False, 128, 128),
    "attention_causal": (128, True, 128, 128),
    "attention_64": (64, False, 256, 64),  # chooses between the next two
    "attention_64_false_256_64": (64, False, 256, 64),
    "attention_64_false_192_128": (64, False, 192, 128),
    "attention_64_causal": (64, True, 256, 64),  # and these
    "attention_64_true": (64, True, 256, 64),
    "attention_64_true_192_128": (64, True, 192, 128),
}
SCORE_STEP = 2.0**-18  # of the largest score, in powers of two: sums of up to 256 products, and one fma


@dataclass(frozen=True)
class Shape:
    batch: int
    heads: int
    key_heads: int
    rows: int
    keys: int
    query_scale: float = 1.0

    def __str__(self):
        scale = f"@{self.query_scale:g}" if self.query_scale != 1 else ""
        return f"{self.batch}x{self.heads}/{self.key_heads}x{self.rows}x{self.keys}{scale}"

    @staticmethod
    def parse(text):
        """'1x4/2x128x256', with '@6' behind it for queries six times as large."""
        sizes, _, scale = text.partition("@")
        batch, heads, rows, keys = sizes.split("x")
        heads, _, key_heads = heads.partition("/")
        return Shape(int(batch), int(heads), int(key_heads or heads), int(rows), int(keys), float(scale or 1))


@dataclass
class Result:
    comparison: Comparison | None
    seconds: float
    problem: str  # empty if all is right


def attend(q, k, v, scale, causal):
    """O, the log of the sum of exponentials, and the sum of |p v|, in float64; a row that sees no key is zero."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = q @ k.swapaxes(2, 3) * scale
    rows, keys = scores.shape[2:]
    if causal:
        scores = np.where(np.tri(rows, keys, keys - rows, dtype=bool), scores, -np.inf)
    best = scores.max(axis=3, keepdims=True)
    p = np.exp(scores - np.where(np.isinf(best), 0, best))
    total = p.sum(axis=3, keepdims=True)
    seen = total > 0
    p = np.divide(p, total, where=seen, out=np.zeros_like(p))
    with np.errstate(divide="ignore"):
        return p @ v, (np.log(total) + np.where(seen, best, 0))[..., 0], p @ np.abs(v)


class Attention:
    """The tensors and the truth of one shape; `check` runs one way and judges it."""

    def __init__(self, shape, seed, kernel="attention"):
        self.head, self.causal, *_ = KERNELS[kernel]
        sizes = (shape.batch, shape.heads, shape.key_heads, shape.rows, shape.keys)
        rng = np.random.default_rng([seed, zlib.crc32(kernel.encode()), *sizes])
        self.scale = float(np.float32(self.head**-0.5))
        draw = lambda heads, rows, by: self.random(rng, (shape.batch, heads, rows, self.head), by)
        self.q = draw(shape.heads, shape.rows, shape.query_scale)
        self.k = draw(shape.key_heads, shape.keys, 1)
        self.v = draw(shape.key_heads, shape.keys, 1)
        self.o = HostTensor(self.q.extents)
        self.l = HostTensor(self.q.extents[:3], dtype=abi.F32)
        self.inputs = [tensor.buffer.copy() for tensor in (self.q, self.k, self.v)]
        q, k, v = (tensor.values().astype(np.float64) for tensor in (self.q, self.k, self.v))
        self.truth, self.sums, magnitude = attend(q, k, v, self.scale, self.causal)
        largest = 1.5 * self.scale * np.sqrt((q**2).sum(axis=3)).max() * np.sqrt((k**2).sum(axis=3)).max()
        self.allowed = BF16_ROUNDING * np.abs(self.truth) + (BF16_ROUNDING + SCORE_STEP * largest) * magnitude + 1e-6
        self.allowed_sums = SCORE_STEP * largest + 2.0**-20 * np.abs(np.where(np.isinf(self.sums), 0, self.sums)) + 1e-6

    @staticmethod
    def random(rng, extents, by):
        tensor = HostTensor(extents)
        tensor.set(np.float32(by) * rng.standard_normal(extents, dtype=np.float32))
        return tensor

    def check(self, way, kernel="attention"):
        self.o.poison()
        self.l.poison()
        tensors = [self.q, self.k, self.v, self.o, self.l]
        status = way.call(kernel, tensors, [ctypes.c_float(self.scale)])
        if status.code:
            return Result(None, way.seconds, str(status))
        for name, tensor, before in zip("QKV", tensors, self.inputs):
            if not np.array_equal(tensor.buffer, before):
                return Result(None, way.seconds, f"{name} was written to")
        for name, tensor in (("O", self.o), ("L", self.l)):
            if stray := tensor.stray_writes():
                return Result(None, way.seconds, f"{stray} places outside the elements of {name} were written")
            if unwritten := tensor.unwritten():
                return Result(None, way.seconds, f"{unwritten} elements of {name} were never written")
        comparison = self.compare(self.o.values(), self.truth, self.allowed, "O")
        sums = self.compare(self.l.values(), self.sums, self.allowed_sums, "L")
        comparison.problem = comparison.problem or sums.problem
        return Result(comparison, way.seconds, comparison.problem)

    @staticmethod
    def compare(result, truth, allowed, name):
        result = result.astype(np.float64)
        with np.errstate(invalid="ignore"):
            error = np.where(result == truth, 0.0, np.abs(result - truth))  # two infinities are equal
        ratio = error / allowed
        wrong = ~(ratio <= 1)  # a NaN is wrong too
        problem = ""
        if wrong.any():
            place = tuple(np.argwhere(wrong)[0])
            problem = (
                f"{np.count_nonzero(wrong)} of {wrong.size} elements of {name} are wrong, the first at "
                f"{list(map(int, place))}: {result[place]:.6g} when it should be {truth[place]:.6g} +- {allowed[place]:.2g}"
            )
        return Comparison(float(np.nanmax(ratio)), float(np.nanmax(error)), float(np.linalg.norm(error)), problem)
