#!/usr/bin/env python3
"""Checks the emitted kernels of rotary.tk and linear_attention.tk on long sequences on the GPU, and times them.

    for e in rotary linear_attention; do build/bin/tkc dsl-examples/$e.tk -o FOLDER/$e.cu; done
    sequences_bench.py FOLDER [--json FILE]

Checking: against float64 (linear attention chunk by chunk, which is exact to the kernel's own error), with NaN in the
outputs beforehand. Timing: bursts (bursts.py), inputs rotated past three times the L2 cache; rotary beside
torch.compile of the same formula, both beside what a copy of as many bytes takes.
"""

import argparse
import ctypes
import json
import os
import statistics
import sys
import tempfile

import torch

from bursts import abi, build, device_line, tensor_of, time_in_turn


def caller(library, name):
    function = getattr(library, name)
    function.restype = abi.Status

    def prepare(*tensors):
        views = [tensor_of(tensor) for tensor in tensors]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        pointers = [ctypes.byref(view) for view in views]

        def call(views=views):
            status = function(*pointers, stream)
            if status.code:
                sys.exit(f"{name}: {status.message.decode()}")

        return call

    return prepare


def draw(*shape, by=1.0, dtype=torch.bfloat16):
    return (by * torch.randn(*shape, device="cuda")).to(dtype)


def tables(rows, head):
    angles = torch.arange(rows, device="cuda")[:, None] * 10000.0 ** (-torch.arange(head // 2, device="cuda") * 2 / head)
    return angles.cos().contiguous(), angles.sin().contiguous()


def rotate(x, c, s):
    a, z = x.chunk(2, -1)
    return torch.cat([a * c - z * s, z * c + a * s], -1).to(x.dtype)


def recurrence(q, k, v, first, logs, chunk=64):
    """Outputs and the last state, in float64."""
    q, k, v, state = q.double(), k.double(), v.double(), first.double()
    g = logs.double()[None, :, None]
    outputs = []
    for at in range(0, q.shape[2], chunk):
        i = torch.arange(min(chunk, q.shape[2] - at), device="cuda")
        part = [x[:, :, at : at + len(i)] for x in (q, k, v)]
        fades = torch.exp2(g[..., None] * (i[:, None] - i[None, :])).tril()
        inside = (part[0] @ part[1].transpose(2, 3)).mul(fades) @ part[2]
        outputs.append(inside + torch.exp2(g * (i + 1))[..., None] * (part[0] @ state))
        kept = part[2] * torch.exp2(g * (len(i) - 1 - i))[..., None]
        state = torch.exp2(g * len(i))[..., None] * state + part[1].transpose(2, 3) @ kept
    return torch.cat(outputs, 2), state


def relative(found, truth):
    return float((found.double() - truth).norm() / truth.norm())


def copies(size):
    """A copy that moves as many bytes, in and out."""
    sources = [torch.empty(size // 2, dtype=torch.uint8, device="cuda") for _ in range(2)]
    target = torch.empty(size // 2, dtype=torch.uint8, device="cuda")
    return [lambda source=source: target.copy_(source) for source in sources]


def report(result, name, shape, calls, size):
    calls["copy"] = copies(size)
    times = {label: statistics.median(v) for label, v in time_in_turn(calls, size / 2e9, 4).items()}
    result["rows"].append({"kernel": name, "shape": shape, "bytes": size, **times})
    others = "  ".join(f"{label} {ms:.4f} ({ms / times['tkc']:.3f})" for label, ms in times.items() if label != "tkc")
    print(f"{name:>22} {shape!s:>22}  tkc {times['tkc']:.4f} ms, {1e-6 * size / times['tkc']:.0f} GB/s  {others}", flush=True)


def rotary(library, result):
    compiled = torch.compile(rotate)
    for head, heads, rows in ((64, 16, 1024), (64, 16, 3072), (64, 16, 12288), (128, 8, 2048), (128, 8, 6144)):
        prepare = caller(library, "rotary" if head == 64 else "rotary_128")
        c, s = tables(rows, head)
        sets = [(draw(16, heads, rows, head), torch.full((16, heads, rows, head), float("nan"), device="cuda").bfloat16())
                for _ in range(3)]
        prepare(sets[0][0], c, s, sets[0][1])()
        error = relative(sets[0][1], rotate(sets[0][0].double(), c.double(), s.double()))
        result["checks"][f"rotary {head} {rows}"] = error
        calls = {"tkc": [prepare(x, c, s, y) for x, y in sets], "compiled": [lambda x=x: compiled(x, c, s) for x, _ in sets]}
        report(result, "rotary", (16, heads, rows, head), calls, 2 * 2 * sets[0][0].numel())


def linear_attention(library, result):
    for head, fades, rows in ((64, False, 1000), (128, True, 1000), (64, False, 3072), (64, True, 3072), (128, False, 3072),
                              (128, True, 3072), (128, True, 12288)):
        name = ("fading_attention" if fades else "linear_attention") + ("" if head == 64 else "_128")
        prepare = caller(library, name)
        logs = -torch.rand(16, device="cuda") if fades else torch.zeros(16, device="cuda")
        sets = []
        for _ in range(3):
            q, k, v = (draw(16, 16, rows, head, by=head**-0.25) for _ in range(3))
            states = draw(16, 16, head, head, dtype=torch.float32), torch.full((16, 16, head, head), float("nan"), device="cuda")
            sets.append((q, k, v, torch.full_like(q, float("nan")), *states, logs))
        prepare(*sets[0])()
        q, k, v, o, first, last, _ = sets[0]
        truth, state = recurrence(q, k, v, first, logs)
        result["checks"][f"{name} {rows}"] = max(relative(o, truth), relative(last, state))
        del truth
        size = 4 * 2 * q.numel() + 2 * 4 * first.numel()
        report(result, name, (16, 16, rows, head), {"tkc": [prepare(*tensors) for tensors in sets]}, size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    torch.manual_seed(0)
    print(device_line(), flush=True)
    result = {"device": device_line(), "checks": {}, "rows": []}
    with tempfile.TemporaryDirectory() as folder:
        for measure in (rotary, linear_attention):
            name = measure.__name__
            measure(build(os.path.join(options.folder, name + ".cu"), folder, name), result)
    wrong = {name: error for name, error in result["checks"].items() if not error < 6e-3}
    print(f"{len(result['checks'])} checks, largest relative error {max(result['checks'].values()):.2e}; wrong: {wrong or 'none'}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
