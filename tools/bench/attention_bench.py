#!/usr/bin/env python3
"""Checks emitted attention kernels on the GPU and times them against cuDNN's, through torch.

Each source is a .cu file that tkc wrote from attention.tk or attention_fp8.tk, with its instances. Checking: against float64
on the inputs as they are, quantised if the kernel takes 8-bit floats, with NaN in the outputs beforehand; four launches must
agree bit for bit. Timing: bursts (bursts.py) at batch * rows = 16384 and
heads * head size = 2048, which is how targets.md states the numbers to beat; and for head size 128 with 32 heads of queries
that share 8 of keys.

    attention_bench.py --source FILE ... [--kernels NAME=HEAD[c][q] ...] [--rows N ...] [--json FILE]

A kernel's head size is followed by c if it is causal and q if it takes 8-bit floats, V transposed and scales for each head.
"""

import argparse
import ctypes
import os
import statistics
import sys
import tempfile

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from bursts import abi, build_all, device_line, save, tensor_of, time_in_turn

GROUPED = [(4, 4096), (1, 16384)]  # batch, rows
KERNELS = ["attention=128", "attention_causal=128c", "attention_64=64", "attention_64_causal=64c"]


class Kernel:
    def __init__(self, libraries, text):
        self.name, _, form = text.partition("=")
        self.head, self.causal, self.is_quantised = int(form.rstrip("cq")), "c" in form, form.endswith("q")
        library = next((library for library in libraries if hasattr(library, self.name)), None)
        if not library:
            sys.exit(f"error: no source has a kernel {self.name}")
        self.function = getattr(library, self.name)
        self.function.restype = abi.Status
        self.scale = self.head**-0.5

    def operands(self, q, k, v):
        """What the kernel takes of these tensors, before its outputs and after them."""
        if not self.is_quantised:
            return [q, k, v], []
        return [list(parts) for parts in zip(quantise(q), quantise(k), quantise(v.transpose(2, 3)))]

    def values(self, operands, scales):
        """What they stand for, in float64."""
        if not scales:
            return operands
        q, k, v = (x.double() * scale.double()[..., None, None] for x, scale in zip(operands, scales))
        return q, k, v.transpose(2, 3)

    def prepare(self, *tensors):
        views = [tensor_of(tensor) for tensor in tensors]
        pointers = [ctypes.byref(view) for view in views]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

        def call(views=views, tensors=tensors):
            status = self.function(*pointers, ctypes.c_float(self.scale), stream)
            if status.code:
                sys.exit(f"{self.name}: {status.message.decode()}")

        return call


