#!/usr/bin/env python3
"""Checks emitted GEMM kernels on the GPU and times them against torch.matmul.

Each source is a .cu file that tkc wrote from gemm.tk (by default the golden one). It is built with nvcc into a
shared library and called through its C function, as any program would call it.

Checking: against float64, element by element, with NaN in the output beforehand and in everything around the
tensors, so that a missing write, a write outside and a read outside all show.

Timing: bursts (bursts.py), with inputs that rotate past three times the L2 cache.

    gemm_bench.py [--source LABEL=FILE]... [--shapes M,N,K ...] [--check quick|full|none] [--json FILE]
"""

import argparse
import ctypes
import os
import random
import statistics
import sys
import tempfile

import torch

from bursts import ROOT, abi, build, device_line, save, tensor_of, time_in_turn
GOLDEN = os.path.join(ROOT, "test", "golden", "gemm.cu")
TIMED_SHAPES = ["8192,8192,8192", "4096,4096,4096"] + [f"4096,4096,{k}" for k in (64, 128, 256, 512, 1024)]


class Kernel:
    def __init__(self, label, function):
        self.label, self.function = label, function
        if function is not None:
            function.restype = abi.Status

    def prepare(self, a, b, c):
        """A call without arguments, with everything Python needs to do already done."""
        if self.function is None:
            return lambda: torch.matmul(a, b, out=c)
        tensors = [tensor_of(a), tensor_of(b), tensor_of(c)]
        pointers = [ctypes.byref(t) for t in tensors]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

        def call(tensors=tensors):
            status = self.function(*pointers, stream)
            if status.code:
                sys.exit(f"{self.label}: {status.message.decode()}")

        return call


# ---- Checking ------------------------------------------------------------------------------------------------------


def surrounded(rows, cols):
    """A rows x cols view of random values whose rows are padded to 16 bytes, with NaN all around."""
    stride = (cols + 7) // 8 * 8 + 8
    memory = torch.full((rows + 2, stride), float("nan"), device="cuda", dtype=torch.bfloat16)
    view = memory[1 : rows + 1, :cols]
    return memory, view


def check(kernel, m, n, k):
    """An error message, or None."""
    memory_a, a = surrounded(m, k)
    memory_b, b = surrounded(k, n)
    memory_c, c = surrounded(m, n)
    a.copy_(torch.randn(m, k, device="cuda"))
    b.copy_(torch.randn(k, n, device="cuda"))
    kernel.prepare(a, b, c)()
    exact = a.double() @ b.double()
    # One rounding to bf16, and fp32 sums that may lose a few bits of the largest term.
    allowed = exact.abs() * 2.0**-8 + (a.float().abs() @ b.float().abs()).double() * 2.0**-18
    wrong = ~((c.double() - exact).abs() <= allowed)
    if wrong.any():
        i, j = wrong.nonzero()[0].tolist()
        return f"{m}x{n}x{k}: {int(wrong.sum())} wrong, first at {i},{j}: {c[i, j].item()} for {exact[i, j].item()}"
    c.fill_(float("nan"))
    if not memory_c.isnan().all():
        return f"{m}x{n}x{k}: wrote outside of C"
    return None


def check_all(kernel, extent):
    shapes = [(m, n, k) for m in (64, 100, 4096) for n in (64, 200, 8192) for k in (64, 100, 4096)]
    shapes += [(1, 1, 1), (128, 256, 64), (129, 257, 65), (127, 255, 63), (8192, 8192, 8192)]
    if extent == "full":
        sizes = (64, 100, 128, 200, 4096, 8192)
        shapes = [(m, n, k) for m in sizes for n in sizes for k in sizes]
        choose = random.Random(1)
        shapes += [tuple(choose.randint(1, 600) for _ in range(3)) for _ in range(1000)]
    torch.manual_seed(0)
    failures = [message for message in (check(kernel, *shape) for shape in shapes) if message]
    for message in failures[:10]:
        print(f"{kernel.label}: {message}", flush=True)
    print(f"{kernel.label}: {len(shapes) - len(failures)} of {len(shapes)} shapes right", flush=True)
    return {"shapes": len(shapes), "failed": failures}


