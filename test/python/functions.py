#!/usr/bin/env python3
"""functions.py - The functions and modules of tkc.kernels, and their gradients, beside the same in float64.

Usage: functions.py [-v] [CASE ...]
On a GPU, or where there is none on the emulator. Needs torch.
"""
import os
import sys
import unittest
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: F401 - the path to the package
import torch
import torch.nn.functional as F

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ.setdefault("TKC_CPU", "emulator")

import tkc  # noqa: E402
from tkc import kernels  # noqa: E402


def normal(*shape, grad=True):
    x = tkc.aligned(torch.randn(*shape, device=DEVICE).bfloat16())
    return x.requires_grad_() if grad else x


def heads(batch, count, rows, width):
    """As projections lay them: heads of one row side by side."""
    return torch.randn(batch, rows, count, width, device=DEVICE).bfloat16().transpose(1, 2).requires_grad_()


def attention_in_float64(q, k, v, causal=False, window=None, softcap=None, scale=None):
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    rows, keys = scores.shape[-2:]
    row, key = torch.arange(rows, device=q.device)[:, None] + keys - rows, torch.arange(keys, device=q.device)[None]
    seen = torch.ones(rows, keys, dtype=torch.bool, device=q.device)
    if causal or window:
        seen &= key <= row
    if window:
        seen &= key > row - window
    return scores.masked_fill(~seen, -float("inf")).softmax(-1) @ v


