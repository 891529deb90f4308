"""gradients.py - The gradients of one attention, checked against float64, on any of the backends.

The three kernels of attention_backward.tk in a row, on an O and L that numpy computed in float64. A right result differs
from the gradients of that because probabilities and their gradients dS are rounded to bf16 before they multiply (2^-8 of
each term), because Delta is of an O that was rounded, because scores are sums in fp32, and because results are rounded.
"""
import ctypes
import functools
import zlib

import numpy as np

from . import abi
from .attention import SCORE_STEP, Attention, Causal, Plain, Result
from .compare import BF16_ROUNDING
from .families import Family, Launch, matching, call_each
from .tensors import HostTensor, SwappedTensor

FORMS = {
    "attention_backward": (128, Plain),
    "attention_backward_causal": (128, Causal),
    "attention_backward_64": (64, Plain),
    "attention_backward_64_causal": (64, Causal),
}


class Gradients:
    """Batch, heads and key heads, rows, keys: '2x4/2x129x257'; '@6' at the end for queries 6 times as large."""

    def __init__(self, text, seed, kernel="attention_backward"):
        text, _, times = text.partition("@")
        batch, heads, rows, keys = text.split("x")
        heads, _, key_heads = heads.partition("/")
        batch, heads, key_heads, rows, keys = (int(n) for n in (batch, heads, key_heads or heads, rows, keys))
        head, form = FORMS[kernel]
        rng = np.random.default_rng([seed, zlib.crc32(text.encode())])
        self.scale = float(np.float32(head**-0.5))
        self.q, self.d = (SwappedTensor((batch, heads, rows, head)).draw(rng) for _ in range(2))
        if times:
            self.q.set(self.q.values() * int(times))
        self.k, self.v = (HostTensor((batch, key_heads, keys, head)).draw(rng) for _ in range(2))
        self.o = HostTensor((batch, heads, rows, head))
        self.l = HostTensor((batch, heads, rows), dtype=abi.F32, packed=True)
        padded = -(-rows // 16) * 16  # these are in fragment order
        self.level, self.delta = (HostTensor((batch, heads, padded), dtype=abi.F32) for _ in range(2))
        self.sum = HostTensor((batch, heads, padded, head), dtype=abi.F32, packed=True)
        self.results = [HostTensor(self.q.extents), *(HostTensor(self.k.extents) for _ in range(2))]
        self.o.draw(rng)  # until they are known
        self.l.set(7 + rng.standard_normal(self.l.extents, dtype=np.float32))
        self.change, self.group, self.is_causal = form(rng, None).change, heads // key_heads, form is Causal

    @functools.cached_property
    def solution(self):
        """The truth, and what each gradient may differ by; gives O and L what they are for the kernels."""
        change, group = self.change, self.group
        q, k, v, d = (x.values().astype(np.float64) for x in (self.q, self.k, self.v, self.d))
        spread = lambda x: x.repeat(group, axis=1)
        gather = lambda x: x.reshape(*x.shape[:1], -1, group, *x.shape[2:]).sum(axis=2)
        turned = lambda x: x.swapaxes(2, 3)
        scores = change(q @ turned(spread(k)) * self.scale)
        best = scores.max(axis=3, keepdims=True)
        weights = np.exp(scores - np.where(np.isinf(best), 0, best))
        total = weights.sum(axis=3, keepdims=True)
        p = weights / np.where(total == 0, 1, total)
        o = p @ spread(v)
        with np.errstate(divide="ignore"):
            self.l.set((best + np.log(total))[..., 0])
        self.o.set(o)
        dp = d @ turned(spread(v))
        ds = p * (dp - (o * d).sum(axis=3, keepdims=True))
        truths = [self.scale * ds @ spread(k), gather(self.scale * turned(ds) @ q), gather(turned(p) @ d)]
        # Relative to each probability, dS is wrong by the errors of a score and of Delta.
        largest = 1.5 * self.scale * np.sqrt((q**2).sum(-1)).max() * np.sqrt((k**2).sum(-1)).max()
        step = SCORE_STEP * max(largest, 1)
        unsure = np.abs(ds) + p * np.abs(o * d).sum(axis=3, keepdims=True)
        magnitude = [self.scale * unsure @ np.abs(spread(k)), gather(self.scale * turned(unsure) @ np.abs(q)),
                     gather(turned(p) @ np.abs(d))]
        return truths, [BF16_ROUNDING * np.abs(truth) + (BF16_ROUNDING + step) * size + 1e-6
                        for truth, size in zip(truths, magnitude)]

    truth = property(lambda self: self.solution[0])
    allowed = property(lambda self: self.solution[1])

    def launches(self, kernel):
        dq, dk, dv = self.results
        suffix = "_64" if "_64" in kernel else ""
        given = {"Q": self.q, "K": self.k, "V": self.v, "dO": self.d}
        between = {"Level": self.level, "Delta": self.delta, "Sum": self.sum}
        return [
            Launch("attention_backward_begin" + suffix, {"O": self.o, "dO": self.d, "L": self.l, **between}),
            Launch(kernel, {**given, **between, "dK": dk, "dV": dv}, [ctypes.c_float(self.scale)]),
            Launch("attention_backward_end" + suffix, {"Sum": self.sum, "dQ": dq}),
        ]

    def flops(self, kernel):
        batch, heads, rows, head = self.q.extents
        return 10.0 * batch * heads * rows * self.k.extents[2] * head / (2 if self.is_causal else 1)

    def check(self, backend, kernel="attention_backward"):
        truths, allowances = self.solution
        for tensor in (self.level, self.delta, self.sum, *self.results):
            tensor.poison()
        status, seconds = call_each(backend, self.launches(kernel))
        if status.code:
            return Result(None, seconds, str(status))
        worst = None
        for name, tensor, truth, allowed in zip(("dQ", "dK", "dV"), self.results, truths, allowances):
            if stray := tensor.stray_writes():
                return Result(None, seconds, f"{stray} places outside the elements of {name} were written")
            comparison = Attention.compare(tensor.values(), truth, allowed, name)
            if comparison.problem:
                return Result(comparison, seconds, comparison.problem)
            worst = comparison if worst is None or comparison.worst > worst.worst else worst
        return Result(worst, seconds, "")


# ===-----------------------------------------------------------------------=== #
# The family
# ===-----------------------------------------------------------------------=== #

SHAPES = ["1x1x1x1", "1x2x64x128", "2x4/2x65x129", "1x2/1x200x130", "1x1x100x300", "1x2x150x40"]
LARGE_SHAPES = ["2x3x128x128", "1x4/2x300x300", "2x2x63x1000", "1x2x500x170", "1x8/2x1000x1024", "1x4x1024x1024"]


def bench_rows():
    for kernel, (head, _) in FORMS.items():
        for rows in (1024, 2048, 4096, 8192, 16384):
            yield kernel, f"{16384 // rows}x{2048 // head}x{rows}x{rows}"
    for kernel in ("attention_backward", "attention_backward_causal"):  # grouped heads
        for shape in ("4x32/8x4096x4096", "1x32/8x16384x16384"):
            yield kernel, shape


def peers(problem, kernel, tensors):
    """torch's gradients of cuDNN's attention."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    inputs = [tensors[name].detach().clone().requires_grad_() for name in "QKV"]
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        o = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=problem.is_causal, enable_gqa=problem.group > 1)
    return {"cudnn": lambda: torch.autograd.grad(o, inputs, tensors["dO"], retain_graph=True)}


FAMILY = Family(
    name="attention_backward",
    kernels=tuple(FORMS),
    example=lambda kernel: "attention_backward",
    problem=Gradients,
    parse=matching(r"\d+x\d+(/\d+)?x\d+x\d+(@\d+)?", "BATCHxHEADS[/KEY_HEADS]xROWSxKEYS[@TIMES]"),
    shapes=lambda kernel: SHAPES,
    more=lambda kernel: LARGE_SHAPES,
    emulated={"attention_backward": ["--set=scale=0.1"]},
    adds_in_any_order=tuple(FORMS),
    rows=tuple(bench_rows()),
    peers=peers,
)
