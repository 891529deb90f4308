#!/usr/bin/env python3
"""attention.py - The attention examples against float64 at the shapes where kernels go wrong.

Usage: attention.py [options] [BATCHxHEADS[/KEY_HEADS]xROWSxKEYS[~][@QUERY_SCALE] ...]
Without shapes: one row and key, one less and one more than a tile, grouped heads, more rows than keys and
the other way round, scores so large that every exponential is 0 or 1, and all scores 0.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run.attention import KERNELS, Attention, Shape
from tkc_run.sweep import example_source, parser, sweep


def edge_shapes(rows, keys):
    edges = [(1, 1), (rows - 1, keys - 1), (rows, keys), (rows + 1, keys + 1), (rows, 2 * keys), (5, 3 * keys + 7)]
    grouped = [Shape(2, 2, 1, rows + 3, keys + 5), Shape(1, 4, 2, 17, keys)]
    large = [Shape(1, 1, 1, rows, 2 * keys, 6.0), Shape(1, 1, 1, 33, keys + 9, 60.0), Shape(1, 1, 1, 20, keys + 2, 0.0)]
    grouped.append(Shape(2, 2, 1, 50, keys + 5, is_swapped=True))
    return [Shape(1, 1, 1, *edge) for edge in edges] + grouped + large + [Shape(1, 1, 1, 2 * rows, keys - 30)]


def main():
    options = parser(__doc__.splitlines()[0], "attention")
    options.set_defaults(source=None)
    options.add_argument("shapes", nargs="*", type=Shape.parse, metavar="BATCHxHEADS[/KEY_HEADS]xROWSxKEYS[~][@SCALE]")
    chosen = options.parse_args()
    kernel = KERNELS[chosen.kernel]
    chosen.source = chosen.source or example_source(kernel.example)
    shapes = chosen.shapes or edge_shapes(kernel.rows, kernel.keys)
    return 1 if sweep(chosen, shapes, problem_of=lambda shape, seed: Attention(shape, seed, chosen.kernel)) else 0


sys.exit(main())
