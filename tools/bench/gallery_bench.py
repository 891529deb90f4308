#!/usr/bin/env python3
"""Checks the emitted kernels of test/gallery on the GPU, and times them beside what torch has.

    for e in test/gallery/Inputs/*.tk; do build/bin/tkc $e -o FOLDER/$(basename $e .tk).cu; done
    gallery_bench.py FOLDER [--only NAME ...] [--json FILE]

FOLDER holds what tkc wrote, so that no tkc is needed where this runs. Checking: against float64, on one shape, with NaN in
the outputs beforehand. Timing: bursts (bursts.py), kernels and others one after the other, two sets of inputs where they fit into
the L2 cache; "copy" moves as many bytes as the kernel.
"""

import argparse
import ctypes
import os
import statistics
import sys
import tempfile

import torch
from torch.nn import functional

from bursts import DTYPES, abi, build_all, copies, device_line, relative, save, time_in_turn
from calls import prepare

DTYPES[torch.int8] = abi.I8
CASES = {}


def case(function):
    """A kernel of the gallery: yields (shape, relative error, milliseconds expected, calls by label) for each shape."""
    CASES[function.__name__] = function
    return function


def normal(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda").to(dtype)


def empty(*shape, dtype=torch.bfloat16):
    return torch.full(shape, float("nan"), device="cuda").to(dtype)


def number(value):
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int32(value)


def call(library, name, tensors, scalars=()):
    return prepare(library, name, tensors, [number(scalar) for scalar in scalars])


def matmul_time(m, k, n, rate=7e11):
    """Milliseconds of a matmul at `rate` operations a millisecond."""
    return 2 * m * k * n / rate + 0.003


@case
def gated_mlp(library):
    for m, k, n in (8192, 4096, 4096), (4096, 4096, 14336):
        sets = [(normal(m, k), normal(k, n), normal(k, n)) for _ in range(2)]
        h = empty(m, n)
        x, g, u = sets[0]
        call(library, "gated_mlp", [x, g, u, h])()
        error = relative(h[:512], functional.silu(x[:512].double() @ g.double()) * (x[:512].double() @ u.double()))
        both = [(x, torch.cat([g, u], 1)) for x, g, u in sets]

        def unfused(x, weights):
            gate, up = (x @ weights).chunk(2, 1)
            return functional.silu(gate) * up

        yield (m, k, n), error, 2 * matmul_time(m, k, n), {
            "tkc": [call(library, "gated_mlp", [*inputs, h]) for inputs in sets],
            "torch": [lambda inputs=inputs: unfused(*inputs) for inputs in both],
            "its matmul": [lambda inputs=inputs: torch.mm(*inputs) for inputs in both]}


@case
def norm_and_matmul(library):
    for m, k, n in (8192, 4096, 4096), (4096, 1024, 4096):
        sets = [(normal(m, k), normal(k, n)) for _ in range(2)]
        y = empty(m, n)
        x, w = sets[0]
        call(library, "norm_and_matmul", [x, w, y], [1e-5])()
        rows = x[:512].double()
        error = relative(y[:512], rows * torch.rsqrt((rows * rows).mean(1, keepdim=True) + 1e-5) @ w.double())
        yield (m, k, n), error, matmul_time(m, k, n), {
            "tkc": [call(library, "norm_and_matmul", [*inputs, y], [1e-5]) for inputs in sets],
            "torch": [lambda x=x, w=w: functional.rms_norm(x, (x.shape[1],)) @ w for x, w in sets],
            "its matmul": [lambda inputs=inputs: torch.mm(*inputs) for inputs in sets]}


def narrow_weights(library, name, tensors, weights, x, y, shape):
    """A matmul with weights in a narrow type, beside torch's with bf16."""
    call(library, name, tensors)()
    wide = weights.bfloat16()
    return shape, relative(y, weights @ x.double().T), matmul_time(*shape, 5e11), {
        "tkc": [call(library, name, tensors)], "bf16 matmul": [lambda: x @ wide.T]}


@case
def weights_of_8_bits(library):
    for m, k, n in (8192, 4096, 4096), (1024, 4096, 14336):
        x, y, scale = normal(m, k), empty(n, m), normal(n, dtype=torch.float).abs()
        w = torch.randint(-127, 128, (n, k), device="cuda", dtype=torch.int8)
        yield narrow_weights(library, "weights_of_8_bits", [x, w, scale, y], w.double() * scale.double()[:, None], x, y, (m, k, n))


@case
def weights_of_4_bits(library):
    for m, k, n in (8192, 4096, 4096), (1024, 4096, 14336):
        x, y, scale = normal(m, k), empty(n, m), normal(k // 64, n, dtype=torch.float).abs()
        w = torch.randint(-128, 128, (n, k // 2), device="cuda", dtype=torch.int8)
        halves = torch.stack([(w.int() & 15) - 8, (w.int() >> 4 & 15) - 8], 2).reshape(n, k)
        weights = halves.double() * scale.double().T.repeat_interleave(64, 1)
        yield narrow_weights(library, "weights_of_4_bits", [x, w, scale, y], weights, x, y, (m, k, n))


@case
def matmul_of_bytes(library):
    for m, k, n in (4096, 4096, 4096), (8192, 8192, 8192):
        a, b = (torch.randint(-127, 128, (rows, k), device="cuda", dtype=torch.int8) for rows in (m, n))
        of_a, of_b, c = normal(m, dtype=torch.float).abs() / 1000, normal(n, dtype=torch.float).abs(), empty(m, n)
        call(library, "matmul_of_bytes", [a, b, of_a, of_b, c])()
        error = relative(c, torch._int_mm(a, b.T).double() * of_a.double()[:, None] * of_b.double())
        yield (m, k, n), error, matmul_time(m, k, n, 12e11), {
            "tkc": [call(library, "matmul_of_bytes", [a, b, of_a, of_b, c])],
            "torch, without scales": [lambda: torch._int_mm(a, b.T)]}


@case
def loss_without_logits(library):
    m, k, vocabulary, parts = 4096, 4096, 32768, 8
    x, w = normal(m, k) / 8, normal(vocabulary, k) / 8
    target = torch.randint(0, vocabulary, (m,), device="cuda", dtype=torch.int32)
    top, total, hit = empty(parts, m, dtype=torch.float), empty(parts, m, dtype=torch.float), torch.zeros(m, device="cuda")
    run = call(library, "loss_without_logits", [x, w, target, top, total, hit], [vocabulary // 256 // parts])
    run()
    best = top.max(0).values
    loss = best + torch.log((total * torch.exp(top - best)).sum(0)) - hit
    wide = target.long()
    expected = functional.cross_entropy(x[:512].double() @ w.double().T, wide[:512], reduction="none")
    yield (m, k, vocabulary), relative(loss[:512], expected), matmul_time(m, k, vocabulary), {
        "tkc": [run], "torch": [lambda: functional.cross_entropy(x @ w.T, wide, reduction="none")],
        "its matmul": [lambda: x @ w.T]}


@case
def matrix_vector(library):
    n, k = 28672, 8192
    w, x, y = normal(n, k), normal(k), empty(n, dtype=torch.float)
    run = call(library, "matrix_vector", [w, x, y])
    run()
    yield (n, k), relative(y, w.double() @ x.double()), 0.12, {"tkc": [run], "torch": [lambda: w @ x], "copy": copies(2 * n * k)}


@case
def attention_bias(library):
    batch, heads, rows = 2, 16, 4096
    q, k, v = (normal(batch, heads, rows, 64) for _ in range(3))
    bias, o = normal(heads, rows, rows), torch.full_like(q, float("nan"))
    run = call(library, "attention_bias", [q, k, v, bias, o], [0.125])
    run()
    scores = q[:1, :2].double() @ k[:1, :2].double().transpose(2, 3) * 0.125 + bias[:2].double()
    mask = bias[None].expand(batch, heads, rows, rows)
    yield (batch, heads, rows, 64), relative(o[:1, :2], scores.softmax(-1) @ v[:1, :2].double()), 0.5, {
        "tkc": [run], "torch": [lambda: functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)]}


@case
def delta_rule(library):
    batch, heads, rows = 4, 16, 4096
    q, v = normal(batch, heads, rows, 64) / 8, normal(batch, heads, rows, 64)
    k = functional.normalize(normal(batch, heads, rows, 64, dtype=torch.float), dim=-1).bfloat16()
    beta, o = torch.rand(batch, heads, rows, device="cuda"), torch.full_like(v, float("nan"))
    run = call(library, "delta_rule", [q, k, v, beta, o])
    run()
    state, expected = torch.zeros(heads, 64, 64, device="cuda", dtype=torch.float64), []
    for i in range(512):
        ki, vi, qi, bi = (x[0, :, i].double() for x in (k, v, q, beta))
        update = bi[:, None] * (vi - torch.einsum("hkv,hk->hv", state, ki))
        state += torch.einsum("hk,hv->hkv", ki, update)
        expected.append(torch.einsum("hkv,hk->hv", state, qi))
    yield (batch, heads, rows, 64), relative(o[0, :, :512], torch.stack(expected, 1)), 0.2, {
        "tkc": [run], "copy": copies(8 * batch * heads * rows * 64)}


@case
def nearest_centre(library):
    points, centres = 262144, 4096
    x, c = normal(points, 64), normal(centres, 64)
    norms, distance = (c.float() ** 2).sum(1), empty(points, dtype=torch.float)
    where = torch.zeros(points, device="cuda", dtype=torch.int32)
    run = call(library, "nearest_centre", [x, c, norms, distance, where])
    run()
    expected = (norms - 2 * (x[:8192].float() @ c.float().T)).min(1)
    compiled = torch.compile(lambda x, c, norms: (norms - 2 * (x @ c.T)).min(1))
    yield (points, centres, 64), relative(distance[:8192], expected.values.double()), 0.7, {
        "tkc": [run], "torch.compile": [lambda: compiled(x, c, norms)]}


@case
def cross_entropy(library):
    rows, vocabulary = 8192, 32768
    x, loss = normal(rows, vocabulary), empty(rows, dtype=torch.float)
    target = torch.randint(0, vocabulary, (rows,), device="cuda", dtype=torch.int32)
    run = call(library, "cross_entropy", [x, target, loss])
    run()
    wide = target.long()
    compiled = torch.compile(lambda x, t: functional.cross_entropy(x.float(), t, reduction="none"))
    yield (rows, vocabulary), relative(loss, functional.cross_entropy(x.double(), wide, reduction="none")), 0.15, {
        "tkc": [run], "torch.compile": [lambda: compiled(x, wide)], "copy": copies(2 * rows * vocabulary)}


@case
def argmax(library):
    rows, columns = 8192, 32768
    x, best = normal(rows, columns), empty(rows, dtype=torch.float)
    where = torch.zeros(rows, device="cuda", dtype=torch.int32)
    run = call(library, "argmax", [x, best, where])
    run()
    found = x.gather(1, where.long()[:, None])[:, 0]  # of equal ones any will do
    yield (rows, columns), relative(found, x.max(1).values.double()) + relative(best, x.max(1).values.double()), 0.17, {
        "tkc": [run], "torch": [lambda: x.max(1)], "copy": copies(2 * rows * columns)}


@case
def halves_of_rows(library):
    rows, columns = 16384, 4096
    x, y = normal(rows, 2 * columns), empty(rows, columns)
    run = call(library, "halves_of_rows", [x, y])
    run()
    left, right = x.double().chunk(2, 1)
    compiled = torch.compile(lambda x: functional.gelu(x[:, :columns]) * x[:, columns:])
    yield (rows, columns), relative(y, functional.gelu(left) * right), 0.1, {
        "tkc": [run], "torch.compile": [lambda: compiled(x)], "copy": copies(6 * rows * columns)}


@case
def long_rows(library):
    for rows, columns in (65536, 1024), (16384, 4096):
        x, weight, y = normal(rows, columns), normal(columns), empty(rows, columns)
        run = call(library, "long_rows", [x, weight, y], [1e-5])
        run()
        expected = functional.rms_norm(x.double(), (columns,), weight.double(), 1e-5)
        compiled = torch.compile(lambda x, weight: functional.rms_norm(x, (x.shape[1],), weight, 1e-5))
        yield (rows, columns), relative(y, expected), 0.1, {
            "tkc": [run], "torch.compile": [lambda: compiled(x, weight)], "copy": copies(4 * rows * columns)}


@case
def transposed(library):
    x, y = normal(8192, 8192), empty(8192, 8192)
    run = call(library, "transposed", [x, y])
    run()
    yield (8192, 8192), relative(y, x.T.double()), 0.1, {
        "tkc": [run], "torch": [lambda: x.T.contiguous()], "copy": copies(4 * 8192 * 8192)}


@case
def adam(library):
    size, rate, b1, b2, step = 4096, 1e-3, 0.9, 0.999, 10
    p, m, v = normal(size, size, dtype=torch.float), normal(size, size, dtype=torch.float), normal(size, size, dtype=torch.float).abs()
    g = normal(size, size)
    mean, variance = b1 * m.double() + (1 - b1) * g.double(), b2 * v.double() + (1 - b2) * g.double() ** 2
    change = rate * (mean / (1 - b1**step)) / ((variance / (1 - b2**step)).sqrt() + 1e-8)
    before, run = p.clone(), call(library, "adam", [p, g, m, v], [rate, b1, b2, 1e-8, step])
    run()
    yield (size, size), relative(before - p, change), 0.12, {"tkc": [run], "copy": copies(26 * size * size)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", nargs="*", metavar="NAME", default=list(CASES))
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    result, wrong = {"device": device_line(), "rows": []}, 0
    print(result["device"], flush=True)
    with tempfile.TemporaryDirectory() as place:
        libraries = build_all({name: os.path.join(arguments.folder, name + ".cu") for name in arguments.only}, place)
        for name in arguments.only:
            for shape, error, estimate, calls in CASES[name](libraries[name]):
                times = {label: statistics.median(samples) for label, samples in time_in_turn(calls, estimate, 3).items()}
                result["rows"].append({"kernel": name, "shape": shape, "error": error, **times})
                wrong += not error < 5e-3
                others = "  ".join(f"{label} {ms:.4f} ({ms / times['tkc']:.3f})" for label, ms in times.items() if label != "tkc")
                print(f"{name:>20} {str(shape):>20}  error {error:.1e}  tkc {times['tkc']:.4f} ms  {others}", flush=True)
            torch.cuda.empty_cache()
    print(f"{len(result['rows'])} checks, {wrong} wrong")
    save(result, arguments.json)
    return 1 if wrong or not result["rows"] else 0


if __name__ == "__main__":
    sys.exit(main())
