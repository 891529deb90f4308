"""rotary.py - rotary.tk, checked against the rotation of each point in float64."""
import numpy as np

from .cases import FP32, Case, Output, table_family
from .compare import BF16_ROUNDING
from .draws import exact, filled, generator, normal
from .tensors import HostTensor, SwappedTensor


def tables(length, head):
    angles = np.arange(length)[:, None] * 10000.0 ** (-np.arange(head // 2) / (head // 2))
    return {"Cos": filled(np.cos(angles)), "Sin": filled(np.sin(angles))}


def expect_turned(output, x, given, interleaved):
    """Points of each row, its halves or its neighbours, turned by the angle of its position."""
    xs, c, s = exact(x, given["Cos"], given["Sin"])
    a, z = (xs[..., 0::2], xs[..., 1::2]) if interleaved else np.split(xs, 2, axis=3)
    join = lambda parts: np.stack(parts, 4).reshape(xs.shape) if interleaved else np.concatenate(parts, axis=3)
    truth = join([a * c - z * s, z * c + a * s])
    output.expect(truth, BF16_ROUNDING * np.abs(truth) + FP32 * join([np.abs(a) + np.abs(z)] * 2) + 1e-7)


def rotary(seed, kernel, shape, form):
    """For (batch, heads, length)."""
    head, interleaved = form
    x, given = normal(generator(seed, kernel, shape), (*shape, head)), tables(shape[2], head)
    y = Output(HostTensor(x.extents))
    return Case({"X": x, **given, "Y": y}, solve=lambda: expect_turned(y, x, given, interleaved))


def rotary_qk(seed, kernel, shape, form):
    """For (batch, heads of Q, heads of K, length), in memory with the heads of a position side by side."""
    batch, heads, key_heads, length = shape
    head, interleaved = form
    rng = generator(seed, kernel, shape)
    q, k = (normal(rng, (batch, n, length, head), kind=SwappedTensor) for n in (heads, key_heads))
    given, outputs = tables(length, head), {"TurnedQ": Output(SwappedTensor(q.extents)), "TurnedK": Output(SwappedTensor(k.extents))}

    def solve():
        for output, x in zip(outputs.values(), (q, k)):
            expect_turned(output, x, given, interleaved)

    return Case({"Q": q, "K": k, **given, **outputs}, solve=solve)


# As in sequences.py; forms are the head size, and whether neighbours are a point.
HEADS = [(1, 1, 1), (1, 2, 63), (2, 1, 64), (1, 3, 65), (2, 2, 200)]
GROUPED = [(1, 1, 1, 1), (1, 4, 1, 63), (2, 3, 3, 64), (1, 5, 2, 65), (1, 1, 4, 130)]
KERNELS = {
    "rotary": ("rotary", rotary, (64, False), HEADS),
    "rotary_128": ("rotary", rotary, (128, False), HEADS),
    "rotary_interleaved": ("rotary", rotary, (64, True), HEADS),
    "rotary_interleaved_128": ("rotary", rotary, (128, True), HEADS),
    "rotary_qk": ("rotary", rotary_qk, (128, False), GROUPED),
    "rotary_qk_64": ("rotary", rotary_qk, (64, False), GROUPED),
    "rotary_qk_interleaved": ("rotary", rotary_qk, (128, True), GROUPED),
}

ROWS = [("rotary", "16x16x1024"), ("rotary", "16x16x3072"), ("rotary", "16x16x12288"), ("rotary_128", "16x8x2048"),
        ("rotary_128", "16x8x6144"), ("rotary_interleaved_128", "16x8x6144"), ("rotary_qk", "4x32x8x4096"),
        ("rotary_qk_interleaved", "4x32x8x4096")]


def peers(problem, kernel, tensors):
    """torch.compile of the same formula."""
    import torch

    _, interleaved = KERNELS[kernel][2]
    given = [tensors[name] for name in ("X", "Q", "K") if name in tensors]

    def rotate(x, c, s):
        a, z = (x[..., 0::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
        parts = a * c - z * s, z * c + a * s
        return (torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)).to(x.dtype)

    torch._dynamo.reset()  # or it would compile for any shape
    compiled = torch.compile(lambda xs, c, s: [rotate(x, c, s) for x in xs], dynamic=False)
    return {"compiled": lambda: compiled(given, tensors["Cos"], tensors["Sin"])}


FAMILY = table_family("rotary", KERNELS, ROWS, peers)
