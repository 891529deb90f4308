#!/usr/bin/env python3
"""Checks the emitted kernels of layernorm.tk and fftconv.tk on the GPU, and times them beside others.

    for e in layernorm fftconv; do build/bin/tkc dsl-examples/$e.tk -o FOLDER/$e.cu; done
    rows_bench.py FOLDER [LABEL=FOLDER ...] [--only layernorm|fftconv] [--no-timing] [--json FILE]

More folders hold other versions, which run beside the first one. Checking: against float64, with NaN in the outputs
beforehand; what dropout takes against Philox (tkc_run/norms.py), and on large tensors by what the sums are. Timing
(memory_bound.py): inputs rotated past three times the L2 cache; layer norm beside torch.compile and a Triton kernel of
one row for each program, convolutions beside torch's transforms in float, both beside a copy of as many bytes.
"""

import argparse
import ctypes
import os
import sys
import tempfile

import torch

from bursts import ROOT, build_all, device_line
from calls import prepare
from memory_bound import finish, like, new_result, relative, report, sources_of
from norm_peers import triton_norm

sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
from tkc_run import convolutions, norms

EPS, P, SEED = 1e-5, 0.1, 7
ALLOWED = 5e-3  # relative error, of the norm


# Layer norm


# What is timed: the kernel, and the number of rows.
NORM_ROWS = [("layernorm", 16384), ("layernorm", 49152), ("layernorm", 196608), ("layernorm_256", 65536), ("layernorm_4096", 16384),
             ("layernorm_16384", 4096), ("plain_layernorm", 16384), ("plain_layernorm", 196608), ("rmsnorm", 16384),
             ("rmsnorm_4096", 16384)]


def torch_norm(p, width):
    def norm(x, residual, w, b):
        s = residual + torch.nn.functional.dropout(x, p, True)
        return s, torch.nn.functional.layer_norm(s, (width,), w, b, EPS)

    torch._dynamo.reset()  # or it would compile for any width
    return torch.compile(norm)


def norm_truth(tensors, centred, dropped):
    x, residual, w, b = (t.double() for t in tensors)
    s = residual + torch.where(dropped, 0, x / (1 - P if dropped.any() else 1))
    c = s - s.mean(1, keepdim=True) * centred
    return s, c * torch.rsqrt((c * c).mean(1, keepdim=True) + EPS) * w + b * centred


