#!/usr/bin/env python3
"""gradients.py - The gradients of attention, against float64.

Usage: gradients.py [options] [SHAPE ...]
A shape is BATCHxHEADSxROWSxKEYS, with HEADS/KEY_HEADS where heads share keys.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run.gradients import Gradients
from tkc_run.sweep import parser, sweep

SHAPES = ["1x1x1x1", "1x2x64x128", "2x4/2x65x129", "1x2/1x200x130", "1x1x100x300", "1x2x150x40"]


def main():
    options = parser(__doc__.splitlines()[0], "attention_backward")
    options.add_argument("shapes", nargs="*")
    chosen = options.parse_args()
    return 1 if sweep(chosen, chosen.shapes or SHAPES,
                      problem_of=lambda shape, seed: Gradients(shape, seed, chosen.kernel)) else 0


sys.exit(main())
