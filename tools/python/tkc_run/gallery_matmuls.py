"""gallery_matmuls.py - Cases of test/gallery's matmuls and of what is done around them, checked against float64.

A sum of K matmuls in fp32 is off by at most K 2^-23 of its terms' magnitudes (compare.py); results are rounded to bf16.
"""
import ctypes

import numpy as np

from . import abi
from .cases import FP32, Case, Output
from .compare import BF16_ROUNDING, FP32_STEP
from .draws import exact, filled, generator, normal
from .matmuls import silu
from .tensors import HostTensor


def multiply(x, y):
    """The matmul, and what a sum of its terms in fp32 may be off by."""
    return x @ y, x.shape[-1] * FP32_STEP * (np.abs(x) @ np.abs(y))


def all_bytes(rng, extents):
    """Integers of 8 bits, each as likely as any."""
    return HostTensor(extents, dtype=abi.I8).draw(rng, change=lambda numbers: np.floor(numbers * 997 % 256) - 128)


def positive(rng, extents, by=1.0):
    return HostTensor(extents, dtype=abi.F32).draw(rng, by, np.abs)


def gated_mlp(seed, kernel, shape, form):
    """silu(X G) (X U), for (M, K, N)."""
    m, k, n = shape
    rng = generator(seed, kernel, shape)
    x, g, u = normal(rng, (m, k)), normal(rng, (k, n)), normal(rng, (k, n))
    h = Output(HostTensor((m, n)))

    def solve():
        xs, gs, us = exact(x, g, u)
        (gate, of_gate), (up, of_up) = multiply(xs, gs), multiply(xs, us)
        truth = silu(gate) * up
        error = 1.1 * of_gate * np.abs(up) + np.abs(silu(gate)) * of_up + FP32 * (np.abs(gate) + 1) * np.abs(up)
        h.expect(truth, BF16_ROUNDING * np.abs(truth) + error + 1e-6)

    return Case({"X": x, "G": g, "U": u, "H": h}, solve=solve, work=4.0 * m * k * n)


def few_rows(seed, kernel, shape, form):
    """A B, for (M, K, N)."""
    m, k, n = shape
    rng = generator(seed, kernel, shape)
    a, b, c = normal(rng, (m, k)), normal(rng, (k, n)), Output(HostTensor((m, n)))

    def solve():
        truth, error = multiply(*exact(a, b))
        c.expect(truth, BF16_ROUNDING * np.abs(truth) + error + 1e-6)

    return Case({"A": a, "B": b, "C": c}, solve=solve, work=2.0 * m * k * n)


def norm_and_matmul(seed, kernel, shape, form):
    """rmsnorm(X) W, for (M, K, N)."""
    m, k, n = shape
    rng = generator(seed, kernel, shape)
    x, w, y, eps = normal(rng, (m, k)), normal(rng, (k, n)), Output(HostTensor((m, n))), np.float32(1e-5)

    def solve():
        xs, ws = exact(x, w)
        truth, error = multiply(xs / np.sqrt((xs**2).mean(axis=1, keepdims=True) + float(eps)), ws)
        y.expect(truth, (BF16_ROUNDING + FP32 + k * FP32_STEP) * np.abs(truth) + error + 1e-6)

    return Case({"X": x, "W": w, "Y": y}, [ctypes.c_float(eps)], solve, 2.0 * m * k * n)


def weights_of_8_bits(seed, kernel, shape, form):
    """The transpose of X (W scale), for (M, K, N)."""
    m, k, n = shape
    rng = generator(seed, kernel, shape)
    x, w, scale, y = normal(rng, (m, k)), all_bytes(rng, (n, k)), positive(rng, (n,)), Output(HostTensor((n, m)))

    def solve():
        xs, ws, scales = exact(x, w, scale)
        truth, error = multiply(ws * scales[:, None], xs.T)
        y.expect(truth, (BF16_ROUNDING + FP32) * np.abs(truth) + error + 1e-6)

    return Case({"X": x, "W": w, "Scale": scale, "Yt": y}, solve=solve, work=2.0 * m * k * n)


def halves_of_bytes(packed):
    """Two numbers of 4 bits in a byte, the low half first."""
    numbers = packed.astype(int)
    return np.stack([(numbers & 15) - 8, (numbers >> 4 & 15) - 8], 2).reshape(len(numbers), -1)


