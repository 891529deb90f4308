"""feature_maps.py - based.tk and hedgehog.tk, checked against attention with their weights in float64."""
import ctypes

import numpy as np

from . import abi
from .cases import FP32, Case, Output
from .compare import BF16_ROUNDING
from .draws import exact, filled, generator, normal
from .tensors import HostTensor, SwappedTensor


def of_based(x):
    """The features of rows of 16."""
    pairs = np.stack([x * np.roll(x, -d, axis=-1) for d in range(1, 9)], axis=-2)
    pairs[..., 7, 8:] = 0
    pairs[..., 7, 8] = 1
    return np.concatenate([pairs.reshape(*x.shape[:-1], 128), x * x / np.sqrt(2), x], axis=-1)


def based(seed, kernel, shape, scale):
    """Attention with the weights 1 + s + s^2 / 2 of all positions up to one's own, for (batch, heads, length)."""
    batch, heads, length = shape
    rng = generator(seed, kernel, shape)
    q, k, v = (normal(rng, (*shape, width), kind=SwappedTensor) for width in (16, 16, 64))
    outputs, last = Output(SwappedTensor(v.extents)), Output(HostTensor((batch, heads, 64, 160), dtype=abi.F32))

    def solve():
        qs, ks, vs = exact(q, k, v)
        weights = lambda q, k: np.tril(1 + (s := scale * q @ k.swapaxes(2, 3)) + s * s / 2)
        truth = weights(qs, ks) @ vs
        # Weights within the chunk, or features and the states before it, are rounded.
        allowed = weights(np.abs(qs), np.abs(ks)) @ np.abs(vs) * (2 * BF16_ROUNDING + FP32) + BF16_ROUNDING * np.abs(truth)
        outputs.expect(truth, allowed + 1e-6)
        error = np.abs(vs).swapaxes(2, 3) @ np.abs(of_based(ks)) * (BF16_ROUNDING + length * 2.0**-23)
        last.expect(vs.swapaxes(2, 3) @ of_based(ks), error + 1e-6)

    return Case({"Q": q, "K": k, "V": v, "O": outputs, "Last": last}, [ctypes.c_float(scale)], solve)


def softmax(x):
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


def of_hedgehog(x, m):
    return np.concatenate([softmax(x @ m), softmax(-x @ m)], axis=-1)


def hedgehog(seed, kernel, shape, chunk):
    """Softmax in a window of two chunks and features of all older keys, for (batch, heads, length)."""
    batch, heads, length = shape
    rng = generator(seed, kernel, shape)
    q, k, v = (normal(rng, (*shape, 128), kind=SwappedTensor) for _ in range(3))
    map_q, map_k = (normal(rng, (heads, 128, 64), 0.15) for _ in range(2))
    a, b = (filled(np.resize(values, heads)) for values in ([3, 0.1, 1], [0.3, 1, 0.01]))
    outputs = Output(SwappedTensor(v.extents))
    state, sums = (Output(HostTensor((batch, heads, *extents), dtype=abi.F32)) for extents in ((128, 128), (128,)))
    scale = 128**-0.5

    def solve():
        qs, ks, vs, of_q, of_k, alpha, beta = exact(q, k, v, map_q, map_k, a, b)
        of_queries, of_keys = of_hedgehog(qs, of_q), of_hedgehog(ks, of_k)
        at = np.arange(length) // chunk
        ago = at[:, None] - at
        scores = np.where(np.tril(ago <= 1), scale * qs @ ks.swapaxes(2, 3), -np.inf)
        weights = beta[:, None, None] * np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights += np.where(ago > 1, alpha[:, None, None] * of_queries @ of_keys.swapaxes(2, 3), 0)
        weights /= weights.sum(axis=-1, keepdims=True)
        truth = weights @ vs
        # Exponentials, or features of both and the states, are rounded.
        outputs.expect(truth, weights @ np.abs(vs) * (3 * BF16_ROUNDING + FP32) + 3 * BF16_ROUNDING * np.abs(truth) + 1e-6)
        old = of_keys[:, :, : max(0, length - 1) // chunk * chunk]
        known, rounding = vs[:, :, : old.shape[2]], BF16_ROUNDING + length * 2.0**-23
        state.expect(old.swapaxes(2, 3) @ known, old.swapaxes(2, 3) @ np.abs(known) * rounding + 1e-6)
        sums.expect(old.sum(axis=2), old.sum(axis=2) * rounding + 1e-6)

    return Case({"Q": q, "K": k, "V": v, "O": outputs, "MapQ": map_q, "MapK": map_k, "State": state, "Sums": sums, "Alpha": a, "Beta": b},
                [ctypes.c_float(scale)], solve)
