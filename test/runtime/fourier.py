"""fourier.py - Compares what fourier.cpp wrote with numpy's transforms, up to one step of bf16, or of half for T."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import abi, convolutions
from tkc_run.tensors import FORMATS, from_bf16

words = np.fromfile(sys.argv[1], np.uint16)
failures = 0
for cols in (64, 16):
    i = np.arange(32 * cols + 7)
    taps = (i * 37 % 101 - 50) / 64
    for what, wanted in zip(("F64", "FC", "T", "K"), (*convolutions.tables(cols), convolutions.spectrum(taps[None], cols))):
        read, step = (FORMATS[abi.F16].from_bits, 2.0**-11) if what == "T" else (from_bf16, 2.0**-8)
        found, words = read(words[: wanted.size]).reshape(wanted.shape), words[wanted.size :]
        worst = (np.abs(found - wanted) / (step * np.abs(wanted) + 1e-7 * np.abs(wanted).max())).max()
        failures += not worst <= 1
        print(f"{'ok  ' if worst <= 1 else 'FAIL'} {what} of 64 x {cols}: {worst:.2f} of what is allowed")
if words.size:
    print(f"FAIL {words.size} words are left")
sys.exit(1 if failures or words.size else 0)
