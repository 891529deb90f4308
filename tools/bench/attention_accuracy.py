#!/usr/bin/env python3
"""Compares the errors of emitted attention kernels with those of the libraries' on the same inputs, on the GPU.

    build/bin/tkc dsl-examples/attention.tk -o FOLDER/attention.cu
    attention_accuracy.py FOLDER/attention.cu

Every error is one of O against float64, from the bf16 inputs: its root mean square over that of O, and its largest
value over the largest of O. The inputs are normal numbers; queries 6 and 60 times as large; and inputs of which one in a thousand
is ten times as large. Libraries: cuDNN, and FlashAttention-2 as torch has it, which rounds where FlashAttention-3 does
(exponentials to bf16, O at the end). Fails if an error is more than 1.05 times the largest of theirs.
"""
import argparse
import sys
import tempfile

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_check import KERNELS, Causal, Kernel
from bursts import build, device_line
from calls import draw, truth

LIBRARIES = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FlashAttention-2": SDPBackend.FLASH_ATTENTION}
INPUTS = {"normal": {}, "queries x 6": {"by": 6}, "queries x 60": {"by": 60}, "outliers": {"outliers": True}}
SHAPES = [(2, 4, 1024), (1, 2, 4096)]  # batch, heads, rows


def errors(o, expected):
    wrong = o.double() - expected
    return float(wrong.square().mean().sqrt() / expected.square().mean().sqrt()), float(wrong.abs().max() / expected.abs().max())


def compare(kernel, batch, heads, rows, label):
    """Whether the kernel is as good as the worse of the libraries."""
    how = dict(INPUTS[label])
    q = draw(batch, heads, rows, kernel.head, by=how.pop("by", 1), **how)
    k, v = (draw(batch, heads, rows, kernel.head, **how) for _ in range(2))
    form = kernel.form(batch, heads, rows, rows)
    expected = truth(q, k, v, kernel.scale, form.change)[0]
    o = torch.full_like(q, float("nan"))
    kernel.prepare([q, k, v, o, torch.empty(q.shape[:3], device="cuda")], form)()
    ours = errors(o, expected)
    theirs = {}
    for name, backend in LIBRARIES.items():
        with sdpa_kernel(backend):
            theirs[name] = errors(torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=kernel.form is Causal, scale=kernel.scale), expected)
    good = all(mine <= 1.05 * max(values) for mine, values in zip(ours, zip(*theirs.values())))
    print(f"{kernel.name:>20} {rows:>5} {label:>13}  " + "  ".join(
        f"{name} {mean:.3e} {most:.3e}" for name, (mean, most) in {"tkc": ours, **theirs}.items()) + ("" if good else "  WORSE"),
        flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="what tkc wrote of attention.tk")
    options = parser.parse_args()
    torch.manual_seed(0)
    print(device_line(), flush=True)
    with tempfile.TemporaryDirectory() as output:
        library = build(options.source, output, "attention")
        kernels = [Kernel(library, name, head, form) for name, (file, head, form) in KERNELS.items() if file == "attention"]
        good = [compare(kernel, *shape, label) for kernel in kernels for shape in SHAPES for label in INPUTS]
    print(f"{len(good)} comparisons, {good.count(False)} worse")
    return 1 if not all(good) else 0


if __name__ == "__main__":
    sys.exit(main())