def quantise(x):
    """x as 8-bit floats and the scale of each head, which makes the largest one 448. Rows are multiples of 16 bytes apart."""
    scale = x.abs().amax((2, 3)).float() / 448
    room = torch.zeros(*x.shape[:3], -(-x.shape[3] // 16) * 16, device="cuda", dtype=torch.float8_e4m3fn)
    small = room[..., : x.shape[3]]
    small.copy_((x.float() / scale.clamp_min(1e-30)[..., None, None]).to(torch.float8_e4m3fn))
    return small, scale


def draw(*shape, by=1.0):
    return (by * torch.randn(*shape, device="cuda")).bfloat16()


def truth(q, k, v, scale, causal):
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1).double(), v.repeat_interleave(group, 1).double()
    scores = q.double() @ k.transpose(2, 3) * scale
    rows, keys = scores.shape[2:]
    if causal:
        seen = torch.ones(rows, keys, device="cuda", dtype=torch.bool).tril(keys - rows)
        scores = scores.masked_fill(~seen, float("-inf"))
    sums = scores.logsumexp(3)
    return (scores - sums.masked_fill(sums.isinf(), 0)[..., None]).exp() @ v, sums


def check(kernel, batch, heads, key_heads, rows, keys, by, transposed):
    """The relative error, and a message if something is wrong."""
    shapes = [(batch, heads, rows), (batch, key_heads, keys), (batch, key_heads, keys)]
    if transposed:  # (batch, rows, heads, D) in memory
        q, k, v = (draw(b, n, h, kernel.head, by=x).transpose(1, 2) for (b, h, n), x in zip(shapes, (by, 1, 1)))
    else:
        q, k, v = (draw(*shape, kernel.head, by=x) for shape, x in zip(shapes, (by, 1, 1)))
    operands, scales = kernel.operands(q, k, v)
    expected, sums = truth(*kernel.values(operands, scales), kernel.scale, kernel.causal)
    first = None
    for _ in range(4):
        o = torch.full_like(q, float("nan"))
        l = torch.full(q.shape[:3], float("nan"), device="cuda")
        kernel.prepare(*operands, o, l, *scales)()
        torch.cuda.synchronize()
        if first is not None and not torch.equal(o, first):
            return 0, "launches differ"
        first = o
    error = float((o.double() - expected).norm() / expected.norm().clamp_min(1e-30))
    finite = ~sums.isinf()
    wrong = float((l[finite].double() - sums[finite]).abs().max()) if finite.any() else 0.0
    # 8-bit matmuls keep about 14 bits of a sum; the others' L is that of sums of weights rounded to bf16.
    allowed, allowed_sums = (4e-2, 5e-3 * max(1, by)) if kernel.is_quantised else (4e-3, 2**-8 + 1e-5 * max(1.0, by**2 * 40))
    problem = ""
    if o.isnan().any():
        problem = f"{int(o.isnan().sum())} NaN in O"
    elif error > allowed:
        problem = "O is wrong"
    elif not torch.equal(l.isinf(), sums.isinf()) or wrong > allowed_sums:
        problem = f"L is wrong by {wrong:.2g}"
    return error, problem


def check_all(kernel):
    shapes = [(1, 1, 1, n, m, 1, False) for n in (1, 63, 128, 129, 257) for m in (1, 127, 128, 200, 640)]
    shapes += [(2, 4, 2, 300, 300, x, t) for x in (1, 6, 60) for t in (False, True)]
    shapes += [(1, 8, 1, 1000, 1000, 1, True), (3, 2, 2, 512, 768, 6, False), (1, 2, 1, 1024, 4096, 1, False)]
    failures, worst = [], 0.0
    for shape in shapes:
        error, problem = check(kernel, *shape)
        worst = max(worst, error if problem != "launches differ" else 0)
        if problem:
            failures.append(f"{shape}: {problem}, relative error {error:.2e}")
    print(f"{kernel.name}: {len(shapes) - len(failures)} of {len(shapes)} shapes right, largest relative error {worst:.2e}")
    for message in failures[:5]:
        print("  " + message, flush=True)
    return {"shapes": len(shapes), "failed": failures, "worst": worst}


def time_rows(kernel, batch, heads, key_heads, rows, samples):
    shapes = [(batch, count, rows, kernel.head) for count in (heads, key_heads, key_heads, heads)]
    sets = [[draw(*shape) for shape in shapes] for _ in range(2)]
    sums = torch.empty(batch, heads, rows, device="cuda")
    flops = 4.0 * batch * heads * rows * rows * kernel.head / (2 if kernel.causal else 1)

    def peer(q, k, v, o):
        def call():
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=kernel.causal,
                                                                 enable_gqa=heads != key_heads)
        return call

    def ours(q, k, v, o):
        operands, scales = kernel.operands(q, k, v)
        return kernel.prepare(*operands, o, sums, *scales)

    calls = {"cudnn": [peer(*tensors) for tensors in sets], "tkc": [ours(*tensors) for tensors in sets]}
    times = time_in_turn(calls, flops / 700e9, samples)
    row = {"kernel": kernel.name, "rows": rows, "heads": heads, "key_heads": key_heads}
    for label, values in times.items():
        ms = statistics.median(values)
        row[label] = {"ms": ms, "tflops": 1e-9 * flops / ms, "samples": values}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True, nargs="+", help="emitted attention.cu, attention_fp8.cu")
    parser.add_argument("--kernels", nargs="*", default=KERNELS, metavar="NAME=HEAD[c][q]")
    parser.add_argument("--rows", nargs="*", type=int, default=[1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()

    torch.manual_seed(0)
    print(device_line(), flush=True)
    result = {"device": device_line(), "checks": {}, "rows": []}
    with tempfile.TemporaryDirectory() as folder:
        sources = {os.path.splitext(os.path.basename(source))[0]: source for source in options.source}
        libraries = build_all(sources, folder).values()
        kernels = [Kernel(libraries, text) for text in options.kernels]
        for kernel in kernels:
            result["checks"][kernel.name] = check_all(kernel)
        for kernel in kernels:
            heads = 2048 // kernel.head
            shapes = [(max(1, 16384 // rows), heads, heads, rows) for rows in options.rows]
            shapes += [(batch, 32, 8, rows) for batch, rows in GROUPED if kernel.head == 128]
            for shape in shapes:
                row = time_rows(kernel, *shape, options.samples)
                result["rows"].append(row)
                ours, peer = row["tkc"], row["cudnn"]
                print(f"{kernel.name:>20} {'{}x{}/{}x{}'.format(*shape):>14}  cudnn {peer['ms']:8.4f} ms {peer['tflops']:5.0f}   "
                      f"tkc {ours['ms']:8.4f} ms {ours['tflops']:5.0f}   {peer['ms'] / ours['ms']:6.3f}", flush=True)
    save(result, options.json)
    return 1 if any(done["failed"] for done in result["checks"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
