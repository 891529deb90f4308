#!/usr/bin/env python3
"""Measures what 8-bit matmuls lose against float64, beside torch's on the same inputs, on the GPU.

    build/bin/tkc dsl-examples/gemm_fp8.tk -o FOLDER/gemm_fp8.cu
    build/bin/tkc dsl-examples/gemm_layouts.tk -o FOLDER/gemm_layouts.cu
    matmuls_accuracy.py FOLDER [--json FILE]

A and B are rounded to e4m3 after they were divided by scales: one for each tensor, or one for each row of A and 128
columns and for each 128 x 128 elements of B, so that the largest magnitude of what has a scale becomes 448. Every error
is the root mean square of what a matmul is wrong by over that of the matmul: "kernel" beside the matmul of what was
rounded, which is the kernel's own error, its result's rounding to bf16 included; "all" beside the matmul of A and B
as they were. The inputs are normal numbers; such whose blocks of 128 x 128 differ in size by up to 2^16; and such of
which one in a thousand is 100 times as large.

torch multiplies with a scale for each tensor, with fast accumulation, which is what the tensor cores do alone, and with
exact, which adds up sums of 128 matmuls in fp32; and, where it can, with a scale for each block. Fails if a kernel's
own error is more than 1.05 times torch's of the same accumulation.
"""
import argparse
import ctypes
import os
import sys
import tempfile

import torch

from bursts import build_all, device_line, save
from calls import prepare
from tkc_run import matmuls

BLOCK, LARGEST = matmuls.BLOCK, 448.0
ROWS, COLS, DEPTHS = 1024, 1024, (512, 2048, 4096, 8192, 16384)


def blocks(extent):
    return -(-extent // BLOCK)


def spread(scales, *extents):
    """Scales of blocks as those of elements, in float64."""
    for dimension, extent in enumerate(extents):
        if extent is not None:
            scales = scales.repeat_interleave(BLOCK, dimension).narrow(dimension, 0, extent)
    return scales.double()


def normal(rows, cols):
    return torch.randn(rows, cols, device="cuda")


def uneven(rows, cols):
    sizes = torch.exp2(torch.randint(-8, 9, (blocks(rows), blocks(cols)), device="cuda").float())
    return normal(rows, cols) * spread(sizes, rows, cols).float()


def outliers(rows, cols):
    values = normal(rows, cols)
    return torch.where(torch.rand_like(values) < 1e-3, 100 * values, values)


INPUTS = {"normal": normal, "blocks of different sizes": uneven, "outliers": outliers}


def to_bytes(values, scales):
    return (values / scales).clamp(-LARGEST, LARGEST).to(torch.float8_e4m3fn)


def whole(values):
    """e4m3, and the scale of all."""
    scale = values.abs().max() / LARGEST
    return to_bytes(values, scale), scale


def by_row(values):
    """e4m3, and the scales of rows and 128 columns: (columns / 128, rows)."""
    scales = values.unflatten(1, (-1, BLOCK)).abs().amax(2).T.contiguous() / LARGEST
    return to_bytes(values, spread(scales, values.shape[1], None).T.float()), scales


def by_block(values):
    """e4m3, and the scales of 128 x 128 elements: (rows / 128, columns / 128)."""
    scales = values.unflatten(1, (-1, BLOCK)).unflatten(0, (-1, BLOCK)).abs().amax((1, 3)) / LARGEST
    return to_bytes(values, spread(scales, *values.shape).float()), scales


def error(result, truth):
    return float((result.double() - truth).square().mean().sqrt() / truth.square().mean().sqrt())


def empty():
    return torch.full((ROWS, COLS), float("nan"), device="cuda", dtype=torch.bfloat16)


def multiply_whole(libraries, a, b):
    """What each multiplies with a scale for each tensor, by name, and the matmul of what was rounded."""
    (x, of_a), (y, of_b) = whole(a), whole(b)
    scale = float(of_a * of_b)
    results = {"gemm_e4m3": empty(), "gemm_scaled": empty()}
    prepare(libraries["gemm_layouts"], "gemm_e4m3", [x, y, results["gemm_e4m3"]], [])()
    prepare(libraries["gemm_fp8"], "gemm_scaled", [x, y, results["gemm_scaled"]], [ctypes.c_float(scale)])()
    results["gemm_e4m3"] = results["gemm_e4m3"].double() * scale  # of a kernel without a scale
    for name, is_fast in (("torch fast", True), ("torch exact", False)):
        results[name] = torch._scaled_mm(x, y.T, of_a, of_b, out_dtype=torch.bfloat16, use_fast_accum=is_fast)
    return results, x.double() @ y.double().T * scale


def multiply_blocks(libraries, a, b):
    """The same with scales for blocks."""
    (x, of_a), (y, of_b) = by_row(a), by_block(b)
    results = {"gemm_blockwise": empty()}
    prepare(libraries["gemm_fp8"], "gemm_blockwise", [x, y, of_a, of_b, results["gemm_blockwise"]], [])()
    try:
        results["torch blocks"] = torch._scaled_mm(x, y.T, of_a.T, of_b.T, out_dtype=torch.bfloat16, use_fast_accum=False)
    except (RuntimeError, ValueError) as refusal:
        print(f"torch cannot scale blocks: {str(refusal).splitlines()[0]}", flush=True)
    depth = a.shape[1]
    return results, (x.double() * spread(of_a, depth, None).T) @ (y.double() * spread(of_b, *b.shape)).T


PEERS = {"gemm_e4m3": "torch fast", "gemm_scaled": "torch fast", "gemm_blockwise": "torch exact"}


def compare(libraries, label, depth):
    """The errors of all by name, and whether ours are as small as torch's."""
    a, b = INPUTS[label](ROWS, depth), INPUTS[label](COLS, depth)
    truth, errors = a.double() @ b.double().T, {}
    for multiply in (multiply_whole, multiply_blocks):
        results, rounded = multiply(libraries, a, b)
        for name, result in results.items():
            errors[name] = {"kernel": error(result, rounded), "all": error(result, truth)}
    good = all(errors[name]["kernel"] <= 1.05 * errors[peer]["kernel"] for name, peer in PEERS.items())
    print(f"{label:>26} {depth:>6}  " + "  ".join(f"{name} {each['kernel']:.3e} {each['all']:.3e}" for name, each in errors.items())
          + ("" if good else "  WORSE"), flush=True)
    return {"inputs": label, "depth": depth, "errors": errors, "good": good}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    torch.manual_seed(0)
    print(device_line(), flush=True)
    with tempfile.TemporaryDirectory() as output:
        sources = {name: os.path.join(options.folder, name + ".cu") for name in ("gemm_fp8", "gemm_layouts")}
        libraries = build_all(sources, output)
        rows = [compare(libraries, label, depth) for label in INPUTS for depth in DEPTHS]
    save({"device": device_line(), "rows": rows}, options.json)
    print(f"{len(rows)} comparisons, {sum(not row['good'] for row in rows)} worse")
    return 1 if not all(row["good"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
