#!/usr/bin/env python3
"""chosen_rows.py - Which kernel the emitted launchers choose at every shape of docs/performance.md that has a choice.

The rows come from tools/bench/results, and JOINS; the emulator stands in for a GPU with 132 SMs, and tensors are described, not there.
"""
import ctypes
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
from tkc_run import abi, builds, sweep  # noqa: E402

FILES = ["attention", "gemm_fp8", "gemm_epilogue", "gemm_layouts", "mla_decode_rows"]
# Batch, parts, rows: what three rows of mla_decode join.
JOINS = ["mla_join_rows 32x64x128", "mla_join_rows 1x32x128", "mla_join_rows 4x84x64"]
DTYPES = {"i32": abi.I32, "bf16": abi.BF16, "f16": abi.F16, "f32": abi.F32, "tf32": abi.F32, "e4m3": abi.E4M3, "e5m2": abi.E5M2}
SIZES = {abi.I32: 4, abi.BF16: 2, abi.F16: 2, abi.F32: 4, abi.E4M3: 1, abi.E5M2: 1}
K_CONTIGUOUS = ("gemm_half_float", "gemm_tf32", "gemm_e4m3", "gemm_e5m2", "gemm_scaled", "gemm_blockwise")

# The kernel of each row, after the function's name. test/tuner/measured.py has times of those of attention and per-block scales.
CHOSEN = {
    "attention_64 16x32x1024x1024": "bm256_bn64",
    "attention_64 8x32x2048x2048": "bm256_bn64",
    "attention_64 4x32x4096x4096": "bm256_bn64",
    "attention_64 2x32x8192x8192": "bm192_bn128",
    "attention_64 1x32x16384x16384": "bm192_bn128",
    "attention_64_causal 16x32x1024x1024": "bm256_bn64",
    "attention_64_causal 8x32x2048x2048": "bm256_bn64",
    "attention_64_causal 4x32x4096x4096": "bm256_bn64",
    "attention_64_causal 2x32x8192x8192": "bm192_bn128",
    "attention_64_causal 1x32x16384x16384": "bm192_bn128",
    "gemm_scaled 4096x4096x4096": "bm128_bn256",
    "gemm_scaled 8192x8192x8192": "bm128_bn192_pingpong",
    "gemm_scaled 16384x16384x16384": "bm128_bn256",
    "gemm_blockwise 4096x4096x4096": "bm256_parts2",
    "gemm_blockwise 8192x8192x8192": "bm192_parts1",
    "gemm_blockwise 16384x16384x16384": "bm192_parts1",
    "gemm_bias 8192x8192x8192": "bn192_pingpong",
    "gemm_gelu 8192x8192x8192": "bn192_pingpong",
    "gemm_silu 8192x8192x8192": "bn192_pingpong",
    "gemm_residual 8192x8192x8192": "bn192_pingpong",
    "gemm_nn 1024x1024x1024": "bm64_bn128",
    "gemm_nn 2048x2048x2048": "bm128_bn256",
    "gemm_nn 4096x4096x64": "bm128_bn128_pingpong",
    "gemm_nn 4096x4096x128": "bm128_bn128_pingpong",
    "gemm_nn 4096x4096x256": "bm128_bn128_pingpong",
    "gemm_nn 4096x4096x512": "bm128_bn128_pingpong",
    "gemm_nn 4096x4096x1024": "bm128_bn128_pingpong",
    "gemm_nn 4096x4096x4096": "bm128_bn256",
    "gemm_nn 8192x8192x8192": "bm128_bn192_pingpong",
    "gemm_nn 16384x16384x16384": "bm256_bn192",
    "gemm_nn 8192x4096x4096": "bm128_bn256",
    "gemm_nn 8192x14336x4096": "bm128_bn192_pingpong",
    "gemm_nn 8192x1024x4096": "bm128_bn256",
    "gemm_nn 8192x4096x14336": "bm128_bn256",
    "gemm_nt 8192x8192x8192": "bm128_bn192_pingpong",
    "gemm_tf32 8192x8192x8192": "bm128_bn192_pingpong",
    "gemm_e4m3 4096x4096x4096": "bm128_bn256",
    "gemm_e4m3 8192x8192x8192": "bm128_bn192_pingpong",
    "gemm_e4m3 16384x16384x16384": "bm128_bn256",
    "mla_join_rows 32x64x128": "wide64_few2",  # docs/design/experiments/latent-attention.md has times
    "mla_join_rows 1x32x128": "wide16_few8",
    "mla_join_rows 4x84x64": "wide16_few8",
}


