#!/usr/bin/env python3
"""package_kernels.py - The package's own sources (tools/python/src/tkc/kernels/*.tk) on the emulator, beside float64.

Usage: package_kernels.py [-v] [CASE ...]
Those of dsl-examples have tests of their own; tkc.kernels, which needs torch, is for functions.py.
"""
import os
import sys
import unittest
import warnings

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import EXAMPLES, ROOT
import tkc
from tkc import arrays, hostbuild
from tkc_run import unoptimized

# Each kernel runs for less time than GCC takes to optimize it, as users have it (documented.test, bad-inputs.test).
if unoptimized.is_built():
    hostbuild.command = unoptimized.command
FOLDER = os.path.join(ROOT, "tools", "python", "src", "tkc", "kernels")
rng = np.random.default_rng(7)


def library(name):
    return tkc.compile(os.path.join(FOLDER, name), cpu="emulator")


def templates(name):
    """Those of an example, without the instances that its file asks for, which an instance more would compile again."""
    with open(os.path.join(EXAMPLES, name)) as file:
        text = "".join(line for line in file if not line.startswith("instantiate("))
    return tkc.compile(source=text, cpu="emulator")


def normal(*shape, shift=0.0):
    return tkc.bf16(rng.standard_normal(shape) + shift)


def exact(x):
    return np.asarray(x).astype(np.float64)


def poisoned(shape, dtype="float32"):
    """An output that was not written is NaN."""
    if dtype == "bf16":
        result = tkc.Bits(arrays.empty(shape, np.uint16), "bf16")
        result.bits[...] = 0x7FC0
        return result
    result = arrays.empty(shape, np.float32)
    result[...] = np.nan
    return result


