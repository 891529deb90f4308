"""attention_batches.py - Attention over paged caches and over sequences of different lengths, checked against float64.

Judged like attention.py's kernels, sequence by sequence.
"""
import ctypes
import zlib

import numpy as np

from . import abi
from .attention import SCORE_STEP, Attention, Causal, Plain, Result, attend
from .compare import BF16_ROUNDING
from .tensors import HostTensor, SwappedTensor


class Permuted:
    """A tensor whose dimensions a kernel sees in another order."""

    def __init__(self, tensor, order):
        self.tensor, self.order, self.buffer = tensor, order, tensor.buffer

    def view(self, address=None):
        whole = self.tensor.view(address)
        pick = lambda values: (ctypes.c_int64 * 4)(*(values[i] for i in self.order))
        return abi.Tensor(whole.data, whole.dtype, whole.rank, pick(whole.extents), pick(whole.strides))


def numbers(values):
    tensor = HostTensor(np.shape(values), dtype=abi.I32)
    tensor.set(np.array(values))
    return tensor


def bounds(q, k, truth, magnitude, sums, scale):
    """What O and L may differ by."""
    largest = 1.5 * scale * np.sqrt((q**2).sum(-1)).max() * np.sqrt((k**2).sum(-1)).max()
    error = SCORE_STEP * largest
    return (
        BF16_ROUNDING * np.abs(truth) + (BF16_ROUNDING + error) * magnitude + 1e-6,
        error + 2.0**-20 * np.abs(np.where(np.isinf(sums), 0, sums)) + 1e-6,
    )


class Batch:
    """Runs kernels on `o` and `l` and compares them with `truth` and `sums`, where `covered` says so of each row."""

    def judge(self, status, seconds):
        if status.code:
            return Result(None, seconds, str(status))
        for name, tensor in (("O", self.o), ("L", self.l)):
            if stray := tensor.stray_writes():
                return Result(None, seconds, f"{stray} places outside the elements of {name} were written")
        (truth, sums), (allowed, allowed_sums) = self.expected, self.allowed
        comparison = Attention.compare(self.o.values(), truth, allowed, "O")
        comparison.problem = comparison.problem or Attention.compare(self.l.values(), sums, allowed_sums, "L").problem
        return Result(comparison, seconds, comparison.problem)


