"""attention.py - The plain meaning of three attention kernels against float64.

The outputs are bf16: a right one is within 2^-8 of the true value, and a little more because the
probabilities are rounded to bf16 before the second product.
"""
import ctypes
import os
import sys

import numpy as np

from tkc_run import abi
from tkc_run.builds import Kernels
from tkc_run.tensors import POISON, from_bf16, to_bf16

HERE = os.path.dirname(os.path.abspath(__file__))


def view(bits):
    """The tk_tensor of a four-dimensional array of bf16."""
    return abi.Tensor(
        data=bits.ctypes.data,
        dtype=abi.BF16,
        rank=4,
        extents=(ctypes.c_int64 * 4)(*bits.shape),
        strides=(ctypes.c_int64 * 4)(*(stride // 2 for stride in bits.strides)),
    )


def truth(q, k, v, scale, causal):
    q, k, v = (from_bf16(x).astype(np.float64) for x in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    s = q @ k.swapaxes(2, 3) * scale
    if causal:
        s = np.where(np.tri(*s.shape[2:], dtype=bool), s, -np.inf)
    p = np.exp(s - s.max(axis=3, keepdims=True))
    total = p.sum(axis=3, keepdims=True)
    return p @ v / total, p @ np.abs(v) / total


def check(library, name, d, causal, batch, heads, kv_heads, rows, keys, rng):
    draw = lambda *shape: to_bf16(rng.standard_normal(shape, dtype=np.float32))
    q, k, v = draw(batch, heads, rows, d), draw(batch, kv_heads, keys, d), draw(batch, kv_heads, keys, d)
    # The rows of O are further apart than they need be, and what lies between them is watched.
    room = np.full((batch, heads, rows + 3, d + 8), POISON, np.uint16)
    o = room[:, :, :rows, :d]
    function = getattr(library, name)
    function.restype = abi.Status
    function.argtypes = [ctypes.POINTER(abi.Tensor)] * 4 + [ctypes.c_float, ctypes.c_void_p]
    scale = np.float32(d**-0.5)
    status = function(view(q), view(k), view(v), view(o), scale, None)
    assert status.code == abi.OK, str(status)
    expected, magnitude = truth(q, k, v, float(scale), causal)
    error = np.abs(from_bf16(o) - expected)
    allowed = 2.0**-8 * np.abs(expected) + 2.0**-8 * magnitude + 1e-5
    label = f"{name} batch {batch} heads {heads}/{kv_heads} rows {rows} keys {keys}"
    stray = np.count_nonzero(room != POISON) - np.count_nonzero(o != POISON)
    worst = float((error / allowed).max())
    print(f"{label}: largest error {error.max():.2g}, {worst:.2f} of what is allowed")
    return worst <= 1 and stray == 0


# file, kernel, head size, causal, batch, heads of Q, heads of K and V, rows of Q, rows of K and V
CASES = [
    ("attention", "attention", 128, False, 1, 2, 1, 130, 257),
    ("attention", "attention_causal", 128, True, 1, 1, 1, 200, 200),
    ("attention", "attention_64", 64, False, 2, 4, 2, 65, 95),
    ("attention", "attention_64", 64, False, 1, 1, 1, 1, 1),
    ("attention", "attention_64_causal", 64, True, 1, 2, 2, 193, 193),
    ("attention_warps", "attention_warps", 64, False, 2, 2, 1, 71, 97),
    ("attention_warpgroups", "attention_warpgroups", 64, False, 1, 4, 2, 129, 65),
    ("attention_warpgroups", "attention_warpgroups_causal", 64, True, 2, 1, 1, 200, 200),
]


def main():
    rng = np.random.default_rng(1)
    right = True
    for file, *case in CASES:
        kernels = Kernels(os.path.join(HERE, file + ".tk"), emitted=os.path.join(HERE, "Inputs"))
        right &= check(kernels.load("reference"), *case, rng)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
