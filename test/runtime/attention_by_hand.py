"""attention_by_hand.py - Runs attention_by_hand.cu, or the .cu it is given, on the emulator and compares it with numpy
in float64.

Shapes end inside a tile, at its edge and just after it; seeds change what the emulator does when. A
score is masked by its column, so key rows beyond the tensor, which TMA fills with zeros, must not count.
"""
import ctypes
import os
import sys

import numpy as np

from tkc_run import abi, builds, tensors

HERE = os.path.dirname(os.path.abspath(__file__))


def view(bits):
    """The tk_tensor of a contiguous array of bf16."""
    strides = [stride // bits.itemsize for stride in bits.strides]
    return abi.Tensor(
        data=bits.ctypes.data,
        dtype=abi.BF16,
        rank=bits.ndim,
        extents=(ctypes.c_int64 * 4)(*bits.shape),
        strides=(ctypes.c_int64 * 4)(*strides),
    )


def reference(q, k, v, scale):
    scores = np.einsum("bhid,bhjd->bhij", q, k) * scale
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("bhij,bhjd->bhid", weights / weights.sum(axis=-1, keepdims=True), v)


def run(attention, rng, batch, heads, queries, keys, sharpness):
    def random(rows):
        values = rng.standard_normal((batch, heads, rows, 128), dtype=np.float32)
        return tensors.to_bf16(values)

    q, k, v = random(queries), random(keys), random(keys)
    q = tensors.to_bf16(tensors.from_bf16(q) * sharpness)
    o = np.full_like(q, tensors.POISON)
    scale = 128**-0.5
    views = [ctypes.byref(view(x)) for x in (q, k, v, o)]
    status = attention(*views, scale, None)
    if status.code != abi.OK:
        return str(status)
    wanted = reference(*(tensors.from_bf16(x).astype(np.float64) for x in (q, k, v)), scale)
    got = tensors.from_bf16(o).astype(np.float64)
    error = np.abs(got - wanted).max() / np.abs(wanted).max()
    if not error < 6e-3:  # bf16 weights and results: 2^-8 each, averaged
        return f"relative error {error:.2e}"
    return None


def main():
    text = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "attention_by_hand.cu")
    kernels = builds.Kernels(text, emitted=os.path.dirname(text))
    library = kernels.load("emulator")
    attention = library.attention
    attention.restype = abi.Status
    attention.argtypes = [ctypes.POINTER(abi.Tensor)] * 4 + [ctypes.c_float, ctypes.c_void_p]
    rng = np.random.default_rng(1)
    shapes = [(1, 1, 64, 1), (1, 1, 128, 128), (1, 2, 130, 129), (2, 1, 100, 300)]
    failures = 0
    for number, (shape, sharpness) in enumerate([(s, x) for s in shapes for x in (1, 30)]):
        policy = [b"random", b"latest", b"earliest"][number % 3]
        library.tk_emulator_configure(ctypes.c_uint64(number), policy, 2)
        problem = run(attention, rng, *shape, sharpness)
        print(f"batch, heads, queries, keys = {shape}, queries x {sharpness}, {policy.decode()}: {problem or 'right'}")
        failures += problem is not None
    sys.exit(1 if failures else 0)


main()