def extents_of(name, shape):
    """The tensors' extents by name."""
    if name.startswith("attention"):
        batch, heads, rows, keys = shape
        q, k = [batch, heads, rows, 64], [batch, heads, keys, 64]
        return {"Q": q, "K": k, "V": k, "O": q, "L": q[:3]}
    m, n, k = shape
    if name.startswith("mla_join"):
        return {"Part": [n, k, 512], "L": [n, k], "Starts": [m + 1], "O": [m, k, 512], "Sums": [m, k]}
    layout = name.removeprefix("gemm_")
    if layout not in ("nn", "nt", "tn", "tt"):
        layout = "nt" if name in K_CONTIGUOUS else "nn"
    return {"A": [m, k] if layout[0] == "n" else [k, m], "B": [k, n] if layout[1] == "n" else [n, k], "C": [m, n], "R": [m, n],
            "Bias": [n], "Scale": [m], "ScaleA": [-(-k // 128), m], "ScaleB": [-(-n // 128), -(-k // 128)]}


def described(argument, extents):
    """A tensor or scalar for a choice, which touches no element."""
    if argument["kind"] != "tensor":
        return ctypes.c_float(1)
    shape, dtype = extents[argument["name"]], DTYPES[argument["dtype"]]
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        whole = 16 // SIZES[dtype]
        step *= extent if strides[1:] else -(-extent // whole) * whole
    pad = (0,) * (4 - len(shape))
    return abi.Tensor(1 << 20, dtype, len(shape), (ctypes.c_int64 * 4)(*shape, *pad), (ctypes.c_int64 * 4)(*strides, *pad))


def choose(library, function, shape):
    arguments = [described(each, extents_of(function["name"], shape)) for each in function["arguments"]]
    number, choice = ctypes.c_int32(-1), getattr(library, function["name"] + "_choice")
    choice.restype, choice.argtypes = abi.Status, None
    status = choice(*[ctypes.byref(each) if isinstance(each, abi.Tensor) else each for each in arguments], ctypes.byref(number))
    if status.code != abi.OK:
        sys.exit(f"error: {function['name']} {shape}: {status}")
    return function["kernels"][number.value].removeprefix(function["name"] + "_")


def read_rows():
    for path in sorted(glob.glob(os.path.join(ROOT, "tools", "bench", "results", "*.json"))):
        with open(path) as file:
            for row in json.load(file)["rows"]:
                yield row.get("run", "")


def main():
    os.environ["TK_EMULATOR_SMS"] = "132"
    rows, wrong, checked = [*read_rows(), *JOINS], 0, 0
    for file in FILES:
        kernels = builds.Kernels(sweep.example_source(file))
        plan = json.loads(subprocess.run([builds.toolchain.find_tkc(), kernels.source, "--emit=plan", "-o", "-"], check=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
        library = kernels.load("emulator")
        for function in plan["functions"]:
            for row in rows if function["kind"] == "choice" else []:
                name, _, shape = row.partition(" ")
                if name != function["name"]:
                    continue
                found, wanted = choose(library, function, [int(extent) for extent in shape.split("x")]), CHOSEN.get(row)
                checked += 1
                if found != wanted:
                    wrong += 1
                    print(f"error: {row}: {found} when it should be {wanted}")
    print(f"{checked} rows, {wrong} wrong")
    return 1 if wrong or checked != len(CHOSEN) else 0


sys.exit(main())
