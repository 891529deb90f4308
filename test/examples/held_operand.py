#!/usr/bin/env python3
"""held_operand.py - Two MMAs in a row, the first one's left operand in registers, exactly.

Elements are small whole numbers, so every sum is exact, in whatever order.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import abi
from tkc_run.sweep import open_backends, parser
from tkc_run.tensors import HostTensor

ROWS, KEYS, COLUMNS = 1000, 500, 64


def main():
    options = parser(__doc__.splitlines()[0])
    options.set_defaults(source=os.path.join(os.path.dirname(__file__), "Inputs", "operands.tk"), kernel="two_held")
    options = options.parse_args()
    rng = np.random.default_rng(options.seed)
    q, k, v = (HostTensor((rows, COLUMNS)) for rows in (ROWS, KEYS, KEYS))
    for tensor in (q, k, v):
        tensor.set(rng.integers(-2, 3, tensor.extents))
    truth = (q.values() @ k.values().T * 0.125) @ v.values()
    for backend in open_backends(options):
        o = HostTensor((ROWS, COLUMNS), dtype=abi.F32)
        status = backend.call(options.kernel, [q, k, v, o])
        wrong = ROWS * COLUMNS if status.code else int((o.values() != truth).sum())
        if wrong:
            sys.exit(f"error: {backend.name}: {status}, {wrong} of {ROWS * COLUMNS} elements are wrong")
        print(f"{backend.name}: all elements are right")


main()
