"""sequences.py - The examples that work on sequences position by position, checked against their definitions in float64.

Each function makes a Case of one shape. The definitions are the sequential ones, not the chunks in which the kernels
compute; what an element may differ by is the rounding of the kernel's bf16 values, and a few units of fp32.
"""
import zlib

import numpy as np

from . import abi
from .cases import Case, Output
from .compare import BF16_ROUNDING
from .tensors import HostTensor

FP32 = 2.0**-20  # a few operations


def generator(seed, kernel, shape):
    return np.random.default_rng([seed, zlib.crc32(kernel.encode()), *shape])


def normal(rng, extents, by=1.0, dtype=abi.BF16):
    tensor = HostTensor(extents, dtype=dtype)
    tensor.set(np.float32(by) * rng.standard_normal(extents, dtype=np.float32))
    return tensor, tensor.values().astype(np.float64)


def linear_attention(seed, kernel, shape, size):
    """The recurrence S = a S + k^T v, o = q S, for (batch, heads, length)."""
    batch, heads, length = shape
    head, fades = size
    rng = generator(seed, kernel, shape)
    (q, qs), (k, ks), (v, vs) = (normal(rng, (*shape, head), head**-0.25) for _ in range(3))
    first, state = normal(rng, (batch, heads, head, head), dtype=abi.F32)
    # Heads that keep nearly all, half and next to nothing of what they know.
    logs = HostTensor((heads,), dtype=abi.F32)
    logs.set(np.resize(np.float32([-0.01, -1, -30]), heads) if fades else np.zeros(heads, np.float32))
    keeps = 2.0 ** logs.values().astype(np.float64)[:, None, None]
    magnitude = np.abs(state)
    truth, allowed = np.empty(qs.shape), np.empty(qs.shape)
    for t in range(length):
        step = ks[:, :, t, :, None] * vs[:, :, t, None, :]
        state, magnitude = keeps * state + step, keeps * magnitude + np.abs(step)
        truth[:, :, t] = np.einsum("bhd,bhde->bhe", qs[:, :, t], state)
        # Scores within the chunk, the state before it and what fades are rounded.
        allowed[:, :, t] = np.einsum("bhd,bhde->bhe", np.abs(qs[:, :, t]), magnitude) * ((1 + fades) * BF16_ROUNDING + FP32)
    outputs = Output(HostTensor(qs.shape), truth, allowed + BF16_ROUNDING * np.abs(truth) + 1e-6)
    error = ((length + 1) * 2.0**-23 + fades * (BF16_ROUNDING + FP32)) * magnitude
    last = Output(HostTensor(first.extents, dtype=abi.F32), state, error + 1e-6)
    return Case({"Q": q, "K": k, "V": v, "O": outputs, "First": first, "Last": last, "Log": logs})


def rotary(seed, kernel, shape, head):
    """Halves of each row turned by the angle of its position, for (batch, heads, length)."""
    rng = generator(seed, kernel, shape)
    x, xs = normal(rng, (*shape, head))
    angles = np.arange(shape[2])[:, None] * 10000.0 ** (-np.arange(head // 2) / (head // 2))
    tables = []
    for values in (np.cos(angles), np.sin(angles)):
        table = HostTensor(values.shape, dtype=abi.F32)
        table.set(values.astype(np.float32))
        tables.append(table)
    c, s = (table.values().astype(np.float64) for table in tables)
    a, z = xs[..., : head // 2], xs[..., head // 2 :]
    truth = np.concatenate([a * c - z * s, z * c + a * s], axis=3)
    allowed = BF16_ROUNDING * np.abs(truth) + FP32 * np.tile(np.abs(a) + np.abs(z), 2) + 1e-7
    return Case({"X": x, "Cos": tables[0], "Sin": tables[1], "Y": Output(HostTensor(xs.shape), truth, allowed)})


# Kernel: its example, what makes a case, the fixed extent, and shapes at the edges of its tiles.
HEADS = [(1, 1, 1), (1, 2, 63), (2, 1, 64), (1, 3, 65), (2, 2, 200)]
KERNELS = {
    "linear_attention": ("linear_attention", linear_attention, (64, False), HEADS),
    "linear_attention_128": ("linear_attention", linear_attention, (128, False), HEADS),
    "fading_attention": ("linear_attention", linear_attention, (64, True), HEADS),
    "fading_attention_128": ("linear_attention", linear_attention, (128, True), HEADS),
    "rotary": ("rotary", rotary, 64, HEADS),
    "rotary_128": ("rotary", rotary, 128, HEADS),
}
EXAMPLES = sorted({example for example, *_ in KERNELS.values()})
