"""gallery_sequences.py - Cases of test/gallery's attention and recurrence, checked against float64."""
import ctypes

import numpy as np

from .attention import SCORE_STEP, attend
from .cases import FP32, Case, Output
from .compare import BF16_ROUNDING
from .draws import exact, filled, generator, normal
from .recurrences import DECAY
from .tensors import HostTensor

HEAD = 64


def attention_bias(seed, kernel, shape, form):
    """Attention with a bias of the scores that batches share, for (batch, heads, rows)."""
    batch, heads, rows = shape
    rng = generator(seed, kernel, shape)
    q, k, v = (normal(rng, (*shape, HEAD)) for _ in range(3))
    bias, o, scale = normal(rng, (heads, rows, rows)), Output(HostTensor(q.extents)), 0.125

    def solve():
        qs, ks, vs, biases = exact(q, k, v, bias)
        of_all = attend(qs, ks, vs, scale, lambda scores: scores + biases)
        longest = np.sqrt((qs**2).sum(-1)).max() * np.sqrt((ks**2).sum(-1)).max()
        error = SCORE_STEP * (1.5 * scale * longest + np.abs(biases).max())
        o.expect(of_all.o, BF16_ROUNDING * np.abs(of_all.o) + (BF16_ROUNDING + error + FP32) * of_all.magnitude + 1e-6)

    return Case({"Q": q, "K": k, "V": v, "B": bias, "O": o}, [ctypes.c_float(scale)], solve, 4.0 * batch * heads * rows * rows * HEAD)


def few_queries(seed, kernel, shape, form):
    """Attention of all rows of Q to all rows of K, for (rows, keys)."""
    rows, keys = shape
    rng = generator(seed, kernel, shape)
    q, k, v = normal(rng, (rows, HEAD)), normal(rng, (keys, HEAD)), normal(rng, (keys, HEAD))
    o, scale = Output(HostTensor(q.extents)), 0.125

    def solve():
        qs, ks, vs = exact(q, k, v)
        of_all = attend(qs[None, None], ks[None, None], vs[None, None], scale, lambda scores: scores)
        longest = np.sqrt((qs**2).sum(-1)).max() * np.sqrt((ks**2).sum(-1)).max()
        error = SCORE_STEP * 1.5 * scale * longest
        truth, magnitude = of_all.o[0, 0], of_all.magnitude[0, 0]
        o.expect(truth, BF16_ROUNDING * np.abs(truth) + (BF16_ROUNDING + error + FP32) * magnitude + 1e-6)

    # The kernel's factor is of powers of two.
    return Case({"Q": q, "K": k, "V": v, "O": o}, [ctypes.c_float(scale * np.log2(np.e))], solve, 4.0 * rows * keys * HEAD)


def delta_rule(seed, kernel, shape, form):
    """The recurrence S = S + beta k^T (v - k S), o = q S, for (batch, heads, rows)."""
    rng = generator(seed, kernel, shape)
    q, v = normal(rng, (*shape, HEAD), 0.125), normal(rng, (*shape, HEAD))
    k = HostTensor((*shape, HEAD)).draw(rng, change=lambda numbers: unit(numbers))
    beta, o = filled(rng.random(shape)), Output(HostTensor(v.extents))

    def solve():
        qs, ks, vs, betas = exact(q, k, v, beta)
        state = np.zeros((*shape[:2], HEAD, HEAD))
        magnitude, truth, allowed = np.zeros(state.shape), np.empty(vs.shape), np.empty(vs.shape)
        read = lambda x, state: np.einsum("bhd,bhde->bhe", x, state)
        for t in range(shape[2]):
            key, step = ks[:, :, t, :, None], betas[:, :, t, None]
            magnitude += np.abs(key) * (step * (np.abs(vs[:, :, t]) + read(np.abs(ks[:, :, t]), np.abs(state))))[:, :, None]
            state = state + key * (step * (vs[:, :, t] - read(ks[:, :, t], state)))[:, :, None]
            truth[:, :, t] = read(qs[:, :, t], state)
            # As in recurrences.py's gated_delta.
            allowed[:, :, t] = read(np.abs(qs[:, :, t]), magnitude) * (4 * BF16_ROUNDING + DECAY)
        o.expect(truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)

    return Case({"Q": q, "K": k, "V": v, "Beta": beta, "O": o}, solve=solve)


def unit(numbers):
    """Rows of a head's size and of length 1."""
    rows = numbers.reshape(-1, HEAD)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).ravel()
