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

from bursts import build, device_line
from times import DeviceProblem
from tkc_run.attention import KERNELS, Attention, Causal, Shape

LIBRARIES = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FlashAttention-2": SDPBackend.FLASH_ATTENTION}
NAMES = ("attention", "attention_causal", "attention_64", "attention_64_causal")
INPUTS = {"normal": "", "queries x 6": "@6", "queries x 60": "@60", "outliers": "!"}
SHAPES = ("2x4x1024x1024", "1x2x4096x4096")


def errors(o, expected):
    wrong = o.double() - expected
    return float(wrong.square().mean().sqrt() / expected.square().mean().sqrt()), float(wrong.abs().max() / expected.abs().max())


def compare(library, name, shape, label):
    """Whether the kernel is as good as the worse of the libraries."""
    problem = Attention(Shape.parse(shape + INPUTS[label]), 1, name)
    device = DeviceProblem(problem, name)
    device.call(library)()
    tensors, expected = device.torch_tensors(), torch.from_numpy(problem.truth.o).cuda()
    q, k, v, ours = *(tensors[x] for x in "QKV"), errors(tensors["O"], expected)
    theirs = {}
    for peer, backend in LIBRARIES.items():
        with sdpa_kernel(backend):
            theirs[peer] = errors(torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=KERNELS[name].form is Causal, scale=problem.scale), expected)
    good = all(mine <= 1.05 * max(values) for mine, values in zip(ours, zip(*theirs.values())))
    print(f"{name:>20} {shape:>14} {label:>13}  " + "  ".join(
        f"{peer} {mean:.3e} {most:.3e}" for peer, (mean, most) in {"tkc": ours, **theirs}.items()) + ("" if good else "  WORSE"),
        flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="what tkc wrote of attention.tk")
    options = parser.parse_args()
    print(device_line(), flush=True)
    with tempfile.TemporaryDirectory() as output:
        library = build(options.source, output, "attention")
        good = [compare(library, name, shape, label) for name in NAMES for shape in SHAPES for label in INPUTS]
    print(f"{len(good)} comparisons, {good.count(False)} worse")
    return 1 if not all(good) else 0


if __name__ == "__main__":
    sys.exit(main())
