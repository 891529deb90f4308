#!/usr/bin/env python3
"""Checks the steps of docs/tutorial on the GPU, times them, and writes what their pages show.

    for s in docs/tutorial/[1-8]-*.tk; do build/bin/tkc $s -W no-tk-perf -o FOLDER/$(basename $s .tk).cu; done
    tutorial_bench.py FOLDER [--json tools/bench/tutorial.json]; tools/docs/tutorial.py

FOLDER holds what tkc wrote, so that no tkc is needed where this runs. Checking: the relative error of the norm against
float64, on the first shape of each step, with NaN in the output beforehand. Timing: bursts (bursts.py).
"""

import argparse
import ctypes
import datetime
import glob
import os
import statistics
import sys
import tempfile

import torch

from bursts import build_all, device_line, relative, save, time_in_turn
from calls import prepare

SQUARE, SHORT = (8192, 8192, 8192), (4096, 4096, 256)
# Of each step: its C function, and the shapes M, N, K; of step 7 batch, heads, rows (and keys), head size.
STEPS = {
    1: ("one_tile", [(64, 64, 64)]),
    2: ("loop_over_k", [(64, 64, 256)]),
    3: ("ring", [(64, 64, 8192)]),
    4: ("any_size", [SQUARE]),
    5: ("large_tiles", [SQUARE, SHORT]),
    6: ("persistent", [SQUARE, SHORT]),
    7: ("attend", [(4, 16, 4096, 128)]),
    8: ("tuned", [SQUARE, SHORT, (1024, 1024, 1024)]),
}


def normal(*shape):
    return torch.randn(*shape, device="cuda").bfloat16()


def empty(*shape):
    return torch.full(shape, float("nan"), device="cuda").bfloat16()


def count_of_sets(elements):
    """As many sets of bf16 inputs as three L2 caches hold, so that none is found there; 2 to 40."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    return min(40, max(2, -(-3 * cache // (2 * elements))))


def matmul(m, n, k):
    """Sets of inputs, the output, what it should be, the scalars, and the FLOPs."""
    sets = [(normal(m, k), normal(k, n)) for _ in range(count_of_sets(m * k + k * n + m * n))]
    a, b = sets[0]
    return sets, empty(m, n), lambda: a.double() @ b.double(), [], 2 * m * n * k


def attention(batch, heads, rows, head):
    sets = [tuple(normal(batch, heads, rows, head) for _ in range(3)) for _ in range(2)]
    scale = head**-0.5

    def truth():
        q, k, v = (x[:1].double() for x in sets[0])  # one batch: float64 scores of all would not fit
        return (q @ k.transpose(2, 3) * scale).softmax(3) @ v

    return sets, empty(batch, heads, rows, head), truth, [ctypes.c_float(scale)], 4 * batch * heads * rows * rows * head


def measure(library, name, shape, samples):
    """(relative error, milliseconds, FLOPs) of a step at a shape."""
    sets, output, truth, scalars, flops = (attention if len(shape) == 4 else matmul)(*shape)
    calls = [prepare(library, name, [*inputs, output], scalars) for inputs in sets]
    calls[0]()
    torch.cuda.synchronize()
    expected = truth()
    error = relative(output[: expected.shape[0]], expected)
    times = time_in_turn({"tkc": calls}, flops / 3e11 + 0.004, samples)
    return error, statistics.median(times["tkc"]), flops


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()

    torch.manual_seed(0)
    print(device_line(), flush=True)
    result = {"device": torch.cuda.get_device_properties(0).name, "date": str(datetime.date.today()), "rows": []}
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        sources = {step: glob.glob(os.path.join(options.folder, f"{step}-*.cu")) for step in STEPS}
        if missing := [step for step, found in sources.items() if len(found) != 1]:
            sys.exit(f"{options.folder}: not one .cu file of the steps {missing}")
        libraries = build_all({str(step): found[0] for step, found in sources.items()}, folder)
        for step, (name, shapes) in STEPS.items():
            for shape in shapes:
                error, ms, flops = measure(libraries[str(step)], name, shape, options.samples)
                right = error < 4e-3
                wrong += not right
                text = " x ".join(map(str, shape))
                result["rows"].append({"step": step, "shape": text, "ms": round(ms, 4), "flops": flops})
                print(f"{step} {name:>12} {text:>20} {ms:9.4f} ms {flops / ms * 1e-9:7.1f} TFLOP/s  "
                      f"error {error:.1e} {'right' if right else 'WRONG'}", flush=True)
    if wrong:
        sys.exit(f"{wrong} wrong results; nothing is written")
    save(result, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
