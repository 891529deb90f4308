#!/usr/bin/env python3
"""Checks the emitted kernels of the examples that work on sequences on the GPU, and times them.

    for e in rotary linear_attention mamba2 based; do build/bin/tkc dsl-examples/$e.tk -o FOLDER/$e.cu; done
    sequences_bench.py FOLDER [--only EXAMPLE ...] [--beside FOLDER] [--without-peers]

Checking: against float64 (recurrences chunk by chunk, which is exact to the kernel's own error), with NaN in the
outputs beforehand. Timing: bursts (bursts.py), inputs rotated past three times the L2 cache, beside what a copy of as
many bytes takes; rotary beside torch.compile of the same formula, the others beside the libraries of
sequences_peers.py, where they can be imported.
"""

import argparse
import concurrent.futures
import ctypes
import json
import os
import statistics
import sys
import tempfile

import torch

import sequences_peers as peers
from bursts import abi, build, device_line, tensor_of, time_in_turn
from sequences_peers import add_peer


def caller(library, name):
    function = getattr(library, name)
    function.restype = abi.Status

    def prepare(*tensors, scalars=()):
        views = [tensor_of(tensor) for tensor in tensors]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        pointers = [ctypes.byref(view) for view in views]

        def call(views=views):
            status = function(*pointers, *scalars, stream)
            if status.code:
                sys.exit(f"{name}: {status.message.decode()}")

        return call

    return prepare


ALLOWED = 6e-3  # relative error, of the norm


def build_all(sources, folder, name):
    """The libraries of several versions of an emitted file, label by label, compiled side by side."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        builds = {label: pool.submit(build, source, folder, f"{label}-{name}") for label, source in sources.items()}
        return {label: done.result() for label, done in builds.items()}


def draw(*shape, by=1.0, dtype=torch.bfloat16):
    return (by * torch.randn(*shape, device="cuda")).to(dtype)


def tables(rows, head):
    angles = torch.arange(rows, device="cuda")[:, None] * 10000.0 ** (-torch.arange(head // 2, device="cuda") * 2 / head)
    return angles.cos().contiguous(), angles.sin().contiguous()


def rotate(x, c, s):
    a, z = x.chunk(2, -1)
    return torch.cat([a * c - z * s, z * c + a * s], -1).to(x.dtype)


def recurrence(q, k, v, first, logs, chunk=64):
    """Outputs and the last state, in float64; logs, to the base 2, are those of each position's decay, (batch, heads, length)."""
    q, k, v, state, logs = (x.double() for x in (q, k, v, first, logs))
    outputs = []
    for at in range(0, q.shape[2], chunk):
        part = [x[:, :, at : at + chunk] for x in (q, k, v)]
        now = logs[:, :, at : at + chunk].cumsum(2)[..., None]
        fades = torch.exp2((now - now.transpose(2, 3)).clamp(max=0)).tril()
        inside = (part[0] @ part[1].transpose(2, 3)).mul(fades) @ part[2]
        outputs.append(inside + torch.exp2(now) * (part[0] @ state))
        kept = part[2] * torch.exp2(now[:, :, -1:] - now)
        state = torch.exp2(now[:, :, -1:]) * state + part[1].transpose(2, 3) @ kept
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
    for check, error in result["checks"].items():
        if not error < ALLOWED:
            print(f"WRONG: {check}: relative error {error:.3g}", flush=True)
    result["rows"].append({"kernel": name, "shape": shape, "bytes": size, **times})
    others = "  ".join(f"{label} {ms:.4f} ({ms / times['tkc']:.3f})" for label, ms in times.items() if label != "tkc")
    print(f"{name:>22} {shape!s:>22}  tkc {times['tkc']:.4f} ms, {1e-6 * size / times['tkc']:.0f} GB/s  {others}", flush=True)


def rotary(libraries, result):
    library = libraries["tkc"]
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


def linear_attention(libraries, result):
    library = libraries["tkc"]
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
        truth, state = recurrence(q, k, v, first, logs[:, None].expand(16, 16, rows))
        result["checks"][f"{name} {rows}"] = max(relative(o, truth), relative(last, state))
        del truth
        size = 4 * 2 * q.numel() + 2 * 4 * first.numel()
        calls = {"tkc": [prepare(*tensors) for tensors in sets]}
        if fades and rows == 3072:
            add_peer(result, calls, "simple_gla", lambda: peers.linear_attention([(*t[:3], t[4], logs) for t in sets]),
                     lambda found: relative(found, o))
        report(result, name, (16, 16, rows, head), calls, size)


