"""sequences.py - The examples that work on sequences position by position, checked against their definitions in float64.

Each function makes a Case of one shape. The definitions are the sequential ones, not the chunks in which the kernels
compute; what an element may differ by is the rounding of the kernel's bf16 values, and a few units of fp32.
"""
import ctypes
import zlib

import numpy as np

from . import abi
from .cases import Case, Output, table_family
from .compare import BF16_ROUNDING
from .tensors import HostTensor, SwappedTensor

FP32 = 2.0**-20  # a few operations
DECAY = 2.0**-11  # a power of two whose exponent, a sum of a chunk's, is below 4096


def generator(seed, kernel, shape):
    return np.random.default_rng([seed, zlib.crc32(kernel.encode()), *shape])


def filled(tensor, values):
    tensor.set(np.asarray(values, np.float32))
    return tensor, tensor.values().astype(np.float64)


def normal(rng, extents, by=1.0, dtype=abi.BF16, kind=HostTensor):
    return filled(kind(extents, dtype=dtype), np.float32(by) * rng.standard_normal(extents, dtype=np.float32))


def linear_attention(seed, kernel, shape, size):
    """The recurrence S = a S + k^T v, o = q S, for (batch, heads, length)."""
    batch, heads, length = shape
    head, decays = size
    rng = generator(seed, kernel, shape)
    (q, qs), (k, ks), (v, vs) = (normal(rng, (*shape, head), head**-0.25) for _ in range(3))
    first, state = normal(rng, (batch, heads, head, head), dtype=abi.F32)
    # Heads that keep nearly all, half and next to nothing of what they know.
    logs, log = filled(HostTensor((heads,), dtype=abi.F32), np.resize([-0.01, -1, -30], heads) if decays else np.zeros(heads))
    keeps = 2.0 ** log[:, None, None]
    magnitude = np.abs(state)
    truth, allowed = np.empty(qs.shape), np.empty(qs.shape)
    for t in range(length):
        step = ks[:, :, t, :, None] * vs[:, :, t, None, :]
        state, magnitude = keeps * state + step, keeps * magnitude + np.abs(step)
        truth[:, :, t] = np.einsum("bhd,bhde->bhe", qs[:, :, t], state)
        # Scores within the chunk, the state before it and what decays are rounded.
        allowed[:, :, t] = np.einsum("bhd,bhde->bhe", np.abs(qs[:, :, t]), magnitude) * ((1 + decays) * BF16_ROUNDING + FP32)
    outputs = Output(HostTensor(qs.shape), truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
    error = ((length + 1) * 2.0**-23 + decays * (BF16_ROUNDING + FP32)) * magnitude
    last = Output(HostTensor(first.extents, dtype=abi.F32), state, error + 1e-6)
    return Case({"Q": q, "K": k, "V": v, "O": outputs, "First": first, "Last": last, "Log": logs})


def mamba2(seed, kernel, shape, size):
    """The recurrence H = exp(A dt) H + dt x^T b, y = H c + D x with dt = softplus(Dt + Bias), for (batch, heads, groups, length)."""
    batch, heads, groups, length = shape
    width, states = size
    rng = generator(seed, kernel, shape)
    # As they come: positions outside, heads inside.
    x, xs = normal(rng, (batch, heads, length, width), kind=SwappedTensor)
    (b, bs), (c, cs) = (normal(rng, (batch, groups, length, states), states**-0.25, kind=SwappedTensor) for _ in range(2))
    drawn = 2 * rng.standard_normal((batch, length, heads)) - 2
    drawn[rng.random(drawn.shape) < 0.02] = 25  # where softplus is the identity
    dt, steps = filled(HostTensor(drawn.shape, dtype=abi.F32), drawn)
    of_heads = lambda values: filled(HostTensor((heads,), dtype=abi.F32), np.resize(values, heads))
    (a, rates), (bias, biases), (d, skips) = of_heads([-0.01, -1, -30]), of_heads([0.5, -9, 0]), of_heads([1, -0.5])
    first, state = normal(rng, (batch, heads, width, states), dtype=abi.F32)
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
    y = Output(SwappedTensor(xs.shape), truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
    last = Output(HostTensor(first.extents, dtype=abi.F32), state, (BF16_ROUNDING + DECAY) * magnitude + 1e-6)
    return Case({"X": x, "Dt": dt, "A": a, "B": b, "C": c, "D": d, "Bias": bias, "First": first, "Y": y, "Last": last})


def linear_attention_varlen(seed, kernel, shape, head):
    """As linear_attention with decay, for (heads, lengths of sequences that follow one another ...)."""
    heads, *lengths = shape
    rng = generator(seed, kernel, shape)
    starts, extents = np.cumsum([0, *lengths]), (heads, sum(lengths), head)
    (q, qs), (k, ks), (v, vs) = (normal(rng, extents, head**-0.25) for _ in range(3))
    first, states = normal(rng, (len(lengths), heads, head, head), dtype=abi.F32)
    logs, log = filled(HostTensor((heads,), dtype=abi.F32), np.resize([-0.01, -1, -30], heads))
    keeps = 2.0 ** log[:, None, None]
    truth, allowed = np.empty(extents), np.empty(extents)
    last, error = np.empty(states.shape), np.empty(states.shape)
    for b, (begin, end) in enumerate(zip(starts, starts[1:])):
        state, magnitude = states[b], np.abs(states[b])
        for t in range(begin, end):
            step = ks[:, t, :, None] * vs[:, t, None, :]
            state, magnitude = keeps * state + step, keeps * magnitude + np.abs(step)
            truth[:, t] = np.einsum("hd,hde->he", qs[:, t], state)
            allowed[:, t] = np.einsum("hd,hde->he", np.abs(qs[:, t]), magnitude) * (2 * BF16_ROUNDING + FP32)
        last[b], error[b] = state, ((end - begin + 1) * 2.0**-23 + BF16_ROUNDING + FP32) * magnitude
    begins = HostTensor((len(starts),), dtype=abi.I32)
    begins.set(starts)
    outputs = Output(HostTensor(extents), truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
    return Case({"Q": q, "K": k, "V": v, "Starts": begins, "O": outputs, "First": first,
                 "Last": Output(HostTensor(states.shape, dtype=abi.F32), last, error + 1e-6), "Log": logs})


def linear_attention_backward(seed, kernel, shape, head):
    """The gradient of V, or of K, and of the state before in linear_attention with decay, for (batch, heads, length, 0 or 1)."""
    *sizes, of_keys = shape
    rng = generator(seed, kernel, shape)
    (q, qs), (k, ks), (d, ds), (v, vs) = (normal(rng, (*sizes, head), head**-0.25) for _ in range(4))
    after, gradient = normal(rng, (*sizes[:2], head, head), dtype=abi.F32)  # of the last state, (D, E), or (E, D) for K
    logs, log = filled(HostTensor((sizes[1],), dtype=abi.F32), np.resize([-0.01, -1, -30], sizes[1]))
    keeps = 2.0 ** log[:, None, None]
    # With S_t = a S_(t-1) + k_t^T v_t and o_t = q_t S_t, the gradient of S_t is that of what S_t goes into.
    gradient = gradient.swapaxes(2, 3) if of_keys else gradient
    magnitude = np.abs(gradient)
    truth, allowed = np.empty(qs.shape), np.empty(qs.shape)
    for t in reversed(range(sizes[2])):
        step = qs[:, :, t, :, None] * ds[:, :, t, None, :]
        gradient, magnitude = gradient + step, magnitude + np.abs(step)
        form, other = ("bhde,bhe->bhd", vs) if of_keys else ("bhde,bhd->bhe", ks)
        truth[:, :, t] = np.einsum(form, gradient, other[:, :, t])
        allowed[:, :, t] = np.einsum(form, magnitude, np.abs(other[:, :, t])) * (2 * BF16_ROUNDING + FP32)
        gradient, magnitude = keeps * gradient, keeps * magnitude
    if of_keys:
        gradient, magnitude = gradient.swapaxes(2, 3), magnitude.swapaxes(2, 3)
    error = ((sizes[2] + 1) * 2.0**-23 + BF16_ROUNDING + FP32) * magnitude
    outputs = Output(HostTensor(qs.shape), truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
    operands = {"Q": v, "K": d, "V": q} if of_keys else {"Q": k, "K": q, "V": d}
    return Case({**operands, "O": outputs, "After": after,
                 "Before": Output(HostTensor(gradient.shape, dtype=abi.F32), gradient, error + 1e-6), "Log": logs})


def gated_delta(seed, kernel, shape, head):
    """The recurrence R = e^g S, S = R + beta k^T (v - k R), o = scale q S, for (batch, heads, length); the second head of three
    sees one key again and again, and keeps all that it knows."""
    rng = generator(seed, kernel, shape)
    batch, heads, length = shape
    scale = head**-0.5
    unit = lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True)
    keys = rng.standard_normal((*shape, head))
    keys[:, 1::3] = keys[:, 1::3, :1]
    (k, ks), (q, qs), (v, vs) = (filled(HostTensor(keys.shape), x) for x in (unit(keys), *rng.standard_normal((2, *keys.shape))))
    decays = np.resize([-0.05, 0, -20], heads)[:, None] * rng.random(shape)
    of_positions = lambda values: filled(HostTensor(shape, dtype=abi.F32), values)
    (g, logs), (beta, betas) = of_positions(decays), of_positions(rng.random(shape) ** 0.25)
    first, state = normal(rng, (batch, heads, head, head), dtype=abi.F32)
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
    outputs = Output(HostTensor(qs.shape), truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
    last = Output(HostTensor(first.extents, dtype=abi.F32), state, (4 * BF16_ROUNDING + DECAY) * magnitude + 1e-6)
    return Case({"Q": q, "K": k, "V": v, "G": g, "Beta": beta, "O": outputs, "First": first, "Last": last}, [ctypes.c_float(scale)])


def features(x):
    """Those of based.tk, of rows of 16."""
    pairs = np.stack([x * np.roll(x, -d, axis=-1) for d in range(1, 9)], axis=-2)
    pairs[..., 7, 8:] = 0
    pairs[..., 7, 8] = 1
    return np.concatenate([pairs.reshape(*x.shape[:-1], 128), x * x / np.sqrt(2), x], axis=-1)


def based(seed, kernel, shape, scale):
    """Attention with the weights 1 + s + s^2 / 2 of all positions up to one's own, for (batch, heads, length)."""
    rng = generator(seed, kernel, shape)
    (q, qs), (k, ks) = (normal(rng, (*shape, 16), kind=SwappedTensor) for _ in range(2))
    v, vs = normal(rng, (*shape, 64), kind=SwappedTensor)
    weights = lambda q, k: np.tril(1 + (s := scale * q @ k.swapaxes(2, 3)) + s * s / 2)
    truth = weights(qs, ks) @ vs
    # Weights within the chunk, or features and the states before it, are rounded.
    allowed = weights(np.abs(qs), np.abs(ks)) @ np.abs(vs) * (2 * BF16_ROUNDING + FP32) + BF16_ROUNDING * np.abs(truth)
    last = vs.swapaxes(2, 3) @ features(ks)
    error = np.abs(vs).swapaxes(2, 3) @ np.abs(features(ks)) * (BF16_ROUNDING + shape[2] * 2.0**-23)
    outputs = Output(SwappedTensor(vs.shape), truth, allowed + 1e-6)
    return Case({"Q": q, "K": k, "V": v, "O": outputs, "Last": Output(HostTensor(last.shape, dtype=abi.F32), last, error + 1e-6)},
                [ctypes.c_float(scale)])


def hedgehog(seed, kernel, shape, chunk):
    """Softmax in a window of two chunks and features of all older keys, for (batch, heads, length)."""
    batch, heads, length = shape
    rng = generator(seed, kernel, shape)
    (q, qs), (k, ks), (v, vs) = (normal(rng, (*shape, 128), kind=SwappedTensor) for _ in range(3))
    (map_q, of_q), (map_k, of_k) = (normal(rng, (heads, 128, 64), 0.15) for _ in range(2))
    of_heads = lambda values: filled(HostTensor((heads,), dtype=abi.F32), np.resize(values, heads))
    (a, alpha), (b, beta) = of_heads([3, 0.1, 1]), of_heads([0.3, 1, 0.01])

    def softmax(x):
        x = np.exp(x - x.max(axis=-1, keepdims=True))
        return x / x.sum(axis=-1, keepdims=True)

    features = lambda x, m: np.concatenate([softmax(x @ m), softmax(-x @ m)], axis=-1)
    of_queries, of_keys = features(qs, of_q), features(ks, of_k)
    at = np.arange(length) // chunk
    ago = at[:, None] - at
    window = np.tril(ago <= 1)
    scale = 128**-0.5
    scores = np.where(window, scale * qs @ ks.swapaxes(2, 3), -np.inf)
    weights = beta[:, None, None] * np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights += np.where(ago > 1, alpha[:, None, None] * of_queries @ of_keys.swapaxes(2, 3), 0)
    weights /= weights.sum(axis=-1, keepdims=True)
    truth = weights @ vs
    # Exponentials, or features of both and the states, are rounded.
    allowed = weights @ np.abs(vs) * (3 * BF16_ROUNDING + FP32) + 3 * BF16_ROUNDING * np.abs(truth) + 1e-6
    old = of_keys[:, :, : max(0, length - 1) // chunk * chunk]
    state = old.swapaxes(2, 3) @ vs[:, :, : old.shape[2]]
    error = old.swapaxes(2, 3) @ np.abs(vs[:, :, : old.shape[2]]) * (BF16_ROUNDING + length * 2.0**-23) + 1e-6
    sums = old.sum(axis=2)
    return Case({"Q": q, "K": k, "V": v, "O": Output(SwappedTensor(vs.shape), truth, allowed), "MapQ": map_q, "MapK": map_k,
                 "State": Output(HostTensor(state.shape, dtype=abi.F32), state, error),
                 "Sums": Output(HostTensor(sums.shape, dtype=abi.F32), sums, sums * (BF16_ROUNDING + length * 2.0**-23) + 1e-6),
                 "Alpha": a, "Beta": b}, [ctypes.c_float(scale)])


def rotary_tables(length, head):
    """Cos and Sin, and what they hold."""
    angles = np.arange(length)[:, None] * 10000.0 ** (-np.arange(head // 2) / (head // 2))
    (c, cosines), (s, sines) = (filled(HostTensor(angles.shape, dtype=abi.F32), table(angles)) for table in (np.cos, np.sin))
    return {"Cos": c, "Sin": s}, cosines, sines


def turned(xs, c, s, interleaved, kind):
    """Points of each row, its halves or its neighbours, turned by the angle of its position."""
    a, z = (xs[..., 0::2], xs[..., 1::2]) if interleaved else np.split(xs, 2, axis=3)
    join = lambda parts: np.stack(parts, 4).reshape(xs.shape) if interleaved else np.concatenate(parts, axis=3)
    truth = join([a * c - z * s, z * c + a * s])
    allowed = BF16_ROUNDING * np.abs(truth) + FP32 * join([np.abs(a) + np.abs(z)] * 2) + 1e-7
    return Output(kind(xs.shape), truth, allowed)


def rotary(seed, kernel, shape, form):
    """For (batch, heads, length)."""
    head, interleaved = form
    x, xs = normal(generator(seed, kernel, shape), (*shape, head))
    tables, c, s = rotary_tables(shape[2], head)
    return Case({"X": x, **tables, "Y": turned(xs, c, s, interleaved, HostTensor)})


def rotary_qk(seed, kernel, shape, form):
    """For (batch, heads of Q, heads of K, length), in memory with the heads of a position side by side."""
    batch, heads, key_heads, length = shape
    head, interleaved = form
    rng = generator(seed, kernel, shape)
    (q, qs), (k, ks) = (normal(rng, (batch, n, length, head), kind=SwappedTensor) for n in (heads, key_heads))
    tables, c, s = rotary_tables(length, head)
    outputs = {name: turned(xs, c, s, interleaved, SwappedTensor) for name, xs in (("TurnedQ", qs), ("TurnedK", ks))}
    return Case({"Q": q, "K": k, **tables, **outputs})


# Kernel: its example, what makes a case, the fixed extent, and shapes at the edges of its tiles.
HEADS = [(1, 1, 1), (1, 2, 63), (2, 1, 64), (1, 3, 65), (2, 2, 200)]
GROUPED = [(1, 1, 1, 1), (1, 4, 1, 63), (2, 3, 3, 64), (1, 5, 2, 65), (1, 1, 4, 130)]
MIXED = [(1, 1, 1, 1), (1, 2, 1, 63), (2, 3, 1, 64), (1, 6, 2, 65), (1, 20, 1, 130), (1, 2, 2, 200)]
LENGTHS = [(1, 1), (2, 63, 65), (1, 64, 0, 128, 1), (3, 200, 5, 70)]
GRADIENTS = [(1, 1, 1, 0), (1, 2, 63, 1), (2, 1, 64, 0), (1, 3, 65, 1), (1, 3, 65, 0), (2, 2, 200, 1)]
KERNELS = {
    "linear_attention": ("linear_attention", linear_attention, (64, False), HEADS),
    "linear_attention_128": ("linear_attention", linear_attention, (128, False), HEADS),
    "fading_attention": ("linear_attention", linear_attention, (64, True), HEADS),
    "fading_attention_128": ("linear_attention", linear_attention, (128, True), HEADS),
    "linear_attention_varlen": ("linear_attention_varlen", linear_attention_varlen, 128, LENGTHS),
    "linear_attention_backward": ("linear_attention_backward", linear_attention_backward, 128, GRADIENTS),
    "linear_attention_backward_64": ("linear_attention_backward", linear_attention_backward, 64, GRADIENTS),
    "gated_delta": ("gated_delta", gated_delta, 128, HEADS),
    "mamba2": ("mamba2", mamba2, (64, 64), MIXED),
    "mamba2_128": ("mamba2", mamba2, (64, 128), MIXED),
    "based": ("based", based, 0.25, HEADS),
    "hedgehog": ("hedgehog", hedgehog, 64, HEADS),
    "rotary": ("rotary", rotary, (64, False), HEADS),
    "rotary_128": ("rotary", rotary, (128, False), HEADS),
    "rotary_interleaved": ("rotary", rotary, (64, True), HEADS),
    "rotary_interleaved_128": ("rotary", rotary, (128, True), HEADS),
    "rotary_qk": ("rotary", rotary_qk, (128, False), GROUPED),
    "rotary_qk_64": ("rotary", rotary_qk, (64, False), GROUPED),
    "rotary_qk_interleaved": ("rotary", rotary_qk, (128, True), GROUPED),
}

FAMILY = table_family("sequences", KERNELS, emulated={name: ["--set=scale=0.1"] for name in ("gated_delta", "hedgehog")})
