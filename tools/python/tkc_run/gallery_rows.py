"""gallery_rows.py - Cases of test/gallery's kernels of rows, columns and elements, checked against float64."""
import ctypes

import numpy as np

from . import abi
from .cases import FP32, Case, Output
from .compare import BF16_ROUNDING, FP32_STEP, Comparison
from .draws import exact, filled, generator, normal
from .matmuls import gelu
from .tensors import HostTensor


class Places(Output):
    """Columns, one a row, whose values must be the best: of values that are as good within `allowed` any will do."""

    def expect_best(self, values, best, allowed):
        self.expect(best, allowed)
        self.values = values

    def compare(self, name):
        places = self.tensor.values().astype(int)
        inside = (places >= 0) & (places < self.values.shape[1])
        found = self.values[np.arange(len(places)), np.where(inside, places, 0)]
        error = np.where(inside, np.abs(found - self.truth), np.inf)
        ratio, problem = error / self.allowed, ""
        if (ratio > 1).any():
            at = int(np.argmax(ratio > 1))
            problem = (f"{np.count_nonzero(ratio > 1)} of {len(places)} elements of {name} are wrong, the first at [{at}]: column "
                       f"{places[at]}, which does not hold {self.truth[at]:.6g} +- {self.allowed[at]:.2g}")
        return Comparison(float(ratio.max()), float(error.max()), float(np.linalg.norm(error)), problem)


def cross_entropy(seed, kernel, shape, form):
    """The logarithm of a row's sum of exponentials less its target, for (rows, vocabulary)."""
    rows, vocabulary = shape
    rng = generator(seed, kernel, shape)
    x, target = normal(rng, shape), filled(rng.integers(0, vocabulary, rows), abi.I32)
    loss = Output(HostTensor((rows,), dtype=abi.F32))

    def solve():
        logits = exact(x)
        best = logits.max(axis=1)
        sums = best + np.log(np.exp(logits - best[:, None]).sum(axis=1))
        wanted = logits[np.arange(rows), target.values().astype(int)]
        loss.expect(sums - wanted, FP32 * (np.abs(sums) + np.abs(wanted) + 1) + vocabulary * FP32_STEP)

    return Case({"X": x, "Target": target, "Loss": loss}, solve=solve)


def argmax(seed, kernel, shape, form):
    """The largest element of each row, and the first column that holds it, for (rows, columns)."""
    rng = generator(seed, kernel, shape)
    x, best, where = normal(rng, shape), Output(HostTensor(shape[:1], dtype=abi.F32)), Output(HostTensor(shape[:1], dtype=abi.I32))

    def solve():
        values = exact(x)
        best.expect(values.max(axis=1), np.full(shape[0], 1e-30))
        where.expect(values.argmax(axis=1).astype(np.float64), np.full(shape[0], 1e-30))

    return Case({"X": x, "Best": best, "Where": where}, solve=solve)


def nearest_centre(seed, kernel, shape, form):
    """The nearest of the centres to each point, and its squared distance less the point's, for (points, centres)."""
    points, centres = shape
    rng = generator(seed, kernel, shape)
    x, c = normal(rng, (points, 64)), normal(rng, (centres, 64))
    norm = filled((exact(c) ** 2).sum(axis=1))
    distance, where = Output(HostTensor((points,), dtype=abi.F32)), Places(HostTensor((points,), dtype=abi.I32))

    def solve():
        xs, cs, norms = exact(x, c, norm)
        distances = norms - 2 * xs @ cs.T
        error = (64 * FP32_STEP * 2 * np.abs(xs) @ np.abs(cs.T) + FP32 * (np.abs(distances) + norms)).max(axis=1)
        distance.expect(distances.min(axis=1), error)
        where.expect_best(distances, distances.min(axis=1), 2 * error)

    return Case({"X": x, "C": c, "Norm": norm, "Distance": distance, "Where": where}, solve=solve, work=2.0 * points * centres * 64)


def halves_of_rows(seed, kernel, shape, form):
    """gelu of the left half of X times the right one, for (rows, columns of Y), which are a multiple of 64."""
    rows, columns = shape
    x, y = normal(generator(seed, kernel, shape), (rows, 2 * columns)), Output(HostTensor(shape))

    def solve():
        left, right = np.split(exact(x), 2, axis=1)
        truth = gelu(left) * right
        y.expect(truth, BF16_ROUNDING * np.abs(truth) + FP32 * (np.abs(left) + 1) * np.abs(right) + 1e-6)

    return Case({"X": x, "Y": y}, solve=solve)


def long_rows(seed, kernel, shape, form):
    """X over the root of its rows' mean square, times a weight, for (rows, columns)."""
    rng = generator(seed, kernel, shape)
    x, weight, y, eps = normal(rng, shape), normal(rng, shape[1:]), Output(HostTensor(shape)), np.float32(1e-5)

    def solve():
        xs, ws = exact(x, weight)
        truth = xs / np.sqrt((xs**2).mean(axis=1, keepdims=True) + float(eps)) * ws
        y.expect(truth, (BF16_ROUNDING + FP32 + shape[1] * FP32_STEP) * np.abs(truth) + 1e-6)

    return Case({"X": x, "Weight": weight, "Y": y}, [ctypes.c_float(eps)], solve)


def transposed(seed, kernel, shape, form):
    """X^T, bit by bit, for (rows, columns)."""
    x, y = normal(generator(seed, kernel, shape), shape), Output(HostTensor(shape[::-1]))
    return Case({"X": x, "Y": y}, solve=lambda: y.expect(exact(x).T, np.full(shape[::-1], 1e-30)))


def adam(seed, kernel, shape, form):
    """A step of Adam in place, for (rows, columns)."""
    rng = generator(seed, kernel, shape)
    state = [HostTensor(shape, dtype=abi.F32).draw(rng, change=change) for change in (lambda v: v, lambda v: v, np.abs)]
    g = normal(rng, shape)
    p, m, v = (Output(tensor, before=tensor.values()) for tensor in state)
    rate, b1, b2, eps, step = np.float32(1e-3), np.float32(0.9), np.float32(0.999), np.float32(1e-8), 10

    def solve():
        ps, ms, vs, gs = p.before, m.before, v.before, exact(g)
        ps, ms, vs = (values.astype(np.float64) for values in (ps, ms, vs))
        one, two = float(b1), float(b2)
        mean, variance = one * ms + (1 - one) * gs, two * vs + (1 - two) * gs**2
        change = float(rate) * (mean / (1 - one**step)) / (np.sqrt(variance / (1 - two**step)) + float(eps))
        of_mean = FP32 * (np.abs(ms) + np.abs(gs))
        m.expect(mean, of_mean + 1e-30)
        v.expect(variance, FP32 * (vs + gs**2) + 1e-30)
        # 1 - b2^step is a hundredth of its terms, which an exponential and a logarithm approximate.
        size = np.abs(change) * 2.0**-12 + float(rate) * of_mean / (1 - one**step) / (np.sqrt(variance / (1 - two**step)) + float(eps))
        p.expect(ps - change, FP32 * np.abs(ps) + size)

    tensors = {"P": p, "G": g, "M": m, "V": v}
    return Case(tensors, [*map(ctypes.c_float, (rate, b1, b2, eps)), ctypes.c_int32(step)], solve)
