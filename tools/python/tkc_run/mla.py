"""mla.py - Multi-head latent attention over a paged cache, checked against float64.

Judged like attention's decoding: the bounds follow from the rounding of scores, weights and results.
"""
import ctypes
import dataclasses
import functools
import zlib

import numpy as np

from . import abi
from .attention_batches import Batch, bounds, lose_pages, numbers, pages_of
from .families import Family, Launch, matching, call_each
from .tensors import FORMATS, MOST_DRAWN, HostTensor, from_bf16, to_bf16


def list_work(pages, share):
    """Parts of at most `share` pages: rows of Work, (sequence, first page, pages, place), the longest first, and Starts."""
    counts = [max(1, -(-count // share)) for count in pages]
    starts = np.cumsum([0, *counts])
    work = []
    for sequence, (count, parts) in enumerate(zip(pages, counts)):
        ends = [count * part // parts for part in range(parts + 1)]
        work += [(sequence, first, end - first, starts[sequence] + part) for part, (first, end) in enumerate(zip(ends, ends[1:]))]
    return np.array(sorted(work, key=lambda row: -row[2])), starts


class Mla(Batch):
    """Lengths of sequences, heads, tokens, splits of the longest sequence: '1000,1,0x16x2/4'. Pages outside of the cache count as
    zeros."""

    KEY, VALUE, PAGE = 576, 512, 64
    ROWS = ("mla_rows_split", "mla_rows_whole")  # whose Part has rows of V
    JOINS = ("mla_join_rows_wide64_few2", "mla_join_rows_wide16_few8")  # of which mla_join_rows takes one by the extents
    KERNELS = tuple(f"mla_{form}_{rows}" for form in ("split", "whole") for rows in (16, 32, 64)) + ROWS
    TOKEN_BYTES = 2 * KEY

    def __init__(self, text, seed, kernel="mla_split_16", score_scale=1.0):
        sizes, _, splits = text.partition("/")
        lengths, heads, tokens = sizes.split("x")
        lengths, heads, tokens = [int(n) for n in lengths.split(",")], int(heads), int(tokens)
        splits, batch, rows = int(splits or 1), len(lengths), heads * tokens
        rng = np.random.default_rng([seed, zlib.crc32(text.encode())])
        self.scale = float(np.float32(score_scale * 192**-0.5))  # of the heads before they are absorbed
        counts = [-(-length // self.PAGE) for length in lengths]
        order = rng.permutation(sum(counts) + 3)
        table = np.full((batch, max(max(counts), 1)), -1)
        ends = np.cumsum([0, *counts])
        for row, first, count in zip(table, ends, counts):
            row[:count] = order[first : first + count]
        lose_pages(table, len(order), rng)
        self.table, self.lengths = numbers(table), numbers(lengths)
        self.q = HostTensor((batch, rows, self.KEY)).draw(rng)
        self.cache = self.draw_cache(len(order), rng)
        self.part = HostTensor((batch, splits, self.VALUE, rows), dtype=abi.F32)
        self.logs = HostTensor((batch, splits, rows), dtype=abi.F32)
        self.o, self.l = HostTensor((batch, rows, self.VALUE)), HostTensor((batch, rows), dtype=abi.F32)
        self.sizes, self.is_whole, self.by_rows = (lengths, heads, tokens), "whole" in kernel, kernel in self.ROWS
        if self.by_rows:
            longest = max(1, *counts)
            work, starts = list_work(counts, longest if self.is_whole else -(-longest // splits))
            self.work, self.starts = numbers(work), numbers(starts)
            self.part = HostTensor((len(work), rows, self.VALUE), dtype=abi.BF16 if self.is_whole else abi.F32)
            self.logs = HostTensor((len(work), rows), dtype=abi.F32)
        elif self.is_whole:  # one split, which is the result
            self.part, self.logs = HostTensor((batch, 1, self.VALUE, rows)), HostTensor((batch, 1, rows), dtype=abi.F32)
        if self.is_whole:
            self.o, self.l = self.part, self.logs

    def draw_cache(self, pages, rng):
        """Its tensors by name, in the order of the parameters."""
        return {"K": HostTensor((pages, self.PAGE, self.KEY)).draw(rng)}

    def keys(self):
        """The keys of all pages."""
        return self.cache["K"].values().astype(np.float64)

    @functools.cached_property
    def solution(self):
        """O and L, and what they may differ by."""
        lengths, heads, tokens = self.sizes
        table, cache = self.table.values().astype(int), self.keys()
        results, allowed = [], []
        for b, length in enumerate(lengths):
            pages = table[b, : -(-length // self.PAGE)]
            k = pages_of(cache, pages).reshape(-1, self.KEY)[:length]
            q = self.q.values()[b].astype(np.float64)
            scores = q @ k.T * self.scale
            last = length - tokens + np.arange(heads * tokens) // heads
            scores[np.arange(length) > last[:, None]] = -np.inf
            sees = last >= 0
            best = scores.max(-1, initial=-np.inf, keepdims=True)
            weights = np.exp(scores - np.where(sees[:, None], best, 0))
            total = np.where(sees, weights.sum(-1), 1)[:, None]
            weights, v = weights / total, k[:, : self.VALUE]
            sums = np.where(sees, best[:, 0] + np.log(total[:, 0]), -np.inf)
            results.append((weights @ v, sums))
            nearest = bounds(q, k if length else np.zeros((1, self.KEY)), results[-1][0], weights @ np.abs(v), sums, self.scale)
            allowed.append(nearest)
        solution = [[np.stack(part) for part in zip(*parts)] for parts in (results, allowed)]
        if not self.is_whole or self.by_rows:
            return solution
        return [[o.swapaxes(1, 2)[:, None], l[:, None]] for o, l in solution]

    def join(self):
        return "mla_join_rows" if self.by_rows else "mla_join"

    def launches(self, kernel):
        tensors = {"Q": self.q} | self.cache | {"Pages": self.table, "Lengths": self.lengths}
        tensors |= {"Work": self.work} if self.by_rows else {}
        tensors |= {"Part": self.part, "L": self.logs}
        scalars = [ctypes.c_int32(self.sizes[2]), ctypes.c_float(self.scale)]
        if self.is_whole:
            return [Launch(kernel, tensors, scalars)]
        joined = {"Part": self.part, "L": self.logs} | ({"Starts": self.starts} if self.by_rows else {})
        joined |= {"O": self.o, "Sums": self.l}
        return [Launch(kernel, tensors, scalars), Launch(self.join(), joined)]

    def flops(self, kernel):
        lengths, heads, tokens = self.sizes
        return 2.0 * heads * tokens * sum(lengths) * (self.KEY + self.VALUE)

    def bytes(self, kernel):
        return self.TOKEN_BYTES * sum(self.sizes[0])

    def check(self, backend, kernel="mla_split_16"):
        for tensor in (self.part, self.logs, self.o, self.l):
            tensor.poison()
        first, *join = self.launches(kernel)
        if not (join and self.by_rows):
            return self.judge(*call_each(backend, [first, *join]))
        status, seconds = call_each(backend, [first])
        result = self.judge(status, seconds) if status.code else None
        for name in () if result else self.JOINS:
            self.o.poison()
            self.l.poison()
            result = self.judge(*call_each(backend, [dataclasses.replace(join[0], kernel=name)]))
            if result.problem:
                break
        return result


class RowPart:
    """Columns of a tensor of bytes, from `first` on, as elements of another type."""

    def __init__(self, rows, first, columns, dtype):
        self.rows, self.first, self.dtype, self.buffer, self.format = rows, first, dtype, rows.buffer, FORMATS[dtype]
        self.size = np.dtype(self.format.carrier).itemsize
        self.extents = (*rows.extents[:-1], columns)
        self.elements = rows.elements[..., first : first + columns * self.size].view(self.format.carrier)

    def set(self, values):
        self.elements[...] = np.resize(self.format.to_bits(values), self.elements.shape)

    def values(self):
        return self.format.from_bits(self.elements)

    def view(self, address=None):
        whole, rank = self.rows.view(address), len(self.extents)
        strides = [*(stride // self.size for stride in self.rows.strides()[:-1]), 1]
        fill = lambda values: (ctypes.c_int64 * 4)(*values)
        return abi.Tensor(whole.data + self.first, self.dtype, rank, fill(self.extents), fill(strides))


class Mla8(Mla):
    """The same from FlashMLA's cache of 656 bytes a token: 512 e4m3 numbers, a scale for each 128 of them, 64 bf16 numbers. With 64 rows
    the scaled numbers are rounded to bf16."""

    KERNELS = tuple(f"mla_fp8_{form}_{rows}" for form in ("split", "whole") for rows in (16, 32, 64))
    GROUP, TOKEN_BYTES = 128, 656

    def __init__(self, text, seed, kernel="mla_fp8_split_16"):
        self.is_rounded = kernel.endswith("_64")
        super().__init__(text, seed, kernel)

    def draw_cache(self, pages, rng):
        token = HostTensor((pages, self.PAGE, self.TOKEN_BYTES), dtype=abi.E4M3)
        groups = self.VALUE // self.GROUP
        k, scales = RowPart(token, 0, self.VALUE, abi.E4M3), RowPart(token, self.VALUE, groups, abi.F32)
        rope = RowPart(token, self.VALUE + 4 * groups, self.KEY - self.VALUE, abi.BF16)
        draw = lambda part: rng.standard_normal(min(MOST_DRAWN, part.elements.size), dtype=np.float32)
        k.set(64 * draw(k))
        scales.set(np.exp(0.3 * draw(scales)) / 64)
        rope.set(draw(rope))
        return {"K": k, "Scales": scales, "Rope": rope}

    def keys(self):
        k, scales, rope = (part.values() for part in self.cache.values())
        scales = scales.repeat(self.GROUP, axis=-1)
        value = from_bf16(to_bf16(k * scales)) if self.is_rounded else k * scales.astype(np.float64)
        return np.concatenate([value, rope], axis=-1).astype(np.float64)

    def join(self):
        return "mla_fp8_join_64" if self.is_rounded else "mla_fp8_join"


SHAPES = ["1x16x1/1", "64x32x1/1", "1,65x128x1/2", "63,64,65x16x1/2", "0,300x16x2/3", "130,0,1x48x1/5", "3,200x20x4/2", "640x64x1/4"]
SHAPES8 = ["1,65x40x1/2", "0,3,500x12x4/1", "130,300x16x1/5"]
LARGE_SHAPES = ["1000x128x1/3", "777,1,0,64x96x1/2", "127,128,129,0,1000x16x4/7", "5000x16x1/60"]

# The lengths, heads and tokens that decoding is timed at; parts fill the machine. The last one is ThunderMLA's.
TIMED = (
    ((4096,) * 128, 16, 1),
    ((4096,) * 128, 64, 1),
    ((4096,) * 128, 128, 1),
    ((8192,) * 32, 128, 1),
    ((16384,), 128, 1),
    ((4641, 45118, 1730, 1696), 16, 4),
)


def splits_of(lengths, rows, block):
    """Of the longest sequence: as many as make the shortest time, where a part costs a block as much as four pages, and the join a
    seventh of one."""
    pages = [-(-length // Mla.PAGE) for length in lengths]

    def cost(splits):
        share = -(-max(pages) // splits)
        tiles = sum(max(1, -(-count // share)) for count in pages) * -(-rows // block)
        return -(-tiles // 132) * (share + 4) + splits / 7

    return min(range(1, 129), key=cost)


def describe(lengths, heads, tokens, block):
    """The form of the kernel, and the shape, that fill the machine."""
    splits = splits_of(lengths, heads * tokens, block)
    return "whole" if splits == 1 else "split", ",".join(map(str, lengths)) + f"x{heads}x{tokens}/{splits}"


def rows():
    for lengths, heads, tokens in TIMED:
        block = 16 if heads * tokens <= 16 else 64
        form, shape = describe(lengths, heads, tokens, block)
        yield f"mla_{form}_{block}", shape
        if block == 64:
            yield f"mla_rows_{form}", shape


def rows8():
    for lengths, heads, tokens in TIMED:
        block = 16 if heads * tokens <= 16 else 64
        form, shape = describe(lengths, heads, tokens, block)
        yield f"mla_fp8_{form}_{block}", shape


MLA = Family(
    name="mla_decode",
    kernels=Mla.KERNELS,
    example=lambda kernel: "mla_decode_rows" if kernel in Mla.ROWS else "mla_decode",
    problem=Mla,
    parse=matching(r"\d+(,\d+)*x\d+x\d+(/\d+)?", "LENGTH,...xHEADSxTOKENS/SPLITS"),
    shapes=lambda kernel: SHAPES,
    more=lambda kernel: LARGE_SHAPES,
    emulated={name: ["--set=scale=0.07", "--set=tokens=2"] for name in ("mla_decode", "mla_decode_rows")},
    rows=tuple(rows()),
)
FAMILIES = [
    MLA,
    dataclasses.replace(
        MLA,
        name="mla_decode_fp8",
        kernels=Mla8.KERNELS,
        example=lambda kernel: "mla_decode_fp8_64" if kernel.endswith("_64") else "mla_decode_fp8",
        problem=Mla8,
        shapes=lambda kernel: SHAPES8,
        emulated={name: MLA.emulated["mla_decode"] for name in ("mla_decode_fp8", "mla_decode_fp8_64")},
        rows=tuple(rows8()),
    ),
]
