"""softmax.py - Two softmax kernels with every backend there is, against float64: of rows that fit a tile, and online."""
import os
import sys

import numpy as np

from tkc_run.builds import Kernels
from tkc_run.tensors import HostTensor
from tkc_run.backends import EMULATOR_TIMINGS, Backend, available, set_emulator

HERE = os.path.dirname(os.path.abspath(__file__))


def check(backend, name, rows, cols):
    """Runs one kernel at one shape; whether it is right to the rounding of bf16."""
    x = HostTensor.random(np.random.default_rng([rows, cols]), (rows, cols))
    y = HostTensor((rows, cols), extra_stride=8)
    status = backend.call(name, [x, y])
    if status.code:
        print(f"FAIL {name} {backend.name} {rows}x{cols}: {status}")
        return False
    values = x.values().astype(np.float64)
    p = np.exp(values - values.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    worst = float((np.abs(y.values() - p) / (2.0**-8 * p + 1e-6)).max())
    right = worst <= 1 and not y.stray_writes() and not y.unwritten()
    print(f"{'ok  ' if right else 'FAIL'} {name} {backend.name} {rows}x{cols}: {worst:.2f} of what is allowed", flush=True)
    return right


CASES = [("softmax", 64, 128), ("softmax", 65, 100), ("softmax", 3, 1), ("online_softmax", 64, 64),
         ("online_softmax", 63, 65), ("online_softmax", 130, 517), ("online_softmax", 1, 1)]


def main():
    names = sys.argv[1].split(",") if len(sys.argv) > 1 else available()[0]
    kernels = Kernels(os.path.join(HERE, "softmax.tk"))
    right = True
    for backend in [Backend(name, kernels) for name in names]:
        for i, case in enumerate(CASES):
            set_emulator(i, EMULATOR_TIMINGS[i % len(EMULATOR_TIMINGS)])
            right &= check(backend, *case)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