def weights_of_4_bits(seed, kernel, shape, form):
    """The same of weights of 4 bits, 64 of which share a scale, for (M, K, N); K is even."""
    m, k, n = shape
    rng = generator(seed, kernel, shape)
    x, w, scale = normal(rng, (m, k)), all_bytes(rng, (n, k // 2)), positive(rng, (-(-k // 64), n))
    y = Output(HostTensor((n, m)))

    def solve():
        xs, scales = exact(x, scale)
        weights = halves_of_bytes(w.values()) * np.repeat(scales.T, 64, axis=1)[:, :k]
        truth, error = multiply(weights, xs.T)
        y.expect(truth, BF16_ROUNDING * (np.abs(truth) + np.abs(weights) @ np.abs(xs.T)) + error + 1e-6)

    return Case({"X": x, "W": w, "Scale": scale, "Yt": y}, solve=solve, work=2.0 * m * k * n)


def matmul_of_bytes(seed, kernel, shape, form):
    """A B^T with a scale for each row and column; its sums are exact. For (M, K, N)."""
    m, k, n = shape
    rng = generator(seed, kernel, shape)
    a, b, of_a, of_b = all_bytes(rng, (m, k)), all_bytes(rng, (n, k)), positive(rng, (m,), 1e-3), positive(rng, (n,))
    c = Output(HostTensor((m, n)))

    def solve():
        rows, columns, of_rows, of_columns = exact(a, b, of_a, of_b)
        truth = rows @ columns.T * of_rows[:, None] * of_columns
        c.expect(truth, (BF16_ROUNDING + FP32) * np.abs(truth) + 1e-9)

    return Case({"A": a, "B": b, "SA": of_a, "SB": of_b, "C": c}, solve=solve, work=2.0 * m * k * n)


def loss_without_logits(seed, kernel, shape, form):
    """Of parts of the vocabulary: the largest logit and the sum of exponentials beside it; of each row, the target's logit, added
    to what was there. For (M, K, vocabulary, parts)."""
    m, k, vocabulary, parts = shape
    rng = generator(seed, kernel, shape)
    x, w = normal(rng, (m, k), 0.125), normal(rng, (vocabulary, k), 0.125)
    target = filled(rng.integers(0, vocabulary, m), abi.I32)
    best, total = (Output(HostTensor((parts, m), dtype=abi.F32)) for _ in range(2))
    hit = Output(HostTensor((m,), dtype=abi.F32), before=np.zeros(m, np.float32))
    share = -(-(-(-vocabulary // 256)) // parts)  # blocks of a part

    def solve():
        logits, error = multiply(*(values if i == 0 else values.T for i, values in enumerate(exact(x, w))))
        worst = error.max(axis=1)
        of_best, of_total = np.full((parts, m), -np.inf), np.zeros((parts, m))
        for part, of_part in enumerate(np.split(logits, range(256 * share, 256 * share * parts, 256 * share), axis=1)):
            if of_part.shape[1]:
                of_best[part] = of_part.max(axis=1)
                of_total[part] = np.exp(of_part - of_best[part][:, None]).sum(axis=1)
        rows, wanted = np.arange(m), target.values().astype(int)
        best.expect(of_best, worst + FP32 * np.abs(np.where(np.isinf(of_best), 0, of_best)) + 1e-9)
        total.expect(of_total, of_total * (2 * worst + FP32) + 1e-9)
        hit.expect(logits[rows, wanted], error[rows, wanted] + 1e-9)

    tensors = {"X": x, "W": w, "Target": target, "Max": best, "Sum": total, "Hit": hit}
    return Case(tensors, [ctypes.c_int32(share)], solve, 2.0 * m * k * vocabulary)


def matrix_vector(seed, kernel, shape, form):
    """W x, for (N, K): memory takes the time."""
    n, k = shape
    rng = generator(seed, kernel, shape)
    w, x, y = normal(rng, (n, k)), normal(rng, (k,)), Output(HostTensor((n,), dtype=abi.F32))

    def solve():
        truth, error = multiply(*exact(w, x))
        y.expect(truth, error + 1e-9)

    return Case({"W": w, "X": x, "Y": y}, solve=solve)
