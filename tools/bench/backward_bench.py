#!/usr/bin/env python3
"""Checks and times emitted attention_backward.cu on the GPU, beside torch's gradients of cuDNN's attention.

Checking: every gradient against torch in float64 on the same bf16 inputs, with NaN in the outputs beforehand: relative
errors of at most 1e-2 and, of as many rows as keys from 64 on with heads of their own, of 1.3 times cuDNN's; dQ is added up by several blocks in no promised order, so only dK and dV must be
bit-identical over two launches. Timing: bursts (bursts.py) of all three kernels, the one that begins, the gradients,
and the one that ends, against all that torch launches for the same. FLOPs are 2.5 times those of the forward pass.

    backward_bench.py FILE [FILE ...] [--heads 128c 64] [--rows 2048 8192] [--samples 4] [--json FILE]
"""

import argparse
import ctypes
import os
import statistics
import tempfile

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from bursts import build_all, device_line, save, time_in_turn
from calls import draw, prepare

HEADS = ["128", "128c", "64", "64c"]


class Gradients:
    """The three kernels of one head size in a library, on tensors of their own."""

    def __init__(self, library, head, causal, q, k, v, o, l, d):
        suffix = "_64" if head == 64 else ""
        self.sums = torch.full(q.shape, float("nan"), device="cuda")
        self.results = [torch.full_like(x, float("nan")) for x in (q, k, v)]
        batch, heads, rows, _ = q.shape
        padded = torch.full((2, batch, heads, -(-rows // 4) * 4), float("nan"), device="cuda")  # as TMA loads them
        level, delta = padded[..., :rows]
        scale = ctypes.c_float(head**-0.5)
        dq, dk, dv = self.results
        self.steps = [
            prepare(library, "attention_backward_begin" + suffix, [o, d, l, level, delta, self.sums], []),
            prepare(library, "attention_backward" + suffix + ("_causal" if causal else ""),
                    [q, k, v, d, level, delta, self.sums, dk, dv], [scale]),
            prepare(library, "attention_backward_end" + suffix, [self.sums, dq], []),
        ]

    def __call__(self):
        for step in self.steps:
            step()


def truth(q, k, v, d, causal):
    """O, L and the gradients in float64."""
    q, k, v = (x.double().requires_grad_() for x in (q, k, v))
    group = q.shape[1] // k.shape[1]
    scores = q @ k.repeat_interleave(group, 1).transpose(2, 3) * q.shape[3] ** -0.5
    if causal:
        rows, keys = scores.shape[2:]
        seen = torch.ones(rows, keys, dtype=torch.bool, device="cuda").tril(keys - rows)
        scores = scores.masked_fill(~seen, float("-inf"))
    l = scores.logsumexp(3)
    weights = (scores - l.masked_fill(l.isinf(), 0)[..., None]).exp()
    o = weights @ v.repeat_interleave(group, 1)
    return o.detach(), l.detach(), torch.autograd.grad(o, (q, k, v), d.double())


def error_of(result, expected):
    """Relative; of gradients that are 0, such as those of scores beside which there are no others, to a thousandth."""
    return float((result.double() - expected).norm() / expected.norm().clamp_min(1e-3 * expected.numel() ** 0.5))


def torch_gradients(q, k, v, d, causal):
    """torch's own, as a call that gives them."""
    inputs = [x.detach().clone().requires_grad_() for x in (q, k, v)]
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        o = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1])
    return lambda: torch.autograd.grad(o, inputs, d, retain_graph=True)


SHAPES = [(1, 1, 1, 1, 1), (1, 1, 1, 64, 128), (2, 3, 3, 128, 128), (1, 2, 1, 129, 127), (1, 4, 2, 300, 300), (2, 2, 2, 63, 1000), (1, 2, 2, 500, 170),
          (1, 8, 2, 1000, 1024), (1, 4, 4, 1024, 1024)]


def check(library, head, causal):
    failures, worst = [], 0.0
    for batch, heads, key_heads, rows, keys in SHAPES:
        for by in (1, 6):
            q, d = draw(batch, heads, rows, head, by=by), draw(batch, heads, rows, head)
            k, v = (draw(batch, key_heads, keys, head) for _ in range(2))
            o, l, expected = truth(q, k, v, d, causal)
            gradients = Gradients(library, head, causal, q, k, v, o.bfloat16(), l.float(), d)
            gradients()
            torch.cuda.synchronize()
            errors = [error_of(*pair) for pair in zip(gradients.results, expected)]
            first = [x.clone() for x in gradients.results]
            gradients()
            torch.cuda.synchronize()
            same = all(torch.equal(a, b) for a, b in zip(gradients.results[1:], first[1:]))
            allowed = [1e-2] * 3
            if rows == keys and rows >= 64 and heads == key_heads:
                allowed = [1.3 * error_of(*pair) for pair in zip(torch_gradients(q, k, v, d, causal)(), expected)]
            worst = max(worst, *errors)
            if not same or not all(error <= most for error, most in zip(errors, allowed)):
                failures.append(f"{(batch, heads, key_heads, rows, keys, by)}: errors " + ", ".join(
                    f"{error:.2e} ({most:.2e})" for error, most in zip(errors, allowed)) + ("" if same else ", launches differ"))
    count = 2 * len(SHAPES)
    print(f"{head}{' causal' if causal else ''}: {count - len(failures)} of {count} right, largest relative error {worst:.2e}")
    for failure in failures[:6]:
        print("  " + failure, flush=True)
    return {"head": head, "causal": causal, "shapes": count, "failed": failures, "worst": worst}


def time_rows(libraries, head, causal, rows, samples):
    batch, heads = max(1, 16384 // rows), 2048 // head
    calls = {label: [] for label in [*libraries, "cuDNN"]}
    steps = {}
    for _ in range(2):
        q, k, v, o, d = (draw(batch, heads, rows, head) for _ in range(5))
        l = torch.randn(batch, heads, rows, device="cuda") + 7  # of no kernel's: the time does not depend on it
        for label, library in libraries.items():
            calls[label].append(Gradients(library, head, causal, q, k, v, o, l, d))
            steps.setdefault(label, []).append(calls[label][-1].steps[1])
        calls["cuDNN"].append(torch_gradients(q, k, v, d, causal))
    flops = 10.0 * batch * heads * rows * rows * head / (2 if causal else 1)
    times = {label: statistics.median(values) for label, values in time_in_turn(calls, flops / 500e9, samples).items()}
    alone = {label: statistics.median(values) for label, values in time_in_turn(steps, flops / 500e9, samples).items()}
    print(f"{head:>4}{'c' if causal else ' '} {rows:>6}  " + "   ".join(
        f"{label} {ms:.4f} ms {1e-9 * flops / ms:.0f}" + (f" ({alone[label]:.4f})" if label in alone else "")
        + f" {times['cuDNN'] / ms:.3f}" for label, ms in times.items()), flush=True)
    return {"head": head, "causal": causal, "rows": rows, "ms": times, "middle": alone}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", help="what tkc wrote of attention_backward.tk")
    parser.add_argument("--heads", nargs="*", default=HEADS, metavar="SIZE[c]")
    parser.add_argument("--rows", nargs="*", type=int, default=[1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    torch.manual_seed(1)
    print(device_line(), flush=True)
    kinds = [(int(kind.rstrip("c")), kind.endswith("c")) for kind in args.heads]
    with tempfile.TemporaryDirectory() as folder:
        files = {os.path.splitext(os.path.basename(source))[0]: source for source in args.sources}
        libraries = build_all(files, folder)
        checks = {label: [check(library, *kind) for kind in kinds] for label, library in libraries.items()}
        times = [time_rows(libraries, *kind, rows, args.samples) for kind in kinds for rows in args.rows]
    save({"device": device_line(), "checks": checks, "times": times}, args.json)


if __name__ == "__main__":
    main()