def draw_mamba(batch, heads, groups, rows, states, strong=False):
    """Tensors of mamba2.tk, the outputs full of NaN; as mamba_ssm has them, heads of a position side by side."""
    side_by_side = lambda count, width: draw(batch, rows, count, width).transpose(1, 2)
    x, b, c = side_by_side(heads, 64), side_by_side(groups, states), side_by_side(groups, states)
    dt = draw(batch, rows, (heads + 3) // 4 * 4, dtype=torch.float32)[..., :heads]  # rows of a multiple of 16 bytes
    bias = draw(heads, dtype=torch.float32) - 3
    a = -torch.rand(heads, device="cuda") * 16 - (100 if strong else 1)
    first = draw(batch, heads, 64, states, dtype=torch.float32)
    y, last = torch.full_like(x, float("nan")), torch.full_like(first, float("nan"))
    return [x, dt, a, b, c, draw(heads, dtype=torch.float32), bias, first, y, last]


def check_mamba(result, name, tensors):
    x, dt, a, b, c, d, bias, first, y, last = tensors
    steps = torch.nn.functional.softplus(dt.double() + bias).transpose(1, 2)
    k, q = (values.repeat_interleave(x.shape[1] // values.shape[1], 1) for values in (b, c))
    logs = steps * a[:, None] * 1.4426950408889634
    truth, state = recurrence(q, k, x.double() * steps[..., None], first.transpose(2, 3), logs)
    truth += d[:, None, None] * x
    result["checks"][name] = max(relative(y, truth), relative(last, state.transpose(2, 3)))


def mamba2(libraries, result):
    for states, name in ((64, "mamba2"),):
        for strong in (False, True):
            for rows in (1, 2, 63, 64, 65, 127, 128, 129, 1000, 16384):
                for heads, groups in ((1, 1), (6, 2), (5, 5)):
                    tensors = draw_mamba(2, heads, groups, rows, states, strong)
                    caller(libraries["tkc"], name)(*tensors)()
                    check_mamba(result, f"{name} {rows} {heads}/{groups}{' strong' * strong}", tensors)
        for rows in (1024, 3072, 12288):
            sets = [draw_mamba(16, 16, 1, rows, states) for _ in range(3)]
            calls = {}
            for label, library in libraries.items():
                calls[label] = [caller(library, name)(*tensors) for tensors in sets]
                calls[label][0]()
                check_mamba(result, f"{label} {name} 16x16 {rows}", sets[0])
            if rows == 3072:
                close = lambda found: relative(found, sets[0][8])
                inputs = [tensors[:8] for tensors in sets]
                add_peer(result, calls, "mamba_ssm, chunks of 256", lambda: peers.mamba(inputs, 256), close)
                add_peer(result, calls, "simple_gla, x dt and A dt given", lambda: peers.mamba_as_attention(inputs),
                         lambda found: close(found + inputs[0][5][:, None, None] * inputs[0][0]))
            size = sum(tensor.numel() * tensor.element_size() for tensor in sets[0])
            report(result, name, (16, 16, rows, 64, states), calls, size)


def features(x):
    """Those of based.tk."""
    pairs = torch.stack([x * x.roll(-d, -1) for d in range(1, 9)], -2)
    pairs[..., 7, 8:] = 0
    pairs[..., 7, 8] = 1
    return torch.cat([pairs.flatten(-2), x * x / 2**0.5, x], -1)


def draw_based(batch, heads, rows):
    q, k, v = (draw(batch, rows, heads, width).transpose(1, 2) for width in (16, 16, 64))
    last = torch.full((batch, heads, 64, 160), float("nan"), device="cuda")
    return [q, k, v, torch.full_like(v, float("nan")), last]


def check_based(result, name, tensors):
    """The first and the last head of all, against their definition."""
    q, k, v, o, last = tensors
    for at in {(0, 0), (q.shape[0] - 1, q.shape[1] - 1)}:
        qs, ks, vs = (x[at].double() for x in (q, k, v))
        s = qs @ ks.T / 4
        error = max(relative(o[at], (1 + s + s * s / 2).tril() @ vs), relative(last[at], vs.T @ features(ks)))
        result["checks"][f"{name} {at}"] = error


def based(libraries, result):
    scale = ctypes.c_float(0.25)
    for rows in (1, 2, 63, 64, 65, 127, 128, 129, 1000, 16384):
        tensors = draw_based(2, 3, rows)
        caller(libraries["tkc"], "based")(*tensors, scalars=[scale])()
        check_based(result, f"based {rows}", tensors)
    for rows in (1024, 3072, 12288):
        sets = [draw_based(16, 16, rows) for _ in range(3)]
        calls = {}
        for label, library in libraries.items():
            calls[label] = [caller(library, "based")(*tensors, scalars=[scale]) for tensors in sets]
            calls[label][0]()
            check_based(result, f"{label} based 16x16 {rows}", sets[0])
        if rows == 3072:
            for name in ("fused_chunk_based", "parallel_based"):
                add_peer(result, calls, name, lambda: peers.based([t[:3] for t in sets], name),
                         lambda found: relative(found, sets[0][3]))
        size = sum(tensor.numel() * tensor.element_size() for tensor in sets[0])
        report(result, "based", (16, 16, rows, 16, 64), calls, size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--beside", action="append", default=[], metavar="FOLDER",
                        help="time what another version emitted beside it, under the folder's name (mamba2, based)")
    parser.add_argument("--without-peers", action="store_true", help="they take a minute to set up")
    parser.add_argument("--only", nargs="*", default=[], metavar="EXAMPLE")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    torch.manual_seed(0)
    print(device_line(), flush=True)
    result = {"device": device_line(), "checks": {}, "rows": [], "left out": {}, "without peers": options.without_peers}
    with tempfile.TemporaryDirectory() as folder:
        for measure in (rotary, linear_attention, mamba2, based):
            name = measure.__name__
            if options.only and name not in options.only:
                continue
            folders = {"tkc": options.folder, **{os.path.basename(other.rstrip("/")): other for other in options.beside}}
            sources = {label: os.path.join(other, name + ".cu") for label, other in folders.items()}
            libraries = build_all({label: file for label, file in sources.items() if os.path.exists(file)}, folder, name)
            measure(libraries, result)
    wrong = {name: error for name, error in result["checks"].items() if not error < ALLOWED}
    print(f"{len(result['checks'])} checks, largest relative error {max(result['checks'].values()):.2e}; wrong: {wrong or 'none'}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