def norm_call(library, name, cols, tensors, sums, y, p):
    views = [t.view(-1, t.shape[-1] // cols, cols) if t.dim() == 2 else t.view(-1, cols) for t in (*tensors, sums, y)]
    return prepare(library, name, views, [ctypes.c_float(EPS), ctypes.c_float(p), ctypes.c_int(SEED)])


def draw_norm(length, width, mean=0):
    x, residual = (torch.randn(length, width, device="cuda").bfloat16() for _ in range(2))
    residual[2::3] += mean
    return x, residual, *(torch.randn(width, device="cuda").bfloat16() for _ in range(2))


def check_norm(libraries, result, name, width, cols, drops, centred):
    for length in (1, 7, 8, 9, 100, 1000) if width < 10000 else (1, 2, 133, 300):
        tensors = draw_norm(length, width, mean=100)
        sums, y = like(tensors[0]), like(tensors[0])
        norm_call(libraries["tkc"], name, cols, tensors, sums, y, P if drops else 0)()
        p = float(torch.tensor(P)) if drops else 0
        dropped = torch.from_numpy(norms.dropped(SEED, length, width, cols, p)).cuda()
        s, wanted = norm_truth(tensors, centred, dropped)
        result["checks"][f"{name} {length}"] = max(relative(sums, s), relative(y, wanted))


def time_norm(libraries, result, name, length):
    width, cols, drops, centred = norms.KERNELS[name][2]
    sets = [(*draw_norm(length, width), *(like(torch.empty(length, width, device="cuda", dtype=torch.bfloat16)) for _ in range(2)))
            for _ in range(2)]
    p = P if drops else 0
    calls = {label: [norm_call(library, name, cols, s[:4], *s[4:], p) for s in sets] for label, library in libraries.items()}
    for label in libraries:
        sets[0][4].fill_(float("nan")), sets[0][5].fill_(float("nan"))
        calls[label][0]()
        x, residual, w, b, sums, y = (t[:2000] if t.dim() == 2 else t for t in sets[0])
        # Where too little was added to change the sum it is no matter whether it was.
        _, wanted = norm_truth((x, residual, w, b), centred, (sums == residual) & drops)
        result["checks"][f"{label} {name} x {length}"] = relative(y, wanted)
    if centred:
        compiled = torch_norm(p, width)
        calls["compiled"] = [lambda s=s: compiled(*s[:4]) for s in sets]
        warps = max(1, min(16, width // 512))
        calls["triton"] = [lambda s=s: triton_norm[(length,)](*s, SEED, p, EPS, drops, width, num_warps=warps) for s in sets]
    report(result, name, (length, width), calls, 2 * 4 * length * width)


def layernorm(libraries, result, is_timed):
    for name, (_, _, form, _) in norms.KERNELS.items():
        check_norm(libraries, result, name, *form)
    for name, length in NORM_ROWS if is_timed else ():
        time_norm(libraries, result, name, length)


# Convolution


def conv_tables(cols):
    tables = (torch.from_numpy(table).cuda() for table in convolutions.tables(cols))
    return [table.to(dtype) for table, dtype in zip(tables, (torch.bfloat16, torch.bfloat16, torch.float16))]


def conv_inputs(batch, channels, length, size, causal):
    """Sequences, K, and the spectrum that K holds."""
    x = torch.randn(batch, channels, length, device="cuda").bfloat16()
    count = size // 2 if causal else size
    taps = torch.randn(channels, count, device="cuda", dtype=torch.float64) * 2.0 ** (-torch.arange(count, device="cuda") / 100)
    k = torch.from_numpy(convolutions.spectrum(taps.cpu().numpy(), size // 64)).cuda().bfloat16().contiguous()
    return x, k, torch.from_numpy(convolutions.frequencies(k.double().cpu().numpy())).cuda()


def conv_call(library, name, cols, x, k, tables, y):
    rows = [t.view(*t.shape[:2], -1, cols) for t in (x, y)]
    return prepare(library, name, [rows[0], k, *tables, rows[1]], [])


def conv_error(y, x, full, size):
    """The norm of the error, of what is allowed; scaled so that the bench's bound for the others is this one's, too."""
    points = torch.fft.ifft(torch.fft.fft(x.double(), size) * full).real
    error = (y.double() - points[..., : y.shape[2]]).norm()
    return ALLOWED * float(error) / convolutions.allowed_norm(points, y.shape[2])


def fftconv(libraries, result, is_timed):
    for name, (_, _, (size, causal), _) in convolutions.KERNELS.items():
        cols, longest = size // 64, size // 2 if causal else size
        tables = conv_tables(cols)
        for batch in (1, 2, 5, 16, 33):
            for channels, length in ((1, longest), (3, longest // 2), (140, longest), (2, cols)):
                x, k, full = conv_inputs(batch, channels, length, size, causal)
                y = like(x)
                conv_call(libraries["tkc"], name, cols, x, k, tables, y)()
                result["checks"][f"{name} {batch} {channels} {length}"] = conv_error(y, x, full, size)
        x, k, full = conv_inputs(16, 1024, longest, size, causal)
        sets = [(x, like(x)), (torch.randn_like(x), like(x)), (torch.randn_like(x), like(x))]
        calls = {label: [conv_call(library, name, cols, x, k, tables, y) for x, y in sets] for label, library in libraries.items()}
        for label in libraries:
            calls[label][0]()
            result["checks"][f"{label} {name} 16x1024"] = conv_error(sets[0][1][:, ::64], x[:, ::64], full[::64], size)
        if not is_timed:
            continue
        half = torch.fft.rfft(torch.fft.ifft(full).real.float())
        wide = [s[0].float() for s in sets]
        calls["torch"] = [lambda x=x: torch.fft.irfft(torch.fft.rfft(x, size) * half, size) for x in wide]
        report(result, name, (16, 1024, longest), calls, 2 * 2 * x.numel() + 2 * k.numel())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("others", nargs="*", metavar="LABEL=FOLDER")
    parser.add_argument("--only", choices=("layernorm", "fftconv"))
    parser.add_argument("--no-timing", action="store_true", help="only checks")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    torch.manual_seed(0)
    print(device_line(), flush=True)
    result = new_result()
    folders = {"tkc": options.folder, **dict(other.split("=", 1) for other in options.others)}
    with tempfile.TemporaryDirectory() as place:
        for measure in (layernorm, fftconv):
            name = measure.__name__
            if options.only in (None, name):
                libraries = build_all(sources_of(name, folders), place, "_" + name)
                measure(libraries, result, not options.no_timing)
    return finish(result, ALLOWED, options.json)


if __name__ == "__main__":
    sys.exit(main())
