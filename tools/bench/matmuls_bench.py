#!/usr/bin/env python3
"""Checks the emitted GEMM examples on the GPU and times them against torch and cuBLASLt.

    for e in gemm_layouts gemm_batched gemm_epilogue gemm_fp8 gemm_grouped gemm_splitk; do
      build/bin/tkc dsl-examples/$e.tk -o FOLDER/$e.cu; done
    matmuls_bench.py FOLDER [--only checks|times] [--random N] [--rows REGEX] [--samples N] [--sustained] [--json FILE]

FOLDER holds what tkc wrote, so that no tkc is needed where this runs; examples that are not in it are left out.

Checking: matmuls_check.py. Timing: bursts (bursts.py), inputs that rotate past three times the L2 cache, the kernels
taking turns. Where a function chooses among kernels, each of them is timed too; where cuBLASLt has the matmul, the
fastest of its heuristics (cublaslt.py).
"""

import argparse
import ctypes
import os
import re
import statistics
import sys
import tempfile

import torch

import cublaslt
from bursts import abi, build_all, burst, device_line, save, sustained, tensor_of, time_in_turn
from matmuls_check import EXAMPLE_OF, TORCH, Kernel, check_all, check_random, operands, scalars_of, variants
from tkc_run import matmuls


def chosen(library, name, tensors):
    """The number that a function would choose."""
    choice = ctypes.c_int32(-1)
    function = getattr(library, f"{name}_choice")
    function.restype = abi.Status
    described = [tensor_of(tensor) for tensor in tensors]
    function(*map(ctypes.byref, described), ctypes.byref(choice))
    return choice.value


# ---- Timing --------------------------------------------------------------------------------------------------------

CUBES = [(s, s, s) for s in (1024, 2048, 4096, 8192, 16384)]
SHALLOW = [(4096, 4096, k) for k in (64, 128, 256, 512, 1024)]
WIDE = [(8192, 4096, 4096), (8192, 14336, 4096), (8192, 1024, 4096), (8192, 4096, 14336)]


def torch_call(name, tensors):
    """What torch has for a kernel, as a call without arguments; None if nothing."""
    kind = matmuls.KERNELS[name]
    a, b, c = tensors[0], tensors[1], tensors[-1]
    x, y = a.mT if kind.at else a, b.mT if kind.bt else b
    if kind.form == "grouped":
        return None
    if kind.form == "split":
        whole = torch.empty(c.shape, device="cuda", dtype=a.dtype)
        return lambda: torch.mm(x, y, out=whole)
    if kind.element in (abi.E4M3, abi.E5M2):
        if kind.element == abi.E5M2:
            return None
        if kind.form == "blockwise":
            scales = tensors[2].T, tensors[3].T
            return lambda: torch._scaled_mm(x, y, *scales, out_dtype=TORCH[kind.out], out=c)
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(x, y, one, one, out_dtype=TORCH[kind.out], use_fast_accum=True, out=c)
    if kind.batched:
        return lambda: torch.bmm(x, y, out=c)
    if TORCH[kind.out] != TORCH[kind.element]:
        return None
    functional = torch.nn.functional
    if name == "gemm_bias":
        bias = tensors[2].bfloat16()
        return lambda: torch.addmm(bias, x, y, out=c)
    if name in ("gemm_gelu", "gemm_gelu_tanh", "gemm_silu"):
        bias = tensors[2].bfloat16()
        finish = functional.silu if name == "gemm_silu" else lambda v: functional.gelu(
            v, approximate="tanh" if name == "gemm_gelu_tanh" else "none")
        return lambda: finish(torch.addmm(bias, x, y, out=c))
    if name == "gemm_gate":
        return lambda: torch.mm(x, tensors[2], out=c).mul_(functional.silu(torch.mm(x, y)))
    if name == "gemm_residual":
        scale = tensors[2].bfloat16()[:, None]
        return lambda: torch.mm(x, y, out=c).mul_(scale).add_(tensors[3])
    return lambda: torch.mm(x, y, out=c)


def rows():
    """(kernel, shape) of every row."""
    for shape in CUBES + SHALLOW + WIDE:
        yield "gemm_nn", shape
    for shape in CUBES + WIDE[1:2]:
        yield "gemm_nt", shape
    for name in ("gemm_tn", "gemm_tt", "gemm_half", "gemm_half_float", "gemm_tf32"):
        yield name, (8192, 8192, 8192)
    for shape in ((4096,) * 3, (8192,) * 3, (16384,) * 3):
        yield "gemm_e4m3", shape
        yield "gemm_scaled", shape
        yield "gemm_blockwise", shape
    for name in ("gemm_bias", "gemm_gelu", "gemm_gelu_tanh", "gemm_silu", "gemm_gate", "gemm_residual"):
        yield name, (8192, 8192, 8192)
    yield "gemm_batched", (2048, 2048, 2048)
    yield "gemm_grouped", (8192, 4096, 4096)
    for shape in ((128, 4096, 16384), (512, 512, 16384)):
        yield "gemm_splitk", shape


