"""attention_batches.py - Decoding from paged caches, and sequences of different lengths, for attention_check.py."""

import ctypes
import statistics

import torch

from bursts import time_in_turn
from calls import SCORE_STEP, draw, judge, prepare, truth

HEAD = 128
SCALE = float(torch.tensor(HEAD**-0.5))


def judge_sequence(q, k, v, o, l, change=lambda scores: scores):
    """As judge, of one sequence, which is zero if it has no keys."""
    if k.shape[2] == 0:
        return 0.0, "not zero, without keys" if o.any() or not torch.isneginf(l).all() else ""
    expected, sums, magnitude = truth(q, k, v, SCALE, change)
    largest = 1.5 * SCALE * float(q.double().norm(dim=3).max() * k.double().norm(dim=3).max())
    return judge(o, l, expected, sums, magnitude, SCORE_STEP * largest)


# === Decoding ============================================================================================


class Cache:
    """Pages of keys and values, and tables that name them in a random order."""

    def __init__(self, pages, key_heads, page, swapped=False):
        shape = (pages, page, key_heads, HEAD) if swapped else (pages, key_heads, page, HEAD)
        self.k, self.v = (torch.empty(shape, device="cuda", dtype=torch.bfloat16).normal_() for _ in range(2))
        if swapped:
            self.k, self.v = self.k.transpose(1, 2), self.v.transpose(1, 2)
        self.page, self.key_heads = page, key_heads
        self.free = torch.randperm(pages, device="cuda").int()

    def table(self, lengths):
        """Pages for sequences of these lengths, which no other table names."""
        counts = [-(-length // self.page) for length in lengths]
        table = torch.full((len(lengths), max(1, *counts)), -1, device="cuda", dtype=torch.int32)
        for row, count in zip(table, counts):
            row[:count], self.free = self.free[:count], self.free[count:]
        return table

    def keys(self, table, length):
        """Those of one sequence and its values, (key heads, 1, length, D)."""
        pages = table[: -(-length // self.page)].long()
        shape = (self.key_heads, 1, len(pages) * self.page, HEAD)
        return (x[pages].transpose(0, 1).reshape(shape)[:, :, :length] for x in (self.k, self.v))


class Decode:
    """One launch of both kernels."""

    def __init__(self, library, cache, lengths, group, splits):
        batch, rows = len(lengths), len(lengths) * cache.key_heads
        self.lengths, self.table = lengths, cache.table(lengths)
        self.q = torch.randn(batch, cache.key_heads, group, HEAD, device="cuda").bfloat16()
        self.o = torch.empty(rows, group, HEAD, device="cuda", dtype=torch.bfloat16)
        self.l = torch.empty(rows, group, 1, device="cuda")
        count = torch.tensor(lengths, device="cuda", dtype=torch.int32)
        is_whole = splits == 1 and cache.page == 128
        part, logs = self.o[:, None], self.l[:, None, :, 0]
        if not is_whole:
            part = torch.full((rows, splits, group, HEAD), float("nan"), device="cuda")
            logs = torch.full((rows, splits, group), float("nan"), device="cuda")
        name = "attention_whole" if is_whole else "attention_split" if cache.page == 128 else "attention_split_64"
        tensors = [self.q, cache.k, cache.v, self.table, count, part, logs]
        self.calls = [prepare(library, name, tensors, [ctypes.c_float(SCALE)])]
        if not is_whole:
            self.calls.append(prepare(library, "attention_join", [part.transpose(1, 2), logs, self.o, self.l], []))

    def __call__(self):
        for call in self.calls:
            call()


def check_decode(library, lengths, key_heads, group, splits, page, swapped):
    cache = Cache(sum(-(-n // page) for n in lengths) + 5, key_heads, page, swapped)
    run = Decode(library, cache, lengths, group, splits)
    first = None
    for _ in range(4):
        run.o.fill_(float("nan"))
        run.l.fill_(float("nan"))
        run()
        torch.cuda.synchronize()
        if first and not (torch.equal(run.o, first[0]) and torch.equal(run.l, first[1])):
            return 0.0, "launches differ"
        first = run.o.clone(), run.l.clone()
    worst = 0.0
    for b, length in enumerate(lengths):
        own = slice(b * key_heads, (b + 1) * key_heads)
        q, (k, v) = run.q[b][:, None], cache.keys(run.table[b], length)
        error, problem = judge_sequence(q, k, v, run.o[own][:, None], run.l[own, :, 0][:, None])
        worst = max(worst, error)
        if problem:
            return error, f"sequence {b}: {problem}"
    return worst, ""


DECODE_SHAPES = [  # lengths, key heads, heads of each, splits, page, whether heads of a key lie side by side
    ([1], 1, 1, 1, 128, False),
    ([127, 128, 129, 0, 1000], 2, 8, 3, 128, True),
    ([8192], 8, 8, 33, 128, True),
    ([5000, 3, 640], 4, 8, 64, 128, False),
    ([777, 4096], 2, 16, 7, 64, True),
    ([300] * 20, 8, 4, 1, 64, True),
    ([20000], 1, 64, 50, 128, False),
    ([300, 1, 0, 4000], 8, 8, 1, 128, True),
]


def choose_splits(tiles, pages, num_sms=132):
    """As many as make the busiest SM's share smallest, a tile costing two pages by itself."""
    return min(range(1, 65), key=lambda n: -(-tiles * n // num_sms) * (-(-pages // n) + 2))


def time_decode(library, batch, keys, samples, key_heads=8, group=8, page=128):
    pages = -(-keys // page)
    read = 2 * batch * keys * key_heads * HEAD * 2
    sets = max(2, -(-400_000_000 // read))
    cache = Cache(sets * batch * pages, key_heads, page, swapped=True)
    splits = choose_splits(batch * key_heads, pages)
    runs = [Decode(library, cache, [keys] * batch, group, splits) for _ in range(sets)]
    large = [torch.empty(500_000_000, device="cuda", dtype=torch.int8) for _ in range(2)]
    equal = [[torch.empty(read // 2, device="cuda", dtype=torch.int8) for _ in range(2)] for _ in range(sets)]
    copies = lambda pairs: [lambda target=target, source=source: target.copy_(source) for target, source in pairs]
    calls = {"tkc": (runs, read / 3.9e9), "equal": (copies(equal), read / 3.9e9), "copy": (copies([large]), 1e9 / 4.2e9)}
    times = {}
    for label, (each, estimate) in calls.items():
        times[label] = statistics.median(time_in_turn({label: each}, estimate, samples)[label])
    rate, copied = read / times["tkc"] * 1e-6, 2 * large[0].numel() / times["copy"] * 1e-6
    print(f"{'decode':>24} batch {batch:>4}, {keys:>6} keys, {splits:>2} splits  {times['tkc']:8.4f} ms, {rate:5.0f} GB/s   "
          f"{rate / copied:6.3f} of a large copy's {copied:.0f}, {times['equal'] / times['tkc']:6.3f} of one of as many bytes", flush=True)
    return {"kernel": "decode", "batch": batch, "keys": keys, "splits": splits, "ms": times["tkc"], "GB/s": rate,
            "copy GB/s": copied, "of_copy": rate / copied, "of_equal_copy": times["equal"] / times["tkc"]}


DECODE_TIMES = [(1, 8192), (1, 32768), (1, 131072), (4, 32768), (16, 8192), (16, 131072), (64, 8192), (128, 8192), (128, 32768)]


# === Sequences of different lengths ======================================================================


class Varlen:
    """One launch. Sequences are pairs of queries and keys; three rows at either end belong to none."""

    def __init__(self, library, name, pairs, heads, key_heads):
        starts = [torch.tensor([3, *(pair[i] for pair in pairs)]).cumsum(0) for i in (0, 1)]
        rows = [int(part[-1]) + 3 for part in starts]
        self.bounds = [part.tolist() for part in starts]
        q, k, v = draw(1, heads, rows[0], HEAD, swapped=True), *(draw(1, key_heads, rows[1], HEAD, swapped=True) for _ in "kv")
        self.q, self.k, self.v = (x[0] for x in (q, k, v))
        self.o, self.l = torch.empty_like(self.q), torch.empty(heads, rows[0], device="cuda")
        tables = [part.int().cuda() for part in starts]
        longest = max(pair[0] for pair in pairs)
        self.run = prepare(library, name, [self.q, self.k, self.v, self.o, self.l, *tables],
                           [ctypes.c_int32(longest), ctypes.c_float(SCALE)])


def check_varlen(library, name, form, pairs, heads, key_heads):
    batch = Varlen(library, name, pairs, heads, key_heads)
    first = None
    for _ in range(4):
        batch.o.fill_(float("nan"))
        batch.l.fill_(float("nan"))
        batch.run()
        torch.cuda.synchronize()
        bits = batch.o.contiguous().view(torch.int16), batch.l.view(torch.int32)
        if first and not (torch.equal(bits[0], first[0]) and torch.equal(bits[1], first[1])):
            return 0.0, "launches differ"
        first = bits[0].clone(), bits[1].clone()
    worst, (queries, keys) = 0.0, batch.bounds
    for part in (slice(0, 3), slice(queries[-1], None)):
        if not (batch.o[:, part].isnan().all() and batch.l[:, part].isnan().all()):
            return 0.0, "rows of no sequence were written"
    for q0, q1, k0, k1 in zip(queries, queries[1:], keys, keys[1:]):
        if q0 == q1:
            continue
        q, o, l = batch.q[None, :, q0:q1], batch.o[None, :, q0:q1], batch.l[None, :, q0:q1]
        k, v = batch.k[None, :, k0:k1], batch.v[None, :, k0:k1]
        error, problem = judge_sequence(q, k, v, o, l, form(1, heads, q1 - q0, k1 - k0).change)
        worst = max(worst, error)
        if problem:
            return error, f"queries {q0} to {q1}: {problem}"
    return worst, ""


VARLEN_SHAPES = [  # queries and keys of each sequence, heads, key heads
    ([(1, 1)], 1, 1),
    ([(5, 7), (128, 130), (1, 300)], 2, 1),
    ([(129, 257), (0, 10), (127, 127), (60, 0), (300, 170)], 4, 2),
    ([(n, n) for n in (33, 33, 1, 640, 1000, 63, 65)], 8, 8),
    ([(n, 2 * n + 1) for n in range(1, 60)], 3, 1),
]


def time_varlen(library, name, form, samples):
    """One batch of 32 sequences against one sequence with as many blocks of the same kernel."""
    lengths = [200 + 97 * (i * 37 % 32) for i in range(32)]
    blocks = sum(form(1, 1, n, n).blocks(n, n) for n in lengths)
    equal = next(n for n in range(128, 1 << 20, 128) if 4 * form(1, 1, n, n).blocks(n, n) >= blocks)
    batches = {"varlen": Varlen(library, name, [(n, n) for n in lengths], 16, 16),
               "equal": Varlen(library, name, [(equal, equal)] * 4, 16, 16)}
    work = {"varlen": blocks, "equal": 4 * form(1, 1, equal, equal).blocks(equal, equal)}
    flops = 4.0 * 16 * blocks * 128 * 128 * HEAD
    times = time_in_turn({label: [batch.run] for label, batch in batches.items()}, flops / 600e9, samples)
    times = {label: statistics.median(values) for label, values in times.items()}
    share = times["equal"] / work["equal"] * work["varlen"] / times["varlen"]
    print(f"{name:>24} 32 sequences of {min(lengths)} to {max(lengths)}: {times['varlen']:8.4f} ms, {1e-9 * flops / times['varlen']:.0f} TFLOP/s in "
          f"blocks visited   {share:6.3f} of 4 sequences of {equal}", flush=True)
    return {"kernel": name, "ms": times["varlen"], "of_equal": share}
