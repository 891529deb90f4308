"""attention_batches.py - Attention over paged caches and over sequences of different lengths, checked against float64.

Judged like attention.py's kernels, sequence by sequence.
"""
import ctypes
import functools
import zlib

import numpy as np

from . import abi
from .attention import SCORE_STEP, Attention, Causal, Plain, Result, attend
from .compare import BF16_ROUNDING
from .families import Family, Launch, matching, call_each
from .tensors import HostTensor, SwappedTensor


class Permuted:
    """A tensor whose dimensions a kernel sees in another order."""

    def __init__(self, tensor, order):
        self.tensor, self.order, self.buffer, self.dtype = tensor, order, tensor.buffer, tensor.dtype

    def view(self, address=None):
        whole = self.tensor.view(address)
        pick = lambda values: (ctypes.c_int64 * 4)(*(values[i] for i in self.order))
        return abi.Tensor(whole.data, whole.dtype, whole.rank, pick(whole.extents), pick(whole.strides))


def numbers(values):
    tensor = HostTensor(np.shape(values), dtype=abi.I32)
    tensor.set(np.array(values))
    return tensor


def lose_pages(table, count, rng):
    """Gives some of a table's entries numbers outside of a cache of so many pages, where more than three are used."""
    used = np.argwhere(table >= 0)
    if len(used) > 3:
        for at, page in zip(rng.permutation(used)[: len(used) // 2], (count + 5, -7, 2**31 - 1, -(2**31))):
            table[tuple(at)] = page


def pages_of(cache, pages):
    """The pages with these numbers; those outside are zeros."""
    inside = (pages >= 0) & (pages < len(cache))
    return np.where(inside.reshape(-1, *[1] * (cache.ndim - 1)), cache[np.where(inside, pages, 0)], 0)


def bounds(q, k, truth, magnitude, sums, scale):
    """What O and L may differ by."""
    largest = 1.5 * scale * np.sqrt((q**2).sum(-1)).max() * np.sqrt((k**2).sum(-1)).max()
    error = SCORE_STEP * largest
    return (
        BF16_ROUNDING * np.abs(truth) + (BF16_ROUNDING + error) * magnitude + 1e-6,
        error + 2.0**-20 * np.abs(np.where(np.isinf(sums), 0, sums)) + 1e-6,
    )


class Batch:
    """Runs kernels on `o` and `l` and compares them with the solution."""

    expected = property(lambda self: self.solution[0])
    allowed = property(lambda self: self.solution[1])

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
    """Lengths of sequences, key heads, query heads for each, splits: '1000,1,0x2x8/4'. The heads of a key lie side by side, or,
    with '~' after that, the keys of a head. Pages outside of the cache count as zeros."""

    HEAD = 128
    PAGES = {f"attention_{form}{suffix}": page for form in ("split", "whole") for suffix, page in (("", 128), ("_64", 64), ("_16", 16))}

    def __init__(self, text, seed, kernel="attention_split", score_scale=1.0):
        sizes, _, splits = text.rstrip("~").partition("/")
        lengths, key_heads, group = sizes.split("x")
        lengths, key_heads, group = [int(n) for n in lengths.split(",")], int(key_heads), int(group)
        splits, page, batch, head = int(splits or 1), self.PAGES[kernel], len(lengths), self.HEAD
        rng = np.random.default_rng([seed, zlib.crc32(text.encode())])
        self.scale = float(np.float32(score_scale * head**-0.5))
        counts = [-(-length // page) for length in lengths]
        order = rng.permutation(sum(counts) + 3)
        table = np.full((batch, max(max(counts), 1)), -1)
        ends = np.cumsum([0, *counts])
        for row, first, count in zip(table, ends, counts):
            row[:count] = order[first : first + count]
        lose_pages(table, len(order), rng)
        self.table, self.lengths = numbers(table), numbers(lengths)
        self.q = HostTensor((batch, key_heads, group, head)).draw(rng)
        make = HostTensor if text.endswith("~") else SwappedTensor
        self.k, self.v = (make((len(order), key_heads, page, head)).draw(rng) for _ in range(2))
        rows = batch * key_heads
        self.part = HostTensor((rows, splits, group, head), dtype=abi.F32)
        self.logs = HostTensor((rows, splits, group), dtype=abi.F32, packed=True)
        self.o, self.l = HostTensor((rows, group, head)), HostTensor((rows, group, 1), dtype=abi.F32)
        self.sizes, self.counts, self.is_whole = (lengths, key_heads, group), counts, kernel.startswith("attention_whole")
        if self.is_whole:  # one split, which is the result
            self.o = HostTensor((rows, 1, group, head))
            self.l = HostTensor((rows, 1, group), dtype=abi.F32, packed=True)

    @functools.cached_property
    def solution(self):
        """O and L, and what they may differ by."""
        (lengths, key_heads, group), head = self.sizes, self.HEAD
        table, counts = self.table.values().astype(int), self.counts
        results, allowed = [], []
        for b, length in enumerate(lengths):
            if length == 0:
                results.append((np.zeros((key_heads, group, head)), np.full((key_heads, group, 1), -np.inf)))
                allowed.append((np.full((key_heads, group, head), 1e-6), np.full((key_heads, group, 1), 1e-6)))
                continue
            # A batch of key heads, each with one head of `group` rows.
            q = self.q.values()[b][:, None].astype(np.float64)
            gathered = [pages_of(x.values(), table[b, : counts[b]]).swapaxes(0, 1) for x in (self.k, self.v)]
            k, v = (x.reshape(key_heads, 1, -1, head)[:, :, :length].astype(np.float64) for x in gathered)
            all_of = attend(q, k, v, self.scale, lambda scores: scores)
            truth, sums, magnitude = (x[:, 0] for x in (all_of.o, all_of.sums, all_of.magnitude))
            results.append((truth, sums[..., None]))
            allowed.append(bounds(q, k, truth, magnitude, sums[..., None], self.scale))
        shapes = self.o.extents, self.l.extents
        return [[np.concatenate(part).reshape(shape) for part, shape in zip(zip(*parts), shapes)]
                for parts in (results, allowed)]

    def launches(self, kernel):
        given = {"Q": self.q, "K": self.k, "V": self.v, "Pages": self.table, "Lengths": self.lengths}
        scale, results = [ctypes.c_float(self.scale)], {"O": self.o, "L": self.l}
        if self.is_whole:
            return [Launch(kernel, given | results, scale)]
        joined = {"Part": Permuted(self.part, (0, 2, 1, 3)), "Logs": Permuted(self.logs, (0, 2, 1)), **results}
        return [Launch(kernel, given | {"Part": self.part, "Logs": self.logs}, scale), Launch("attention_join", joined)]

    def flops(self, kernel):
        return 0.0

    def bytes(self, kernel):
        lengths, key_heads, _ = self.sizes
        return 2 * 2 * sum(lengths) * key_heads * self.HEAD

    def check(self, backend, kernel="attention_split"):
        for tensor in (self.part, self.logs, self.o, self.l):
            tensor.poison()
        return self.judge(*call_each(backend, self.launches(kernel)))


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
        self.q = SwappedTensor((heads, starts[0][-1] + before, head)).draw(rng)
        self.k, self.v = (SwappedTensor((key_heads, starts[1][-1] + before, head)).draw(rng) for _ in range(2))
        self.o = SwappedTensor(self.q.extents)
        self.l = HostTensor(self.q.extents[:2], dtype=abi.F32)
        self.starts = [numbers(part) for part in starts]
        self.longest, self.scale = max(pair[0] for pair in pairs), float(np.float32(score_scale * head**-0.5))
        self.inside = slice(before, starts[0][-1])
        self.pairs, self.bounds_of, self.form = pairs, starts, self.FORMS[kernel](rng, None)

    @functools.cached_property
    def solution(self):
        """O and L, and what they may differ by."""
        starts, heads, head = self.bounds_of, self.q.extents[0], self.HEAD
        q, k, v = (x.values().astype(np.float64)[None] for x in (self.q, self.k, self.v))
        results, allowed = [], []
        for q0, q1, k0, k1 in zip(starts[0], starts[0][1:], starts[1], starts[1][1:]):
            own = q[:, :, q0:q1], k[:, :, k0:k1], v[:, :, k0:k1]
            if q0 == q1:
                continue
            if k0 == k1:
                results.append((np.zeros((heads, q1 - q0, head)), np.full((heads, q1 - q0), -np.inf)))
                allowed.append((np.full((heads, q1 - q0, head), 1e-6), np.full((heads, q1 - q0), 1e-6)))
                continue
            all_of = attend(*own, self.scale, self.form.change)
            truth, sums, magnitude = (x[0] for x in (all_of.o, all_of.sums, all_of.magnitude))
            results.append((truth, sums))
            allowed.append(bounds(own[0], own[1], truth, magnitude, sums, self.scale))
        return [[np.concatenate(part, axis=1) for part in zip(*parts)] for parts in (results, allowed)]

    def launches(self, kernel):
        tensors = dict(zip(("Q", "K", "V", "O", "L", "QStart", "KStart"), [self.q, self.k, self.v, self.o, self.l, *self.starts]))
        return [Launch(kernel, tensors, [ctypes.c_int32(self.longest), ctypes.c_float(self.scale)])]

    def flops(self, kernel):
        return 4.0 * self.q.extents[0] * sum(self.form.seen(*pair) for pair in self.pairs) * self.HEAD

    def prediction(self, kernel):
        """As many blocks of keys in four sequences of one length."""
        blocks, whole = sum(self.form.blocks(*pair) for pair in self.pairs), lambda n: 4 * self.form.blocks(n, n)
        equal = next(n for n in range(128, 1 << 20, 128) if whole(n) >= blocks)
        heads = f"{self.q.extents[0]}/{self.k.extents[0]}"
        return kernel, ",".join([f"{equal}:{equal}"] * 4) + f"x{heads}", blocks / whole(equal)

    def check(self, backend, kernel="attention_varlen"):
        self.o.poison()
        self.l.poison()
        (launch,) = self.launches(kernel)
        status = backend.call(kernel, list(launch.tensors.values()), launch.scalars)
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


# ===-----------------------------------------------------------------------=== #
# The families
# ===-----------------------------------------------------------------------=== #

DECODE = ["1x1x1/1", "127,128,129x2x8/2", "1000x1x8/3", "0,5x2x4/2", "300,64,65x1x16/64", "640x2x64/5", "200,64x2x4/2~"]
LARGE_DECODE = ["127,128,129,0,1000x2x8/3", "8192x8x8/33", "5000,3,640x4x8/64~", "20000x1x64/50~", "777,4096x2x16/7",
                "300,1,0,4000x8x8/1", ",".join(["300"] * 20) + "x8x4/1"]
VARLEN = ["1:1x1", "5:7,128:130,1:300x2/1", "129:257,0:10,127:127x2", "60:0,60:1,300:170x4/2", "33:33,33:33,33:33x1"]
LARGE_VARLEN = ["33:33,33:33,1:1,640:640,1000:1000,63:63,65:65x8", ",".join(f"{n}:{2 * n + 1}" for n in range(1, 60)) + "x3/1"]


def choose_splits(tiles, pages, num_sms=132):
    """As many as make the busiest SM's share smallest, a tile costing two pages by itself."""
    return min(range(1, 65), key=lambda n: -(-tiles * n // num_sms) * (-(-pages // n) + 2))


def decode_rows():
    """Batch, keys; 64 query heads on 8 key heads, pages of 128 keys."""
    for batch, keys in ((1, 8192), (1, 32768), (1, 131072), (4, 32768), (16, 8192), (16, 131072), (64, 8192), (128, 8192), (128, 32768)):
        splits = choose_splits(batch * 8, -(-keys // 128))
        yield "attention_whole" if splits == 1 else "attention_split", ",".join([str(keys)] * batch) + f"x8x8/{splits}"


FAMILIES = [
    Family(
        name="attention_decode",
        kernels=tuple(Decode.PAGES),
        example=lambda kernel: "attention_decode",
        problem=Decode,
        parse=matching(r"\d+(,\d+)*x\d+x\d+(/\d+)?~?", "LENGTH,...xKEY_HEADSxHEADS_OF_EACH/SPLITS, after it '~' for keys side by side"),
        shapes=lambda kernel: DECODE,
        more=lambda kernel: LARGE_DECODE,
        emulated={"attention_decode": ["--set=scale=0.1"]},
        rows=tuple(decode_rows()),
    ),
    Family(
        name="attention_varlen",
        kernels=tuple(Varlen.FORMS),
        example=lambda kernel: "attention_varlen",
        problem=Varlen,
        parse=matching(r"\d+:\d+(,\d+:\d+)*x\d+(/\d+)?", "QUERIES:KEYS,...xHEADS[/KEY_HEADS]"),
        shapes=lambda kernel: VARLEN,
        more=lambda kernel: LARGE_VARLEN,
        emulated={"attention_varlen": ["--set=scale=0.1", "--set=longest=200"]},
        rows=tuple((kernel, ",".join(f"{n}:{n}" for n in (200 + 97 * (i * 37 % 32) for i in range(32))) + "x16") for kernel in Varlen.FORMS),
    ),
]