def check_refusals(kernel):
    """Bad arguments get a status and a sentence, and nothing is launched."""
    good = torch.zeros(64, 64, device="cuda", dtype=torch.bfloat16)
    narrow = torch.zeros(64, 68, device="cuda", dtype=torch.bfloat16)[:, :64]
    a, b, c = tensor_of(good), tensor_of(good), tensor_of(good)
    short = tensor_of(good[:32])
    empty = tensor_of(good[:, :0])
    none = tensor_of(good[:0])
    cases = [
        ("null tensor", (None, b, c), 1),
        ("stride of 136 bytes", (tensor_of(narrow), b, c), 1),
        ("rank 1", (tensor_of(good[0]), b, c), 1),
        ("K differs", (a, short, c), 1),
        ("K is 0", (empty, none, c), 1),
        ("M is 0", (none, b, none), 0),
    ]
    results = []
    for name, tensors, code in cases:
        status = kernel.function(*(t and ctypes.byref(t) for t in tensors), None)
        right = status.code == code and (code == 0) == (not status.message)
        results.append({"case": name, "right": right, "message": status.message.decode()})
        print(f"{kernel.label}: {name}: {'ok' if right else 'WRONG'}: {status.code} {status.message.decode()}")
    return results


# ---- Timing --------------------------------------------------------------------------------------------------------


def random_rows(rows, cols):
    """Normal values; rows are padded to 16 bytes where they need it."""
    return torch.randn(rows, (cols + 7) // 8 * 8, device="cuda").bfloat16()[:, :cols]


def time_shape(kernels, m, n, k, samples):
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    sets = max(2, -(-3 * l2 // (2 * (m * k + k * n + m * n))))
    a = [random_rows(m, k) for _ in range(sets)]
    b = [random_rows(k, n) for _ in range(sets)]
    c = [random_rows(m, n) for _ in range(sets)]
    calls = {kernel.label: [kernel.prepare(*abc) for abc in zip(a, b, c)] for kernel in kernels}
    times = time_in_turn(calls, max(2.0 * m * n * k / 750e9, 2.0 * m * n / 3.5e9, 0.006), samples)
    row = {"shape": [m, n, k]}
    for label, values in times.items():
        ms = statistics.median(values)
        row[label] = {"ms": ms, "tflops": 2e-9 * m * n * k / ms, "samples": values}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", action="append", metavar="LABEL=FILE", help="an emitted gemm (default: golden)")
    parser.add_argument("--shapes", nargs="*", default=TIMED_SHAPES, metavar="M,N,K")
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--check", choices=["quick", "full", "none"], default="quick")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()

    sources = dict(source.split("=", 1) for source in options.source or [f"tkc={GOLDEN}"])
    print(device_line(), flush=True)
    result = {"device": device_line(), "checks": {}, "rows": []}
    with tempfile.TemporaryDirectory() as folder:
        ours = [Kernel(label, build(source, folder, label).gemm) for label, source in sources.items()]
        if options.check != "none":
            for number, kernel in enumerate(ours):
                result["checks"][kernel.label] = check_all(kernel, options.check if number == 0 else "quick")
                result["checks"][kernel.label]["refusals"] = check_refusals(kernel) if number == 0 else []
        kernels = [Kernel("torch", None)] + ours
        print(f"{'M,N,K':>16}" + "".join(f" {kernel.label:>22}" for kernel in kernels) + "   ms, TFLOP/s, of torch")
        for shape in options.shapes:
            row = time_shape(kernels, *map(int, shape.split(",")), options.samples)
            result["rows"].append(row)
            cells = [row[kernel.label] for kernel in kernels]
            text = "".join(f"  {c['ms']:8.4f} {c['tflops']:5.0f} {cells[0]['ms'] / c['ms']:6.3f}" for c in cells)
            print(f"{shape:>16}{text}", flush=True)
    save(result, options.json)
    wrong = sum(len(c["failed"]) + sum(not r["right"] for r in c["refusals"]) for c in result["checks"].values())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
