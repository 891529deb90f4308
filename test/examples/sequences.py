#!/usr/bin/env python3
"""sequences.py - The examples that work on sequences, against float64, at the edges of their tiles.

Usage: sequences.py [options] EXAMPLE
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import convolutions, norms, sequences, sweep

KERNELS = sequences.KERNELS | norms.KERNELS | convolutions.KERNELS


def main():
    options = sweep.parser(__doc__.splitlines()[0], example="")
    options.add_argument("example", choices=sorted({example for example, *_ in KERNELS.values()}))
    chosen = options.parse_args()
    chosen.source = sweep.example_source(chosen.example)
    failures = 0
    for kernel, (example, make, size, shapes) in KERNELS.items():
        if example != chosen.example:
            continue
        print(f"{kernel}:", flush=True)
        chosen.kernel = kernel
        failures += sweep.sweep(chosen, shapes, verbose=False,
                                problem_of=lambda shape, seed: make(seed, kernel, shape, size))
    return 1 if failures else 0


sys.exit(main())
