#!/usr/bin/env python3
"""gemm.py - The GEMM example against float64 at the shapes where kernels go wrong.

Usage: gemm.py [options] [MxNxK[+PADDING] ...]
Without shapes: one element, one less and one more than a tile in each dimension, ring lengths around
the number of stages, primes, and rows that are further apart than they are long.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run.gemm import Shape
from tkc_run.sweep import parse_shape, parser, sweep


def edge_shapes(bm, bn, bk):
    around = [Shape(1, 1, 1), Shape(bm, bn, bk), Shape(bm - 1, bn - 1, bk - 1), Shape(bm + 1, bn + 1, bk + 1)]
    one_edge = [Shape(m, n, k) for m, n, k in [
        (1, bn, bk), (bm - 1, bn, bk), (bm + 1, bn, bk),
        (bm, 1, bk), (bm, bn - 1, bk), (bm, bn + 1, bk),
        (bm, bn, 1), (bm, bn, bk - 1), (bm, bn, bk + 1),
    ]]
    # The ring has a few stages: fewer k-tiles than that, as many, one more, and around it twice.
    trips = [Shape(bm, bn, bk * trip) for trip in (2, 3, 4, 5, 8, 9)]
    primes = [Shape(2, 3, 5), Shape(7, 11, 13), Shape(61, 67, 71), Shape(127, 257, 131), Shape(251, 509, 193)]
    many_tiles = [Shape(3 * bm, 3 * bn, 2 * bk), Shape(5 * bm + 1, bn, bk), Shape(1, 5 * bn + 1, 3)]
    strided = [Shape(bm, bn, bk, 8), Shape(bm + 1, bn - 1, bk + 1, 64), Shape(61, 67, 71, 200)]
    return around + one_edge + trips + primes + many_tiles + strided


def mixed_shapes():
    """All mixtures of small and large, divisible and not. The largest truths take a CPU many seconds."""
    extents = (64, 100, 128, 200, 4096, 8192)
    return [Shape(m, n, k) for m in extents for n in extents for k in extents]


def main():
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--tile", type=parse_shape, default=parse_shape("128x256x64"),
                         help="the kernel's tile, which decides where the edges are")
    options.add_argument("shapes", nargs="*", type=parse_shape, metavar="MxNxK[+PADDING]")
    options.add_argument("--mixed", action="store_true", help="all mixtures of 64, 100, 128, 200, 4096 and 8192")
    chosen = options.parse_args()
    if chosen.mixed:
        shapes = mixed_shapes()
    else:
        shapes = chosen.shapes or edge_shapes(chosen.tile.m, chosen.tile.n, chosen.tile.k)
    return 1 if sweep(chosen, shapes) else 0


sys.exit(main())