class Functions(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)

    def compare(self, ours, exact, inputs, limit=0.005):
        """Results and gradients of a function of these tensors."""
        doubles = [x.detach().double().requires_grad_() for x in inputs]
        found, expected = ours(*inputs), exact(*doubles)
        found, expected = (x if isinstance(x, tuple) else (x,) for x in (found, expected))
        factors = [torch.randn(x.shape, device=DEVICE).to(x.dtype) for x in found]
        grads = torch.autograd.grad(found, inputs, factors)
        exact_grads = torch.autograd.grad(expected, doubles, [factor.double() for factor in factors])
        for number, (a, b) in enumerate(zip((*found, *grads), (*expected, *exact_grads))):
            self.assertEqual(a.shape, b.shape)
            error = float((a.double() - b).norm() / b.norm())
            self.assertLess(error, limit, f"result {number} of {len(found)} results, then {len(grads)} gradients")

    def test_tensors_that_a_raw_kernel_refuses(self):
        gemm = tkc.kernels.sources.library("gemm.tk").gemm
        a = normal(16, 16, grad=False)
        with torch._subclasses.fake_tensor.FakeTensorMode() as mode:
            fake = mode.from_tensor(a)
        for words, wrong in (("lends no memory: Cannot pack tensors on meta$", a.to("meta")), ("FakeTensor", fake),
                             ("A requires grad", torch.nn.Parameter(a)), ("lends no memory", a.to_sparse()),
                             ("type torch.float64", a.double()), ("stride 2 in its last dimension", normal(16, 32, grad=False)[:, ::2])):
            with self.assertRaisesRegex((TypeError, tkc.LaunchError), words):
                gemm(wrong, a)
        with torch.no_grad():
            self.assertTrue(torch.equal(gemm(torch.nn.Parameter(a), a), gemm(a, a)))

    def test_linear(self):
        self.compare(kernels.linear, F.linear, [normal(2, 20, 64), normal(48, 64)])
        self.compare(kernels.linear, F.linear, [normal(50, 64), normal(48, 64), normal(48)])
        layer = kernels.Linear(64, 48, device=DEVICE)
        again = torch.nn.Linear(64, 48, device=DEVICE, dtype=torch.bfloat16)
        again.load_state_dict(layer.state_dict())
        x = normal(50, 64, grad=False)
        self.assertLess(float((layer(x) - again(x)).detach().abs().max()), 0.05)

    def test_norms(self):
        def rms(x, weight, residual=None):
            x = x if residual is None else x + residual
            y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * weight
            return y if residual is None else (y, x)

        def layer(x, weight, bias, residual=None):
            x = x if residual is None else x + residual
            y = F.layer_norm(x, (x.shape[-1],), weight, bias)
            return y if residual is None else (y, x)

        x, residual, weight, bias = normal(2, 20, 512), normal(2, 20, 512), normal(512), normal(512)
        self.compare(kernels.rms_norm, rms, [x, weight])
        self.compare(lambda x, w, r: kernels.rms_norm(x, w, residual=r), rms, [x, weight, residual])
        self.compare(kernels.layer_norm, layer, [x, weight, bias])
        self.compare(lambda x, w, b, r: kernels.layer_norm(x, w, b, residual=r), layer, [x, weight, bias, residual])
        norm = kernels.LayerNorm(512, device=DEVICE)
        self.assertEqual(sorted(norm.state_dict()), ["bias", "weight"])
        self.assertEqual(norm(x).shape, x.shape)
        with self.assertRaisesRegex(ValueError, "a multiple of 256 up to 1024"):
            kernels.RMSNorm(320)

    def test_rotary(self):
        cos, sin = torch.randn(30, 32, device=DEVICE), torch.randn(30, 32, device=DEVICE)

        def turned(x, interleaved=False):
            a, b = (x[..., ::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
            parts = a * cos - b * sin, b * cos + a * sin
            return torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)

        q, k = heads(1, 4, 30, 64), heads(1, 2, 30, 64)
        self.compare(lambda x: kernels.rotary(x, cos, sin), turned, [q])
        self.compare(lambda x: kernels.rotary(x, cos, sin, interleaved=True), lambda x: turned(x, True), [q])
        self.compare(lambda q, k: kernels.rotary_qk(q, k, cos, sin), lambda q, k: (turned(q), turned(k)), [q, k])
        with self.assertRaisesRegex(ValueError, "64 or 128"):
            kernels.rotary(normal(1, 1, 8, 32), cos, sin)

    def test_cross_entropy(self):
        targets = torch.randint(96, (50,), device=DEVICE).int()
        targets[3] = -100
        for reduction in ("mean", "sum", "none"):
            self.compare(lambda x: kernels.cross_entropy(x, targets, reduction),
                         lambda x: F.cross_entropy(x, targets.long(), reduction=reduction), [normal(50, 96)])
        with self.assertRaisesRegex(ValueError, "reduction is 'product'"):
            kernels.cross_entropy(normal(50, 96), targets, "product")

    def attention(self, width, **options):
        exact = {name: value for name, value in options.items() if name != "precise"}
        self.compare(lambda q, k, v: kernels.attention(q, k, v, **options), lambda q, k, v: attention_in_float64(q, k, v, **exact),
                     [heads(1, 4, 150, width), heads(1, 2, 150, width), heads(1, 2, 150, width)])

    def test_attention(self):
        for options in ({}, {"causal": True}, {"causal": True, "scale": 0.2}):
            self.attention(64, **options)
        self.attention(128, causal=True)
        with self.assertRaisesRegex(ValueError, "64 or 128"):
            kernels.attention(*[normal(1, 1, 8, 32)] * 3)

    def test_precise_attention(self):
        self.attention(64, causal=True, precise=True)
        self.attention(128, precise=True)

    def test_windows_and_bounds(self):
        self.attention(64, window=37)
        self.attention(64, softcap=3.0)
        self.attention(64, softcap=100.0)
        self.attention(64, causal=True, softcap=3.0)
        self.attention(128, window=70, softcap=2.0)
        for options, words in (({"window": 0}, "one key at least"), ({"softcap": -1.0}, "above 0")):
            with self.assertRaisesRegex(ValueError, words):
                kernels.attention(*[normal(1, 1, 64, 64)] * 3, **options)

    @unittest.skipUnless(hasattr(F, "scaled_dot_product_attention"), "this torch has none to compare with")
    def test_drop_in(self):
        q, k, v = heads(1, 4, 60, 64), heads(1, 2, 60, 64), heads(1, 2, 60, 64)
        called = []
        kept = torch.nn.functional.scaled_dot_product_attention

        def counted(*given, **named):
            called.append(given)
            return kept(*given, **named)

        torch.nn.functional.scaled_dot_product_attention = counted
        try:
            drop_in = kernels.scaled_dot_product_attention
            for causal in (False, True):
                self.compare(lambda q, k, v: drop_in(q, k, v, is_causal=causal, enable_gqa=True),
                             lambda q, k, v: attention_in_float64(q, k, v, causal), [q, k, v])
            self.assertEqual(called, [], "torch's was called where a kernel serves")
            mask = torch.ones(60, 60, dtype=torch.bool, device=DEVICE)
            short = torch.cat([q] * 2, 2)
            with torch.no_grad():
                for given, named in (((q, q, q, mask), {}), ((q[..., :32],) * 3, {}), ((q.float(),) * 3, {}), ((q[0],) * 3, {}),
                                     ((q, short, short), {"is_causal": True})):
                    result, expected = drop_in(*given, **named), kept(*given, **named)
                    self.assertEqual(result.dtype, expected.dtype)
                    self.assertTrue(torch.equal(result, expected))
            self.assertEqual(len(called), 5)
        finally:
            torch.nn.functional.scaled_dot_product_attention = kept

    @unittest.skipUnless(hasattr(torch, "float8_e4m3fn") and DEVICE == "cuda", "8-bit floats of torch need a GPU")
    def test_eight_bits(self):
        x, weight = normal(2, 150, 1024, grad=False), normal(520, 1024, grad=False)
        values, scale = kernels.quantize_weight(weight)
        exact = x.double() @ weight.double().T
        error = float((kernels.linear_fp8(x, values, scale).double() - exact).norm() / exact.norm())
        self.assertLess(error, 0.05)
        layer = torch.nn.Linear(1024, 520, device=DEVICE, dtype=torch.bfloat16)
        found, exact = kernels.Fp8Linear(layer)(x).detach(), layer(x).detach().double()
        self.assertLess(float((found.double() - exact).norm() / exact.norm()), 0.05)

    def test_decode(self):
        q, k, v = normal(2, 4, 128, grad=False), normal(6, 2, 128, 128, grad=False), normal(6, 2, 128, 128, grad=False)
        pages = torch.randperm(6, device=DEVICE)[:6].reshape(2, 3).int()
        lengths = torch.tensor([1, 300], device=DEVICE, dtype=torch.int32)
        for splits in (1, 3):
            found = kernels.decode(q, k, v, pages, lengths, splits=splits)
            for number in range(2):
                keys, values = (x[pages[number].long()].transpose(0, 1).reshape(2, -1, 128)[:, : int(lengths[number])].double()
                                for x in (k, v))
                exact = attention_in_float64(q[number][None, :, None].double(), keys[None], values[None])[0, :, 0]
                self.assertLess(float((found[number].double() - exact).norm() / exact.norm()), 0.01)


if __name__ == "__main__":
    warnings.simplefilter("ignore", tkc.PerformanceWarning)
    unittest.main()