class Kernels(unittest.TestCase):
    def close(self, found, expected, what, limit=0.004):
        found = exact(found)
        error = np.linalg.norm(found - expected) / np.linalg.norm(expected)
        self.assertTrue(np.isfinite(found).all(), f"{what} has numbers that are none")
        self.assertLess(error, limit, f"{what} is off")

    def norm(self, width, cols, is_centred, has_residual, count=37):
        lib, shape = library("norms.tk"), (width // cols, cols)
        x, dy, dsum = normal(count, *shape, shift=0.5), normal(count, *shape), normal(count, *shape)
        w, b = normal(*shape), normal(*shape)
        y, dx = poisoned((count, *shape), "bf16"), poisoned((count, *shape), "bf16")
        dw, db = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        kind = {"Width": width, "Cols": cols, "Centred": is_centred}
        lib.instance("norm_forward", **kind)(x, w, b, y, 1e-5)
        lib.instance("norm_backward", Residual=has_residual, **kind)(x, dy, dsum, w, dx, dw, db, 1e-5)
        rows, g, weight = (exact(each).reshape(-1, width) for each in (x, dy, w))
        s = rows - rows.mean(1, keepdims=True) if is_centred else rows
        r = 1 / np.sqrt((s * s).mean(1, keepdims=True) + 1e-5)
        n = s * r
        self.close(exact(y).reshape(-1, width), n * weight + (exact(b).reshape(width) if is_centred else 0), "Y")
        self.close(dw.reshape(width), (g * n).sum(0), "dW")
        if is_centred:
            self.close(db.reshape(width), g.sum(0), "dB")
        else:
            self.assertTrue((db == 0).all(), "dB was written")
        g = g * weight
        g = g - n * (g * n).mean(1, keepdims=True)
        g = (g - g.mean(1, keepdims=True) if is_centred else g) * r
        self.close(exact(dx).reshape(-1, width), g + (exact(dsum).reshape(-1, width) if has_residual else 0), "dX")

    def test_layer_norm(self):
        self.norm(512, 32, True, False)

    def test_rms_norm_after_a_residual(self):
        self.norm(512, 32, False, True)

    def test_long_rows(self):
        self.norm(2048, 32, True, True, count=5)

    def test_cross_entropy(self):
        lib, rows, words = library("losses.tk"), 70, 200
        x, scale = normal(rows, words), rng.random(rows).astype(np.float32)
        target = rng.integers(0, words, rows).astype(np.int32)
        target[3], target[69] = -100, words
        loss, l = lib.cross_entropy(x, target)
        dx = lib.cross_entropy_backward(x, target, l, scale)
        logits, counts = exact(x), (target >= 0) & (target < words)
        total = np.log(np.exp(logits).sum(1))
        at = np.arange(rows), np.where(counts, target, 0)
        self.close(l, total, "L", 1e-5)
        self.close(loss, np.where(counts, total - logits[at], 0), "Loss", 1e-5)
        gradient = np.exp(logits - total[:, None])
        gradient[at] -= 1
        self.close(dx, gradient * (scale * counts)[:, None], "dX")

    def quantized(self, x):
        rows, cols = x.shape
        values = tkc.Bits(np.full((rows, cols), 0x7F, np.uint8), "e4m3")
        scale = poisoned((-(-cols // 128), rows))
        library("quantize.tk").quantize(x, values, scale)
        return values, scale

    def test_quantize(self):
        x = normal(70, 272)
        x.bits[5] = 0  # a row of zeros has no scale
        values, scale = self.quantized(x)
        found = exact(values) * np.repeat(exact(scale).T, 128, 1)[:, :272]
        self.assertEqual(scale.shape, (3, 70))
        self.assertTrue((found[5] == 0).all())
        self.close(found, exact(x), "X", 0.03)  # three bits of mantissa
        self.assertEqual(np.abs(exact(values)).max(), 448)

    def test_eight_bit_matmul(self):
        """What linear_fp8 does: rows quantized on the way, weights in blocks."""
        x, weight = normal(70, 256), rng.standard_normal((48, 256))
        values, scale = self.quantized(x)
        quantized, of_rows = self.quantized(tkc.bf16(weight))
        of_blocks = arrays.empty((1, 2), np.float32)
        of_blocks[...] = 1
        y = tkc.compile(os.path.join(EXAMPLES, "gemm_fp8.tk"), cpu="emulator").gemm_blockwise(values, quantized, scale, of_blocks)
        known = exact(quantized)  # as if all scales of the weights were 1
        self.close(y, (exact(values) * np.repeat(exact(scale).T, 128, 1)) @ known.T, "C")
        self.assertEqual(of_rows.shape, (2, 48))

    def attention(self, width, causal, window, cap, heads=4, key_heads=2, rows=90, keys=150):
        q, do = normal(1, heads, rows, width), normal(1, heads, rows, width)
        k, v = normal(1, key_heads, keys, width), normal(1, key_heads, keys, width)
        kind = {"D": width, "Causal": causal, "Window": window > 0, "Bounded": cap > 0}
        scale, o, l = width**-0.5, poisoned(q.shape, "bf16"), poisoned((1, heads, rows))
        library("attention_general.tk").instance("attention_general", **kind)(q, k, v, o, l, scale, window, cap or 1.0)

        group = heads // key_heads
        Q, K, V, G = exact(q), np.repeat(exact(k), group, 1), np.repeat(exact(v), group, 1), exact(do)
        scores = Q @ K.swapaxes(-1, -2) * scale
        t = np.tanh(scores / cap) if cap else scores
        row, key = np.arange(rows)[:, None] + keys - rows, np.arange(keys)[None]
        seen = (not causal or key <= row) & ((window == 0) | (key > row - window)) & (key >= 0) & (row > -keys)
        bounded = np.where(seen, t * cap if cap else t, -np.inf)
        top = bounded.max(-1, keepdims=True)
        p = np.exp(bounded - top)
        total = p.sum(-1, keepdims=True)
        self.close(l, (top + np.log(total))[..., 0], "L", 1e-4)
        p /= total
        O = p @ V
        self.close(o, O, "O")

        backward = tkc.compile(os.path.join(EXAMPLES, "attention_backward.tk"), cpu="emulator")
        size = "_64" if width == 64 else ""
        padded = (1, q.shape[1], -(-rows // 16) * 16)
        level, delta, dq_sum = (poisoned(shape) for shape in (padded, padded, (*padded, width)))
        getattr(backward, "attention_backward_begin" + size)(o, do, l, level, delta, dq_sum)
        dq, dk, dv = (poisoned(x.shape, "bf16") for x in (q, k, v))
        library("attention_general_backward.tk").instance("attention_general_backward", Part=64 if width == 64 else 32, **kind)(
            q, k, v, do, level, delta, dq_sum, dk, dv, scale, window, cap or 1.0)
        getattr(backward, "attention_backward_end" + size)(dq_sum, dq)
        ds = p * (G @ V.swapaxes(-1, -2) - (G * O).sum(-1, keepdims=True)) * scale
        ds = ds * (1 - t * t) if cap else ds

        def of_group(x):
            return x.reshape(1, key_heads, group, keys, width).sum(2)

        self.close(dq, ds @ K, "dQ", 0.006)
        self.close(dk, of_group(ds.swapaxes(-1, -2) @ Q), "dK", 0.006)
        self.close(dv, of_group(p.swapaxes(-1, -2) @ G), "dV", 0.006)

    def test_gradients_in_a_fixed_order(self):
        """What attention(.., deterministic=True) does: dQ by blocks of queries, to which nobody else adds."""
        for width, causal, rows, keys in ((128, True, 90, 150), (64, False, 150, 90)):
            q, do = normal(1, 2, rows, width), normal(1, 2, rows, width)
            k, v = normal(1, 1, keys, width), normal(1, 1, keys, width)
            Q, K, V, G = exact(q), exact(k), exact(v), exact(do)
            scores = Q @ K.swapaxes(-1, -2) * width**-0.5
            row, key = np.arange(rows)[:, None] + keys - rows, np.arange(keys)[None]
            scores = np.where(not causal or key <= row, scores, -np.inf)
            p = np.exp(scores - scores.max(-1, keepdims=True))
            l = scores.max(-1) + np.log(p.sum(-1))
            p /= p.sum(-1, keepdims=True)
            ds = p * (G @ V.swapaxes(-1, -2) - (G * (p @ V)).sum(-1, keepdims=True)) * width**-0.5

            backward = tkc.compile(os.path.join(EXAMPLES, "attention_backward.tk"), cpu="emulator")
            padded = (1, 2, -(-rows // 16) * 16)
            level, delta, total = (poisoned(shape) for shape in (padded, padded, (*padded, width)))
            begin = getattr(backward, "attention_backward_begin" + ("_64" if width == 64 else ""))
            begin(tkc.bf16(p @ V), do, l.astype(np.float32), level, delta, total)
            dq, dk, dv = (poisoned(x.shape, "bf16") for x in (q, k, v))
            kind = {"D": width, "Causal": causal}
            part = templates("attention_backward.tk").instance("attention_backward", AddsToSum=False, **kind)
            part(q, k, v, do, level, delta, total, dk, dv, width**-0.5)
            queries = library("attention_backward_queries.tk").instance("attention_backward_queries", **kind)
            queries(q, k, v, do, level, delta, dq, width**-0.5)
            self.assertTrue((np.asarray(total) == 0).all())  # nobody adds to it
            self.close(dq, ds @ K, "dQ", 0.006)
            self.close(dk, (ds.swapaxes(-1, -2) @ Q).sum(1, keepdims=True), "dK", 0.006)
            self.close(dv, (p.swapaxes(-1, -2) @ G).sum(1, keepdims=True), "dV", 0.006)

    def test_window_of_bounded_scores(self):
        self.attention(64, True, 37, 3.0)

    def test_bounded_scores(self):
        self.attention(64, False, 0, 2.0)

    def test_window_of_long_heads(self):
        self.attention(128, True, 70, 0.0, heads=2, key_heads=1)


if __name__ == "__main__":
    warnings.simplefilter("ignore", tkc.PerformanceWarning)
    unittest.main()
