#!/usr/bin/env python3
"""attention_batches.py - Decoding from paged caches, and sequences of different lengths, against float64.

Usage: attention_batches.py [options] [SHAPE ...]
A shape of attention_split is LENGTH,...xKEY_HEADSxHEADS_OF_EACH/SPLITS, one of attention_varlen is
QUERIES:KEYS,...xHEADS/KEY_HEADS.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run.attention_batches import Decode, Varlen
from tkc_run.sweep import example_source, parser, sweep

DECODE = ["1x1x1/1", "127,128,129x2x8/2", "1000x1x8/3", "0,5x2x4/2", "300,64,65x1x16/64", "640x2x64/5"]
VARLEN = ["1:1x1", "5:7,128:130,1:300x2/1", "129:257,0:10,127:127x2", "60:0,60:1,300:170x4/2", "33:33,33:33,33:33x1"]


def main():
    options = parser(__doc__.splitlines()[0], "attention_decode")
    options.set_defaults(source=None, kernel="attention_split")
    options.add_argument("shapes", nargs="*")
    chosen = options.parse_args()
    is_decode = chosen.kernel in Decode.PAGES
    make = Decode if is_decode else Varlen
    chosen.source = chosen.source or example_source("attention_decode" if is_decode else "attention_varlen")
    shapes = chosen.shapes or (DECODE if is_decode else VARLEN)
    return 1 if sweep(chosen, shapes, problem_of=lambda shape, seed: make(shape, seed, chosen.kernel)) else 0


sys.exit(main())
