"""recurrences.py - The examples whose state is updated position by position, checked against the recurrence in float64.

The definitions are the sequential ones, not the chunks in which the kernels compute; what an element may differ by is the
rounding of the kernel's bf16 values, and a few units of fp32.
"""
import ctypes

import numpy as np

from . import abi
from .cases import FP32, Case, Output
from .compare import BF16_ROUNDING
from .draws import exact, filled, generator, normal
from .tensors import HostTensor, SwappedTensor

DECAY = 2.0**-11  # a power of two whose exponent, a sum of a chunk's, is below 4096


def decays(heads):
    """Logarithms to the base 2, of heads that keep nearly all, half and next to nothing of what they know."""
    return filled(np.resize([-0.01, -1, -30], heads))


def linear_attention(seed, kernel, shape, size):
    """The recurrence S = a S + k^T v, o = q S, for (batch, heads, length)."""
    batch, heads, length = shape
    head, has_decay = size
    rng = generator(seed, kernel, shape)
    q, k, v = (normal(rng, (*shape, head), head**-0.25) for _ in range(3))
    first = normal(rng, (batch, heads, head, head), dtype=abi.F32)
    logs = decays(heads) if has_decay else filled(np.zeros(heads))
    outputs, last = Output(HostTensor(q.extents)), Output(HostTensor(first.extents, dtype=abi.F32))

    def solve():
        qs, ks, vs, state, log = exact(q, k, v, first, logs)
        keeps = 2.0 ** log[:, None, None]
        magnitude, truth, allowed = np.abs(state), np.empty(qs.shape), np.empty(qs.shape)
        for t in range(length):
            step = ks[:, :, t, :, None] * vs[:, :, t, None, :]
            state, magnitude = keeps * state + step, keeps * magnitude + np.abs(step)
            truth[:, :, t] = np.einsum("bhd,bhde->bhe", qs[:, :, t], state)
            # Scores within the chunk, the state before it and what decays are rounded.
            allowed[:, :, t] = np.einsum("bhd,bhde->bhe", np.abs(qs[:, :, t]), magnitude) * ((1 + has_decay) * BF16_ROUNDING + FP32)
        outputs.expect(truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
        last.expect(state, ((length + 1) * 2.0**-23 + has_decay * (BF16_ROUNDING + FP32)) * magnitude + 1e-6)

    return Case({"Q": q, "K": k, "V": v, "O": outputs, "First": first, "Last": last, "Log": logs}, solve=solve)


def linear_attention_varlen(seed, kernel, shape, head):
    """As linear_attention with decay, for (heads, lengths of sequences that follow one another ...)."""
    heads, *lengths = shape
    rng = generator(seed, kernel, shape)
    starts, extents = np.cumsum([0, *lengths]), (heads, sum(lengths), head)
    q, k, v = (normal(rng, extents, head**-0.25) for _ in range(3))
    first, logs = normal(rng, (len(lengths), heads, head, head), dtype=abi.F32), decays(heads)
    outputs, last = Output(HostTensor(extents)), Output(HostTensor(first.extents, dtype=abi.F32))

    def solve():
        qs, ks, vs, states, log = exact(q, k, v, first, logs)
        keeps = 2.0 ** log[:, None, None]
        truth, allowed, error = np.empty(extents), np.empty(extents), np.empty(states.shape)
        for b, (begin, end) in enumerate(zip(starts, starts[1:])):
            state, magnitude = states[b], np.abs(states[b])
            for t in range(begin, end):
                step = ks[:, t, :, None] * vs[:, t, None, :]
                state, magnitude = keeps * state + step, keeps * magnitude + np.abs(step)
                truth[:, t] = np.einsum("hd,hde->he", qs[:, t], state)
                allowed[:, t] = np.einsum("hd,hde->he", np.abs(qs[:, t]), magnitude) * (2 * BF16_ROUNDING + FP32)
            states[b], error[b] = state, ((end - begin + 1) * 2.0**-23 + BF16_ROUNDING + FP32) * magnitude
        outputs.expect(truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
        last.expect(states, error + 1e-6)

    return Case({"Q": q, "K": k, "V": v, "Starts": filled(starts, abi.I32), "O": outputs, "First": first, "Last": last, "Log": logs},
                solve=solve)


def linear_attention_backward(seed, kernel, shape, head):
    """The gradient of V, or of K, and of the state before in linear_attention with decay, for (batch, heads, length, 0 or 1)."""
    *sizes, of_keys = shape
    length = sizes[2]
    rng = generator(seed, kernel, shape)
    q, k, d, v = (normal(rng, (*sizes, head), head**-0.25) for _ in range(4))
    after = normal(rng, (*sizes[:2], head, head), dtype=abi.F32)  # of the last state, (D, E), or (E, D) for K
    logs = decays(sizes[1])
    outputs, before = Output(HostTensor(q.extents)), Output(HostTensor(after.extents, dtype=abi.F32))

    def solve():
        qs, ks, ds, vs, gradient, log = exact(q, k, d, v, after, logs)
        keeps = 2.0 ** log[:, None, None]
        # With S_t = a S_(t-1) + k_t^T v_t and o_t = q_t S_t, the gradient of S_t is that of what S_t goes into.
        gradient = gradient.swapaxes(2, 3) if of_keys else gradient
        magnitude = np.abs(gradient)
        truth, allowed = np.empty(qs.shape), np.empty(qs.shape)
        for t in reversed(range(length)):
            step = qs[:, :, t, :, None] * ds[:, :, t, None, :]
            gradient, magnitude = gradient + step, magnitude + np.abs(step)
            form, other = ("bhde,bhe->bhd", vs) if of_keys else ("bhde,bhd->bhe", ks)
            truth[:, :, t] = np.einsum(form, gradient, other[:, :, t])
            allowed[:, :, t] = np.einsum(form, magnitude, np.abs(other[:, :, t])) * (2 * BF16_ROUNDING + FP32)
            gradient, magnitude = keeps * gradient, keeps * magnitude
        if of_keys:
            gradient, magnitude = gradient.swapaxes(2, 3), magnitude.swapaxes(2, 3)
        outputs.expect(truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
        before.expect(gradient, ((length + 1) * 2.0**-23 + BF16_ROUNDING + FP32) * magnitude + 1e-6)

    operands = {"Q": v, "K": d, "V": q} if of_keys else {"Q": k, "K": q, "V": d}
    return Case({**operands, "O": outputs, "After": after, "Before": before, "Log": logs}, solve=solve)


def mamba2(seed, kernel, shape, size):
    """The recurrence H = exp(A dt) H + dt x^T b, y = H c + D x with dt = softplus(Dt + Bias), for (batch, heads, groups, length)."""
    batch, heads, groups, length = shape
    width, states = size
    rng = generator(seed, kernel, shape)
    # As they come: positions outside, heads inside.
    x = normal(rng, (batch, heads, length, width), kind=SwappedTensor)
    b, c = (normal(rng, (batch, groups, length, states), states**-0.25, kind=SwappedTensor) for _ in range(2))
    raw_steps = 2 * rng.standard_normal((batch, length, heads)) - 2
    raw_steps[rng.random(raw_steps.shape) < 0.02] = 25  # where softplus is the identity
    of_heads = lambda values: filled(np.resize(values, heads))
    dt, a, bias, d = filled(raw_steps), of_heads([-0.01, -1, -30]), of_heads([0.5, -9, 0]), of_heads([1, -0.5])
    first = normal(rng, (batch, heads, width, states), dtype=abi.F32)
    y, last = Output(SwappedTensor(x.extents)), Output(HostTensor(first.extents, dtype=abi.F32))

    def solve():
        xs, bs, cs, steps, rates, biases, skips, state = exact(x, b, c, dt, a, bias, d, first)
        steps = np.logaddexp(0, steps + biases)
        keeps = np.exp(steps * rates)[..., None, None]
        bs, cs = (np.repeat(values, heads // groups, axis=1) for values in (bs, cs))
        magnitude, truth, allowed = np.abs(state), np.empty(xs.shape), np.empty(xs.shape)
        for t in range(length):
            added = steps[:, t, :, None, None] * xs[:, :, t, :, None] * bs[:, :, t, None, :]
            state, magnitude = keeps[:, t] * state + added, keeps[:, t] * magnitude + np.abs(added)
            truth[:, :, t] = np.einsum("bhpn,bhn->bhp", state, cs[:, :, t]) + skips[:, None] * xs[:, :, t]
            # What is added to the state and the state, or scores within the chunk, are rounded.
            allowed[:, :, t] = np.einsum("bhpn,bhn->bhp", magnitude, np.abs(cs[:, :, t])) * (2 * BF16_ROUNDING + DECAY)
        y.expect(truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
        last.expect(state, (BF16_ROUNDING + DECAY) * magnitude + 1e-6)

    return Case({"X": x, "Dt": dt, "A": a, "B": b, "C": c, "D": d, "Bias": bias, "First": first, "Y": y, "Last": last}, solve=solve)


def gated_delta(seed, kernel, shape, head):
    """The recurrence R = e^g S, S = R + beta k^T (v - k R), o = scale q S, for (batch, heads, length); the second head of three
    sees one key again and again, and keeps all that it knows."""
    rng = generator(seed, kernel, shape)
    batch, heads, length = shape
    scale = head**-0.5
    q, v = (normal(rng, (*shape, head)) for _ in range(2))
    k = normal(rng, (*shape, head), head**-0.5)  # of length 1, about
    k.elements[:, 1::3] = k.elements[:, 1::3, :1]
    g = filled(np.resize([-0.05, 0, -20], heads)[:, None] * rng.random(shape))
    beta = filled(rng.random(shape) ** 0.25)
    first = normal(rng, (batch, heads, head, head), dtype=abi.F32)
    outputs, last = Output(HostTensor(q.extents)), Output(HostTensor(first.extents, dtype=abi.F32))

    def solve():
        qs, ks, vs, logs, betas, state = exact(q, k, v, g, beta, first)
        magnitude, truth, allowed = np.abs(state), np.empty(qs.shape), np.empty(qs.shape)
        outer = lambda x, y: x[..., :, None] * y[..., None, :]
        read = lambda x, state: np.einsum("bhd,bhde->bhe", x, state)
        for t in range(length):
            kept, step = np.exp(logs[:, :, t])[..., None, None], betas[:, :, t, None]
            state, magnitude = kept * state, kept * magnitude
            magnitude += outer(np.abs(ks[:, :, t]), step * (np.abs(vs[:, :, t]) + read(np.abs(ks[:, :, t]), np.abs(state))))
            state = state + outer(ks[:, :, t], step * (vs[:, :, t] - read(ks[:, :, t], state)))
            truth[:, :, t] = scale * read(qs[:, :, t], state)
            # The inverse of a chunk's corrections, they themselves, the state before it and scores are rounded.
            allowed[:, :, t] = scale * read(np.abs(qs[:, :, t]), magnitude) * (4 * BF16_ROUNDING + DECAY)
        outputs.expect(truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
        last.expect(state, (4 * BF16_ROUNDING + DECAY) * magnitude + 1e-6)

    return Case({"Q": q, "K": k, "V": v, "G": g, "Beta": beta, "O": outputs, "First": first, "Last": last}, [ctypes.c_float(scale)], solve)
