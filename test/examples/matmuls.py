#!/usr/bin/env python3
"""matmuls.py - The examples of MMAs beside gemm.tk, against float64, at the edges of their tiles.

Usage: matmuls.py [options] EXAMPLE [MxNxK[+PADDING] ...]      EXAMPLE: gemm_layouts, gemm_batched, ...
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import matmuls, sweep

# One element; a tile; one more and one less in each dimension; rows far apart; several tiles and several rounds of a
# ring; odd extents.
SHAPES = ["1x1x1", "128x256x64", "129x255x65", "127x257x129", "61x67x71+16", "300x520x600", "7x130x1030"]


def main():
    options = sweep.parser(__doc__.splitlines()[0], example="")
    options.add_argument("example", choices=list(matmuls.EXAMPLES))
    options.add_argument("shapes", nargs="*", type=sweep.parse_shape, metavar="MxNxK[+PADDING]")
    chosen = options.parse_args()
    chosen.source = sweep.example_source(chosen.example)
    shapes = chosen.shapes or [sweep.parse_shape(text) for text in SHAPES]
    failures = 0
    for kernel in [chosen.kernel] if chosen.kernel else matmuls.EXAMPLES[chosen.example]:
        print(f"{kernel}:", flush=True)
        chosen.kernel = kernel
        failures += sweep.sweep(chosen, shapes, verbose=False,
                                problem_of=lambda shape, seed: matmuls.Problem(shape, seed, kernel))
    return 1 if failures else 0


sys.exit(main())