def cublaslt_calls(lt, library, name, sets, estimate):
    """The fastest of cuBLASLt's proposals and its number, by one burst of each; None where it has none."""
    kind = matmuls.KERNELS[name]
    if kind.batched or kind.beside or kind.form not in ("", "scaled") or kind.element == abi.E5M2:
        return None
    a, b, c = sets[0][0], sets[0][1], sets[0][-1]
    matmul = cublaslt.Matmul(lt, kind.at, kind.bt, a, b, c)
    listed = [[matmul.prepare(number, s[0], s[1], s[-1]) for s in sets] for number in range(len(matmul.heuristics))]
    if not listed:
        return None
    for calls in listed:  # the peer must compute what we compute
        Kernel(library, name).prepare(sets[0], scalars_of(kind))()
        ours = c.double()
        calls[0]()
        if not (c.double() - ours).norm() <= 1e-2 * ours.norm():
            sys.exit(f"{name}: cuBLASLt and tkc do not agree")
    once = [burst(calls, estimate, 0.12 if estimate > 0.02 else 0.02) for calls in listed]
    return listed[once.index(min(once))], once.index(min(once))


def calls_of(lt, library, plain, name, sets, estimate, row):
    """Everything to be timed, by label, each as a list of calls with other tensors."""
    kind, calls = matmuls.KERNELS[name], {}
    theirs = [torch_call(name, tensors) for tensors in sets]
    if theirs[0]:
        try:
            theirs[0]()
            calls["torch"] = theirs
        except (RuntimeError, TypeError) as error:
            print(f"torch cannot: {error}", flush=True)
    if best := cublaslt_calls(lt, library, name, sets, estimate):
        calls["cublaslt"], row["heuristic"] = best
    calls["tkc"] = [Kernel(library, name).prepare(tensors, scalars_of(kind)) for tensors in sets]
    if labels := variants(library, name):
        row["chosen"] = labels[chosen(library, name, sets[0])]
        for number, label in enumerate(labels if not kind.bt else []):
            calls[label] = [Kernel(library, name, number).prepare(tensors) for tensors in sets]
    if kind.beside and "gate" not in kind.beside and plain:  # what the epilogue costs beside the matmul alone
        calls["plain"] = [Kernel(plain, "gemm_nn").prepare([s[0], s[1], s[-1]]) for s in sets]
    return calls


def time_row(lt, library, plain, name, shape, samples, is_sustained):
    kind = matmuls.KERNELS[name]
    m, n, k = shape
    batch = 16 if kind.batched else 1
    flops = 2.0 * m * n * k * batch * (2 if "gate" in kind.beside else 1)
    rate = 1400e9 if kind.element == abi.E4M3 else 375e9 if kind.element == matmuls.TF32 else 750e9
    estimate = max(flops / rate, 2.0 * m * n * batch / 3.5e9, 0.006)
    first = operands(kind, m, n, k)
    size = sum(tensor.numel() * tensor.element_size() for tensor in first)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    sets = [first] + [operands(kind, m, n, k) for _ in range(max(1, -(-3 * l2 // size) - 1))]
    row = {"kernel": name, "shape": shape, "times": {}}
    calls = calls_of(lt, library, plain, name, sets, estimate, row)
    for label, values in time_in_turn(calls, estimate, samples).items():
        ms = statistics.median(values)
        row["times"][label] = {"ms": ms, "tflops": 1e-9 * flops / ms, "samples": values}
    if is_sustained and estimate > 0.5:
        for label in calls:
            row["times"][label]["sustained_ms"] = sustained(calls[label], estimate)
    return row


def show(row):
    """One line: our time, and of the others theirs and how many times as long it is; sustained ones after a slash."""
    times = row["times"]
    tkc = times["tkc"]
    text = f"{row['kernel']:>16} {'x'.join(map(str, row['shape'])):>18}  tkc {tkc['ms']:8.4f} {tkc['tflops']:5.0f}"
    if "sustained_ms" in tkc:
        text += f" / {tkc['sustained_ms']:.4f}"
    for label, each in times.items():
        if label == "tkc":
            continue
        short = re.sub(r"matmul_\w+?_(\d+_\d+)$", r"\1", label)
        mark = "*" if label == row.get("chosen") else ""
        text += f"  {mark}{short} {each['ms']:.4f} ({each['ms'] / tkc['ms']:.3f}"
        text += f" / {each['sustained_ms'] / tkc['sustained_ms']:.3f})" if "sustained_ms" in each else ")"
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", choices=["checks", "times"])
    parser.add_argument("--rows", default="", metavar="REGEX", help="times only rows like 'gemm_nn 8192x8192x8192'")
    parser.add_argument("--shapes", type=int, default=40, help="random shapes for each kernel")
    parser.add_argument("--random", type=int, metavar="N", help="checks N random shapes of 1 to 5000 a side instead")
    parser.add_argument("--sustained", action="store_true", help="times large matmuls at the power limit, too")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()

    torch.backends.cuda.matmul.allow_tf32 = True
    print(device_line(), flush=True)
    present = [e for e in matmuls.EXAMPLES if os.path.exists(os.path.join(options.folder, e + ".cu"))]
    result = {"device": device_line(), "checks": {}, "rows": []}
    with tempfile.TemporaryDirectory() as folder:
        sources = {example: os.path.join(options.folder, example + ".cu") for example in present}
        libraries = build_all(sources, folder)
        for example, source in sources.items():
            libraries[example].source = source
        if options.only != "times":
            check = check_random if options.random else check_all
            result["checks"] = check(libraries, options.random or options.shapes)
        if options.only != "checks":
            lt = cublaslt.Library()
            for name, shape in rows():
                library = libraries.get(EXAMPLE_OF[name])
                if library and re.search(options.rows, f"{name} {'x'.join(map(str, shape))}"):
                    row = time_row(lt, library, libraries.get("gemm_layouts"), name, shape, options.samples,
                                   options.sustained)
                    result["rows"].append(row)
                    show(row)
    save(result, options.json)
    return 1 if any(check["failed"] for check in result["checks"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
