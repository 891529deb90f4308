#!/usr/bin/env python3
"""random_shapes.py - The GEMM example against float64 at random shapes.

Each shape runs with every backend there is; on the emulator each under its own seed and one of its timings.
The same --seed gives the same shapes, values and timings.
"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run.gemm import Shape
from tkc_run.sweep import parser, sweep
from tkc_run.backends import EMULATOR_TIMINGS, set_emulator


def main():
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--max", type=int, default=600, help="the largest extent")
    options.add_argument("--verbose", action="store_true", help="a line for each shape")
    chosen = options.parse_args()
    source = random.Random(chosen.seed)

    def extent():
        # Half of them small, where many edges meet; half anywhere.
        return source.randint(1, source.choice((min(70, chosen.max), chosen.max)))

    shapes = [Shape(extent(), extent(), extent(), source.choice((0, 0, 8, 40))) for _ in range(chosen.count)]

    def timing(i):
        set_emulator(chosen.seed * 1000003 + i, EMULATOR_TIMINGS[i % len(EMULATOR_TIMINGS)])

    return 1 if sweep(chosen, shapes, timing, chosen.verbose) else 0


sys.exit(main())
