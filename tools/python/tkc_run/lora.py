"""lora.py - The family of gemm_lora.tk: a matmul and a low-rank update of it, checked against float64."""
import ctypes

import numpy as np

from .cases import FP32, Case, Output, table_family
from .compare import BF16_ROUNDING, FP32_STEP
from .draws import exact, generator, normal
from .tensors import HostTensor


def gemm_lora(seed, kernel, shape, form):
    """X W + scale (X A) B, for (M, K, N, rank). X A is rounded to bf16 before it is multiplied by B."""
    m, k, n, rank = shape
    rng, scale = generator(seed, kernel, shape), np.float32(0.75)
    x, w, a, b = (normal(rng, extents) for extents in ((m, k), (k, n), (k, rank), (rank, n)))
    y = Output(HostTensor((m, n)))

    def solve():
        xs, ws, of_a, of_b = exact(x, w, a, b)
        down, size = float(scale) * (xs @ of_a), float(scale) * (np.abs(xs) @ np.abs(of_a))
        truth = xs @ ws + down @ of_b
        sums = (k + rank) * FP32_STEP * (np.abs(xs) @ np.abs(ws) + np.abs(down) @ np.abs(of_b))
        of_down = (BF16_ROUNDING + FP32) * np.abs(down) + k * FP32_STEP * size
        y.expect(truth, BF16_ROUNDING * np.abs(truth) + sums + of_down @ np.abs(of_b) + 1e-6)

    tensors = {"X": x, "W": w, "A": a, "B": b, "Y": y}
    return Case(tensors, [ctypes.c_float(scale)], solve, 2.0 * m * (k * n + k * rank + rank * n))


def peers(problem, kernel, tensors):
    """torch, as peft does it, and the matmul without the update."""
    import torch

    x, w, a, b, y = (tensors[name] for name in ("X", "W", "A", "B", "Y"))
    scale = problem.scalars[0].value
    return {
        "torch": lambda: torch.mm(x, w, out=y).addmm_(torch.mm(x, a), b, alpha=scale),
        "torch mm alone": lambda: torch.mm(x, w, out=y),
    }


# One element; a tile and one more; several tiles and rounds of the ring, and a rank that is no multiple of anything.
KERNELS = {
    "gemm_lora": ("gemm_lora", gemm_lora, None, [(1, 1, 1, 1), (129, 65, 257, 16), (200, 300, 520, 31), (128, 64, 256, 32)]),
    "gemm_lora_64": ("gemm_lora", gemm_lora, None, [(1, 1, 1, 64), (129, 65, 193, 33), (200, 300, 400, 63)]),
}
LAYERS = ("8192x4096x4096", "8192x4096x14336")
TIMED = [(kernel, f"{layer}x{rank}") for kernel, rank in (("gemm_lora", 16), ("gemm_lora_64", 64)) for layer in LAYERS]
FAMILY = table_family("lora", KERNELS, TIMED, peers, {"gemm_lora": ["--set=scale=0.75"]})
