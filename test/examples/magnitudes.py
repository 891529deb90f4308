#!/usr/bin/env python3
"""magnitudes.py - Rewritten arithmetic at 1e-38 to 3e38, and attention whose keys are hidden by numbers, against float64.

Usage: magnitudes.py [--backends emulator,uncontracted,gpu] [--only FILE] [--json FILE] [--emit-to FOLDER | --emitted FOLDER]
Three parts: elementwise kernels (Inputs/elements.tk), whose results must be as near as docs/language.md says; attention as
textbooks write it (Inputs/plain_attention.tk) with masks of -1e4 to -FLT_MAX and -inf, padding at either side, and rows that
see nothing; and the attention examples with scores up to 1e30. No result may be NaN where the truth is none.
Where there is no tkc, `--emitted` takes what `--emit-to` wrote elsewhere.
"""
import argparse
import ctypes
import json
import os
import shutil
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "python"))
from tkc_run import abi
from tkc_run.attention import KERNELS, Attention, Shape
from tkc_run.attention_batches import Decode, Varlen
from tkc_run.builds import Kernels
from tkc_run.cases import Case, Output
from tkc_run.compare import BF16_ROUNDING
from tkc_run.sweep import example_source
from tkc_run.tensors import HostTensor
from tkc_run.backends import EMULATOR_TIMINGS, Backend, available, set_emulator

FLOAT_MAX = float(np.finfo(np.float32).max)
SUBNORMAL = 2.0**-126  # what is smaller may be zero
EXPONENTIAL = 2.0**-22  # of ex2, relative
LAST_PLACES = 4 * 2.0**-23  # of exp, where its results are stored as floats
QUOTIENT = 4 * 2.0**-23
SCORE = 2.0**-18  # of the largest score
GUARD = 4096 * 2.0**-24  # of an exponent whose reference is rounded


def filled(values, dtype=abi.F32):
    tensor = HostTensor(np.shape(values), dtype=dtype)
    tensor.set(np.asarray(values, np.float32))
    return tensor, tensor.values().astype(np.float64)


# ===-----------------------------------------------------------------------=== #
# Elements
# ===-----------------------------------------------------------------------=== #


def rows_of_all_sizes():
    """128 rows: numbers of a size, from 2^-126 to 2^126, and others that are near one of that size. With masks in some."""
    rng = np.random.default_rng(5)
    sizes = 2.0 ** np.linspace(-126, 126, 128)[:, None]
    steps = rng.integers(-80, 81, (128, 64)) * np.maximum(1, sizes * 2.0**-22)
    near = sizes * rng.choice([-1, 1], (128, 1)) + steps
    values = np.where(np.arange(128)[:, None] % 2, near, sizes * rng.standard_normal((128, 64)))
    values[::5, ::7] = -np.inf
    values[3::5, ::9] = -1e30
    values[4::5, 3::9] = -FLOAT_MAX
    return values


def exponentials(name, scale):
    """A Case of one of the kernels: exp of exponents that are rounded as in its source."""
    def single(values):
        with np.errstate(over="ignore"):
            return np.float32(values).astype(np.float64)

    x, xs = filled(rows_of_all_sizes())
    factor = float(np.float32(scale))
    top = xs.max(axis=1, keepdims=True)
    if name == "softmax_weights":
        exponent = single(xs - top)
    elif name == "scaled_differences":
        exponent = single(single(xs - top) * factor)
    elif name == "scaled_first":
        scaled = single(xs * factor)
        exponent = single(scaled - scaled.max(axis=1, keepdims=True))
    else:
        exponent = single(xs * factor)
    # Beyond this it is infinite, and beside it it may be.
    truth = np.where(exponent > np.log(FLOAT_MAX), np.inf, np.exp(np.minimum(exponent, 89)))
    allowed = np.where(np.isinf(truth), 0, truth) * LAST_PLACES + SUBNORMAL
    allowed[np.abs(exponent - np.log(FLOAT_MAX)) < 1e-4] = np.inf
    scalars = [] if name == "softmax_weights" else [ctypes.c_float(factor)]
    return Case({"X": x, "Y": Output(HostTensor(xs.shape, dtype=abi.F32), truth, allowed)}, scalars)


def quotients():
    """Rows of numbers by divisors from the smallest normal one to the largest."""
    x, xs = filled(rows_of_all_sizes())
    divisors = np.resize([1, -1], 128) * np.exp2(np.linspace(-126, 127.9, 128))[np.random.default_rng(3).permutation(128)]
    v, vs = filled(divisors)
    with np.errstate(over="ignore"):
        truth = xs / vs[:, None]
        truth = np.where(np.abs(truth) > FLOAT_MAX, np.copysign(np.inf, truth), truth)
    allowed = QUOTIENT * np.abs(np.where(np.isinf(truth), 0, truth)) + SUBNORMAL
    return Case({"X": x, "V": v, "Y": Output(HostTensor(xs.shape, dtype=abi.F32), truth, allowed)})


