#!/usr/bin/env python3
"""Compares the errors of emitted attention gradients with those of cuDNN's on the same inputs, on the GPU.

    build/bin/tkc dsl-examples/attention_backward.tk -o FOLDER/attention_backward.cu
    gradients_accuracy.py FOLDER/attention_backward.cu

Every error is one of dQ, dK or dV against float64, from the bf16 inputs: its root mean square over that of the gradient.
The inputs are normal numbers, and queries 6 times as large. Fails if dQ or dK has more than 1.3 times cuDNN's error, or dV
more than 1.05 times, and if dK or dV is not the same, bit for bit, in 20 launches. Shapes of unequal lengths under a causal
mask, which torch aligns at the other corner, are left to `tkc_bench check attention_backward`.
"""
import argparse
import sys
import tempfile

import torch

from bursts import build, device_line
from times import DeviceProblem
from tkc_run.gradients import FORMS, Gradients, peers

ALLOWED = {"dQ": 1.3, "dK": 1.3, "dV": 1.05}
SAME_LENGTHS = ("2x4x63x63", "1x2x64x64", "2x3x100x100", "1x4/2x128x128", "2x4x129x129", "1x4x200x200", "1x8/2x300x300", "1x2x384x384",
                "1x6/3x500x500", "2x2x512x512", "1x8/1x1000x1000", "1x4x1024x1024")
OTHER_LENGTHS = ("1x2x65x129", "2x4/2x150x40", "1x2x500x170", "1x8/2x1000x1024", "2x2x63x1000", "1x4/2x1024x300")
LAUNCHES = 20


def errors(tensors, truths):
    wrong = {name: tensors[name].double() - truth for name, truth in truths.items()}
    return {name: float(wrong[name].square().mean().sqrt() / truth.square().mean().sqrt().clamp_min(1e-30)) for name, truth in truths.items()}


def compare(library, kernel, shape):
    """The errors over cuDNN's, and the names of those that are too large or of results that differ between launches."""
    problem = Gradients(shape, 1, kernel)
    truths = {name: torch.from_numpy(truth).cuda() for name, truth in zip(ALLOWED, problem.truth)}
    device = DeviceProblem(problem, kernel)
    run, tensors = device.call(library), device.torch_tensors()
    run()
    ours, first = errors(tensors, truths), {name: tensors[name].clone() for name in ("dK", "dV")}
    differ = set()
    for _ in range(LAUNCHES - 1):
        run()
        differ |= {name for name, result in first.items() if not torch.equal(result.view(torch.int16), tensors[name].view(torch.int16))}
    theirs = errors(dict(zip(ALLOWED, peers(problem, kernel, tensors)["cudnn"]())), truths)
    over = {name: ours[name] / theirs[name] if theirs[name] else float(ours[name] > 0) for name in ALLOWED}
    worse = [name for name in ALLOWED if over[name] > ALLOWED[name]]
    print(f"{kernel:>28} {shape:>18}  " + "  ".join(f"{name} {ours[name]:.2e} ({over[name]:.3f})" for name in ALLOWED)
          + "".join(f"  {name} WORSE" for name in worse) + "".join(f"  {name} DIFFERS" for name in sorted(differ)), flush=True)
    return over, worse or differ


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="what tkc wrote of attention_backward.tk")
    options = parser.parse_args()
    print(device_line(), flush=True)
    found = []
    with tempfile.TemporaryDirectory() as output:
        library = build(options.source, output, "attention_backward")
        for kernel in FORMS:
            for shape in SAME_LENGTHS + (OTHER_LENGTHS if "causal" not in kernel else ()):
                found += [compare(library, kernel, shape + queries) for queries in ("", "@6")]
    largest = {name: max(over[name] for over, _ in found) for name in ALLOWED}
    bad = sum(bool(problem) for _, problem in found)
    print(f"{len(found)} comparisons, {bad} bad; the largest errors over cuDNN's: " + ", ".join(f"{n} {x:.3f}" for n, x in largest.items()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