class Decode(Batch):
    """Lengths of sequences, key heads, query heads for each, splits: '1000,1,0x2x8/4'."""

    HEAD = 128
    PAGES = {"attention_split": 128, "attention_split_64": 64, "attention_whole": 128}

    def __init__(self, text, seed, kernel="attention_split", score_scale=1.0):
        sizes, _, splits = text.partition("/")
        lengths, key_heads, group = sizes.split("x")
        lengths, key_heads, group = [int(n) for n in lengths.split(",")], int(key_heads), int(group)
        splits, page, batch, head = int(splits or 1), self.PAGES[kernel], len(lengths), self.HEAD
        rng = np.random.default_rng([seed, zlib.crc32(text.encode())])
        draw = lambda tensor: (tensor.set(rng.standard_normal(tensor.extents, dtype=np.float32)), tensor)[1]
        self.scale = float(np.float32(score_scale * head**-0.5))
        counts = [-(-length // page) for length in lengths]
        order = rng.permutation(sum(counts) + 3)
        table = np.full((batch, max(max(counts), 1)), -1)
        ends = np.cumsum([0, *counts])
        for row, first, count in zip(table, ends, counts):
            row[:count] = order[first : first + count]
        self.table, self.lengths = numbers(table), numbers(lengths)
        self.q = draw(HostTensor((batch, key_heads, group, head)))
        self.k, self.v = (draw(SwappedTensor((len(order), key_heads, page, head))) for _ in range(2))
        rows = batch * key_heads
        self.part = HostTensor((rows, splits, group, head), dtype=abi.F32)
        self.logs = HostTensor((rows, splits, group), dtype=abi.F32, packed=True)
        self.o, self.l = HostTensor((rows, group, head)), HostTensor((rows, group, 1), dtype=abi.F32)
        results, allowed = [], []
        for b, length in enumerate(lengths):
            if length == 0:
                results.append((np.zeros((key_heads, group, head)), np.full((key_heads, group, 1), -np.inf)))
                allowed.append((np.full((key_heads, group, head), 1e-6), np.full((key_heads, group, 1), 1e-6)))
                continue
            # A batch of key heads, each with one head of `group` rows.
            q = self.q.values()[b][:, None].astype(np.float64)
            gathered = [x.values()[table[b, : counts[b]]].swapaxes(0, 1) for x in (self.k, self.v)]
            k, v = (x.reshape(key_heads, 1, -1, head)[:, :, :length].astype(np.float64) for x in gathered)
            all_of = attend(q, k, v, self.scale, lambda scores: scores)
            truth, sums, magnitude = (x[:, 0] for x in (all_of.o, all_of.sums, all_of.magnitude))
            results.append((truth, sums[..., None]))
            allowed.append(bounds(q, k, truth, magnitude, sums[..., None], self.scale))
        self.expected = [np.concatenate(part) for part in zip(*results)]
        self.allowed = [np.concatenate(part) for part in zip(*allowed)]
        if kernel == "attention_whole":  # one split, which is the result
            self.o = HostTensor((rows, 1, group, head))
            self.l = HostTensor((rows, 1, group), dtype=abi.F32, packed=True)
            shapes = self.o.extents, self.l.extents
            for values in (self.expected, self.allowed):
                values[:] = [value.reshape(shape) for value, shape in zip(values, shapes)]

    def check(self, backend, kernel="attention_split"):
        for tensor in (self.part, self.logs, self.o, self.l):
            tensor.poison()
        inputs = [self.q, self.k, self.v, self.table, self.lengths]
        if kernel == "attention_whole":
            return self.judge(backend.call(kernel, [*inputs, self.o, self.l], [ctypes.c_float(self.scale)]), backend.seconds)
        status = backend.call(kernel, [*inputs, self.part, self.logs], [ctypes.c_float(self.scale)])
        seconds = backend.seconds
        if not status.code:
            parts = [Permuted(self.part, (0, 2, 1, 3)), self.logs, self.o, self.l]
            status = backend.call("attention_join", parts)
        return self.judge(status, seconds + backend.seconds)


class Varlen(Batch):
    """Queries and keys of each sequence, and heads: '5:7,128:130x4/2'."""

    FORMS = {"attention_varlen": Plain, "attention_varlen_causal": Causal}
    HEAD = 128

    def __init__(self, text, seed, kernel="attention_varlen", score_scale=1.0):
        sizes, _, heads = text.partition("x")
        pairs = [[int(n) for n in pair.split(":")] for pair in sizes.split(",")]
        heads, _, key_heads = heads.partition("/")
        heads, key_heads, head = int(heads), int(key_heads or heads), self.HEAD
        rng = np.random.default_rng([seed, zlib.crc32(text.encode())])
        before = 3  # rows of no sequence, at either end
        starts = [np.cumsum([before, *(pair[i] for pair in pairs)]) for i in (0, 1)]
        draw = lambda tensor: (tensor.set(rng.standard_normal(tensor.extents, dtype=np.float32)), tensor)[1]
        self.q = draw(SwappedTensor((heads, starts[0][-1] + before, head)))
        self.k, self.v = (draw(SwappedTensor((key_heads, starts[1][-1] + before, head))) for _ in range(2))
        self.o = SwappedTensor(self.q.extents)
        self.l = HostTensor(self.q.extents[:2], dtype=abi.F32)
        self.starts = [numbers(part) for part in starts]
        self.longest, self.scale = max(pair[0] for pair in pairs), float(np.float32(score_scale * head**-0.5))
        self.inside = slice(before, starts[0][-1])
        q, k, v = (x.values().astype(np.float64)[None] for x in (self.q, self.k, self.v))
        results, allowed = [], []
        for q0, q1, k0, k1 in zip(starts[0], starts[0][1:], starts[1], starts[1][1:]):
            own = q[:, :, q0:q1], k[:, :, k0:k1], v[:, :, k0:k1]
            if q0 == q1:
                continue
            change = self.FORMS[kernel](rng, None).change
            if k0 == k1:
                results.append((np.zeros((heads, q1 - q0, head)), np.full((heads, q1 - q0), -np.inf)))
                allowed.append((np.full((heads, q1 - q0, head), 1e-6), np.full((heads, q1 - q0), 1e-6)))
                continue
            all_of = attend(*own, self.scale, change)
            truth, sums, magnitude = (x[0] for x in (all_of.o, all_of.sums, all_of.magnitude))
            results.append((truth, sums))
            allowed.append(bounds(own[0], own[1], truth, magnitude, sums, self.scale))
        self.expected = [np.concatenate(part, axis=1) for part in zip(*results)]
        self.allowed = [np.concatenate(part, axis=1) for part in zip(*allowed)]

    def check(self, backend, kernel="attention_varlen"):
        self.o.poison()
        self.l.poison()
        tensors = [self.q, self.k, self.v, self.o, self.l, *self.starts]
        status = backend.call(kernel, tensors, [ctypes.c_int32(self.longest), ctypes.c_float(self.scale)])
        return self.judge(status, backend.seconds)

    def judge(self, status, seconds):
        """Rows that belong to no sequence keep what was there."""
        whole = [tensor.elements for tensor in (self.o, self.l)]
        for name, tensor in (("O", self.o), ("L", self.l)):
            kept = tensor.elements == tensor.format.poison
            kept[:, self.inside] = True
            if not status.code and not kept.all():
                return Result(None, seconds, f"{np.count_nonzero(~kept)} elements of {name} outside all sequences were written")
        try:
            for tensor in (self.o, self.l):
                tensor.values = lambda own=tensor: own.format.from_bits(own.elements[:, self.inside])
            return super().judge(status, seconds)
        finally:
            for tensor in (self.o, self.l):
                del tensor.values