def shares(sign):
    """exp(sign x) by the sum over its row, whose exponents are rounded once. Where x is beyond 2^30, all but the first count little."""
    x, xs = filled(rows_of_all_sizes() if sign > 0 else -rows_of_all_sizes())
    exponent = sign * xs - (sign * xs).max(axis=1, keepdims=True)
    truth = np.exp(exponent)
    truth /= truth.sum(axis=1, keepdims=True)
    relative = 2 * EXPONENTIAL + QUOTIENT + np.expm1((np.clip(np.abs(exponent), 0, 104) + 32) * (2.0**-24 + 2.0**-25.2))
    large = np.abs(xs).max(axis=1, keepdims=True, where=np.isfinite(xs), initial=0) >= 2.0**29
    allowed = truth * relative + SUBNORMAL * 2.0**33 + np.where(large, 2.0**-40, 0)
    return Case({"X": x, "Y": Output(HostTensor(xs.shape, dtype=abi.F32), truth, allowed)})


# Where an MMA overflows, it is the program's own.
FACTORS = {"softmax_weights": [1], "scaled_first": [1, 0.125, 3.7e-5, 1e-30]}


def elements():
    for name in ("softmax_weights", "scaled_differences", "scaled_first", "powers"):
        for factor in FACTORS.get(name, [1, 0.125, 3.7e-5, 1e-30, 37, 1e30]):
            yield name, f"times {factor:g}", exponentials(name, factor)
    yield "quotients", "all sizes", quotients()
    yield "softmax", "all sizes", shares(1)
    yield "softmin", "all sizes", shares(-1)


# ===-----------------------------------------------------------------------=== #
# Attention as textbooks write it
# ===-----------------------------------------------------------------------=== #

KEYS, ROWS = 256, 128
PADDINGS = {"left": (70, KEYS), "right": (0, 150), "both": (130, 200), "all": (KEYS, KEYS), "none": (0, KEYS)}
MASKS = (-1e4, -1e9, -1e30, -FLOAT_MAX, -np.inf)


def textbook(kernel, query_scale, padding, hidden):
    rng = np.random.default_rng(11)
    (q, qs), (k, ks), (v, vs) = (filled(by * rng.standard_normal((rows, 64)), abi.BF16)
                                 for by, rows in ((query_scale, ROWS), (1, KEYS), (1, KEYS)))
    scale = float(np.float32(0.125))
    first, last = PADDINGS[padding]
    scores, key = qs @ ks.T * scale, np.arange(KEYS)
    largest = np.abs(scores).max()
    if kernel != "unmasked":
        seen = np.broadcast_to((key >= first) & (key < last), scores.shape)
        if kernel == "causal_padded":
            seen = seen & (key <= np.arange(ROWS)[:, None])
        hides = float(np.float32(hidden)) * (scale if kernel == "causal_padded" else 1)
        scores = np.where(seen, scores, hides)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    truth, magnitude = p @ vs, p @ np.abs(vs)
    allowed = BF16_ROUNDING * (np.abs(truth) + magnitude) + (SCORE * largest + GUARD) * magnitude + 1e-6
    scalars = [ctypes.c_float(scale)]
    if kernel != "unmasked":
        scalars += [ctypes.c_int32(first), ctypes.c_int32(last), ctypes.c_float(hidden)]
    return Case({"Q": q, "K": k, "V": v, "O": Output(HostTensor(truth.shape), truth, allowed)}, scalars)


def textbooks():
    for kernel in ("padded", "causal_padded"):
        for padding in PADDINGS:
            for hidden in MASKS:
                # Where -inf hides all of a first block, exp(-inf - -inf) is not a number, as it is in C++.
                if hidden > -np.inf or padding in ("right", "none"):
                    for query_scale in (1, 30):
                        what = f"{padding} {hidden:g} @{query_scale}"
                        yield kernel, what, textbook(kernel, query_scale, padding, hidden)
    for query_scale in (1, 30, 1e3, 1e6, 1e30):
        yield "unmasked", f"@{query_scale:g}", textbook("unmasked", query_scale, "none", 0)


# ===-----------------------------------------------------------------------=== #
# The examples
# ===-----------------------------------------------------------------------=== #


