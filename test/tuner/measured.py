#!/usr/bin/env python3
"""measured.py - The launcher's prediction beside times that were measured on an H200 (Inputs/measured.json).

Usage: measured.py [--table]
The ten instances of attention and attention_64 are those that the cost model was fitted to (docs/design/cost-model.md).
"""
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [os.path.join(ROOT, "tools", "python"), os.path.join(ROOT, "tools", "python", "src")]
from tkc.tuner.expressions import predicted_cycles, values_of  # noqa: E402
from tkc_run import toolchain  # noqa: E402


def extents_of(shape, function):
    if function.startswith("gemm"):
        m, n, k = shape
        b = [n, k] if function == "gemm_blockwise" else [k, n]
        return {"A": [m, k], "B": b, "C": [m, n], "ScaleA": [-(-k // 128), m], "ScaleB": [-(-n // 128), -(-k // 128)]}
    batch, heads, rows = shape
    q = [batch, heads, rows, 64 if "64" in function else 128]
    return dict.fromkeys("QKVO", q) | {"L": q[:3]}


def kernels_of(given):
    """The plan of each instance, in their order: those that are named, or those that the function chooses among."""
    asked = [f"--instantiate={each}" for each in given["instances"]]
    source = os.path.join(ROOT, "dsl-examples", given["source"])
    done = subprocess.run([toolchain.find_tkc(), source, *asked, "--emit=plan", "-o", "-"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True)
    functions = json.loads(done.stdout)["functions"]
    if given["instances"]:
        by_name = {each.get("function"): each for each in functions}
        return [by_name[each] for each in given["instances"]]
    by_name = {each["name"]: each for each in functions}
    return [by_name[each] for each in by_name[given["function"]]["kernels"]]


def predict(given, sms):
    """For each row the shape, the milliseconds and the cycles of each instance."""
    kernels = kernels_of(given)
    for row in given["rows"]:
        extents = extents_of(row[:3], given["function"])
        cycles = [predicted_cycles(kernel, values_of(kernel, kernel["arguments"], extents, {"scale": 1.0}), sms) for kernel in kernels]
        yield row[:3], row[3:], cycles


def loss(ms, cycles):
    """By how much the chosen instance is slower than the best one."""
    return ms[cycles.index(min(cycles))] / min(ms) - 1


def relative(rows):
    """Measured over predicted time, beside the mean of all."""
    logs = [[math.log(ms / cycles) for ms, cycles in zip(*row)] for row in rows]
    mean = sum(map(sum, logs)) / sum(map(len, logs))
    return [[math.exp(log - mean) for log in row] for row in logs]


def main():
    with open(os.path.join(HERE, "Inputs", "measured.json")) as file:
        record = json.load(file)
    gemm, small, large, causal, blockwise = ([*predict(each, record["sms"])] for each in record["kernels"])
    losses = [loss(ms, cycles) for _, ms, cycles in gemm]
    mean = math.exp(sum(map(math.log1p, losses)) / len(losses)) - 1
    print(f"gemm_nn: {len(losses)} shapes, the choice loses {100 * mean:.2f} % to the best instance, at most {100 * max(losses):.0f} %")
    wrong = []
    pairs = [(shape, ms[:2], cycles[:2]) for shape, ms, cycles in small]  # the two that attention_64 chooses among
    for name, rows, allowed in (("attention_64", pairs, 0.001), ("attention_64_causal", causal, 0.001), ("gemm_blockwise", blockwise, 0.02)):
        for shape, ms, cycles in rows:
            print(f"{name} {shape}: second over first {ms[1] / ms[0]:.3f}, predicted {cycles[1] / cycles[0]:.3f}")
            if loss(ms, cycles) > allowed:
                wrong.append(f"{name} {shape} loses {100 * loss(ms, cycles):.1f} %")
    print(f"wrong choices: {', '.join(wrong) or 'none'}")
    spread = 0
    for rows, given in ((small, record["kernels"][1]), (large, record["kernels"][2])):
        ratios = relative([(ms, cycles) for _, ms, cycles in rows])
        spread = max(spread, *(abs(ratio - 1) for row in ratios for ratio in row))
        for number, name in enumerate(given["instances"]):
            print(f"{name}: {' '.join(f'{row[number]:.3f}' for row in ratios)}")
    print(f"attention: at most {100 * spread:.1f} % apart")
    return 1 if mean > 0.0170 or wrong or spread > 0.08 else 0


sys.exit(main())
