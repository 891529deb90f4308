#!/usr/bin/env python3
"""tutorial_programs.py - The steps of docs/tutorial on the emulator, against numpy in float64; which instance step 8 chooses.

Prints a line for each step. test/docs/tutorial-answers.test runs the exercises' answers.
"""
import ctypes
import os
import sys

import numpy as np

from tkc_run.backends import Backend, set_emulator
from tkc_run.builds import Kernels
from tkc_run.cases import Case, Output
from tkc_run.choice import choose
from tkc_run.gemm import Gemm, Shape
from tkc_run.tensors import HostTensor

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docs", "tutorial")
# Step: its file, its C function, and shapes around its tiles.
STEPS = [
    ("1-one-tile", "one_tile", [Shape(64, 64, 64)]),
    ("2-loop", "loop_over_k", [Shape(64, 64, 256)]),
    ("3-pipeline", "ring", [Shape(64, 64, 1), Shape(64, 64, 64), Shape(64, 64, 1000)]),
    ("4-grid", "any_size", [Shape(1, 1, 1), Shape(65, 63, 129), Shape(200, 131, 70, 8)]),
    ("5-registers", "large_tiles", [Shape(129, 257, 65), Shape(300, 300, 600)]),
    ("6-persistent", "persistent", [Shape(129, 257, 65), Shape(600, 700, 70)]),
    ("7-attention", "attend", [(1, 1, 1, 1), (1, 2, 129, 127), (2, 1, 100, 300)]),
    ("8-tuning", "tuned", [Shape(65, 129, 70), Shape(300, 500, 130)]),
]
# What step 8 chooses of its three instances on 132 SMs, as its page says.
CHOICES = {(8192, 8192, 8192): 0, (1024, 1024, 1024): 2}
TIMINGS = [(0, "random"), (1, "latest")]


def attention(shape):
    """softmax(Q Kt scale) V of (batch, heads, rows, keys), head size 128."""
    batch, heads, rows, keys = shape
    rng = np.random.default_rng(shape)
    scale = 128**-0.5
    tensors = {name: HostTensor.random(rng, (batch, heads, count, 128)) for name, count in zip("QKV", (rows, keys, keys))}
    q, k, v = (tensor.values().astype(np.float64) for tensor in tensors.values())
    scores = q @ k.swapaxes(2, 3) * scale
    weights = np.exp(scores - scores.max(3, keepdims=True))
    weights /= weights.sum(3, keepdims=True)
    truth = weights @ v
    # O is rounded to bf16, and so is each weight, relative to itself; and the sum of the weights is of the rounded ones.
    allowed = 2.0**-8 * np.abs(truth) + 2.0**-7 * (weights @ np.abs(v)) + 1e-6
    tensors["O"] = Output(HostTensor((batch, heads, rows, 128)), truth, allowed)
    return Case(tensors, [ctypes.c_float(scale)])


def main():
    wrong = 0
    for file, kernel, shapes in STEPS:
        backend = Backend("emulator", Kernels(os.path.join(FOLDER, file + ".tk"), ["-W", "no-tk-perf"]))
        for shape in shapes:
            problem = Gemm(shape, seed=1) if isinstance(shape, Shape) else attention(shape)
            for seed, policy in TIMINGS:
                set_emulator(seed, policy)
                result = problem.check(backend, kernel)
                if result.problem:
                    wrong += 1
                    print(f"{file} {shape} {policy}: {result.problem}")
        print(f"{file}: {len(shapes) * len(TIMINGS)} runs", flush=True)
    os.environ["TK_EMULATOR_SMS"] = "132"
    for shape, wanted in CHOICES.items():
        status, number = choose(backend.library, "tuned", *shape)
        if status.code or number != wanted:
            wrong += 1
            print(f"{shape}: instance {number} is chosen when it should be {wanted}; {status}")
    return 1 if wrong else 0


sys.exit(main())