def capped(problem, values):
    """Whatever the scores are, O is between the values."""
    largest = 2 * np.abs(values).max()
    if isinstance(problem.allowed, list):
        problem.allowed[0] = np.minimum(problem.allowed[0], largest)
    else:
        problem.allowed = np.minimum(problem.allowed, largest)
    return problem


CHOICES = ("attention_64", "attention_64_causal")  # launch one of the others
SCALES = (100.0, 1e4, 1e6, 1e30)


def examples(only):
    """The name of an example, its kernel, what is special, and the problem."""
    batches = [("attention_decode", name, Decode, "300,64x1x16/1") for name in Decode.PAGES]
    batches += [("attention_varlen", name, Varlen, "5:7,129:257x1") for name in Varlen.FORMS]
    for scale in SCALES:
        for name, kernel in KERNELS.items():
            if name not in CHOICES and kernel.example.startswith(only):
                shape = Shape(1, 1, 1, kernel.rows + 5, 3 * kernel.keys + 7, scale)
                problem = Attention(shape, 1, name)
                yield kernel.example, name, f"@{scale:g}", capped(problem, problem.operands[2].values())
        for example, name, make, text in batches:
            if example.startswith(only):
                problem = make(text, 1, name, scale)
                yield example, name, f"@{scale:g}", capped(problem, problem.v.values())


def problems(only):
    """All of it: the source, its kernel, what is special, and what can be checked."""
    for source, part in (("elements", elements), ("plain_attention", textbooks)):
        if source.startswith(only):
            for kernel, what, problem in part():
                yield os.path.join(HERE, "Inputs", source + ".tk"), kernel, what, problem
    for example, kernel, what, problem in examples(only):
        yield example_source(example), kernel, what, problem


def sources():
    inputs = [os.path.join(HERE, "Inputs", name + ".tk") for name in ("elements", "plain_attention")]
    examples_of = sorted({kernel.example for kernel in KERNELS.values()} | {"attention_decode", "attention_varlen"})
    return inputs + [example_source(name) for name in examples_of]


def emit(folder):
    os.makedirs(folder, exist_ok=True)
    for source in sources():
        shutil.copytree(Kernels(source, ["-Wno-tk-perf"]).text("cuda"), folder, dirs_exist_ok=True)


def not_numbers(problem):
    """How many of the results are NaN, where there are results."""
    if isinstance(problem, Case):
        found = [value.tensor.values() for value in problem.tensors.values() if isinstance(value, Output)]
    else:
        written = getattr(problem, "inside", slice(None))  # of sequences
        found = [tensor.values()[:, written] for tensor in (problem.o, problem.l)]
    return int(sum(np.count_nonzero(np.isnan(values)) for values in found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backends", help="of emulator, uncontracted, gpu; default: emulator, and gpu if there is one")
    parser.add_argument("--only", default="", metavar="FILE", help="the .tk files whose name begins so")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--emit-to", metavar="FOLDER", help="run nothing: write the CUDA there")
    parser.add_argument("--emitted", metavar="FOLDER", help="run the CUDA written there")
    options = parser.parse_args()
    if options.emit_to:
        return emit(options.emit_to)
    names = options.backends.split(",") if options.backends else [name for name in available()[0] if name != "reference"]
    backends, results, failures = {}, [], 0
    for i, (source, kernel, what, problem) in enumerate(problems(options.only)):
        stem = os.path.splitext(os.path.basename(source))[0]
        for name in names:
            if (name, source) not in backends:
                backends[name, source] = Backend(name, Kernels(source, ["-Wno-tk-perf"], emitted=options.emitted))
            set_emulator(i, EMULATOR_TIMINGS[i % len(EMULATOR_TIMINGS)])
            result = problem.check(backends[name, source], kernel)
            worst = result.comparison.worst if result.comparison else float("nan")
            results.append({"file": stem, "kernel": kernel, "case": what, "way": name, "of_allowed": worst,
                            "not_numbers": not_numbers(problem), "problem": result.problem})
            if result.problem:
                failures += 1
                print(f"FAIL {stem} {kernel} {what} {name}: {result.problem}", flush=True)
    for stem in dict.fromkeys(result["file"] for result in results):
        own = [result for result in results if result["file"] == stem]
        print(f"{stem}: {len(own)} runs, {sum(bool(result['problem']) for result in own)} wrong, "
              f"{sum(result['not_numbers'] for result in own)} results are NaN, "
              f"largest error {np.nanmax([result['of_allowed'] for result in own]):.2f} of what is allowed")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)
    print(f"{failures} failures")
    return 1 if failures or not results else 0


if __name__ == "__main__":
    sys.exit(main())
