"""attention.py - One attention forward of one shape, checked against float64, on any of the backends.

The truth is numpy in float64 on the same bf16 inputs. A right result differs from it because O is
rounded to bf16 (2^-8 of its value), because the probabilities are rounded to bf16 before they multiply V
(2^-8 of each term), and because scores are sums in fp32 whose errors, relative to the largest score,
become relative errors of the exponentials. tanh is right to 11 bits.

With 8-bit floats the truth is that of the quantised inputs. Probabilities are rounded to 2^-4 of their value then, or to
2^-10 where the largest of a row is at least 2^6. Rounding errors of many terms have no common sign, so that a sum of them is
held to three times what it has on average, and the same part of its own value; only so are keys noticed that meet another
key's probability. And the tensor cores keep fewer bits of sums.
"""
import ctypes
import functools
import zlib
from dataclasses import dataclass, replace

import numpy as np

from . import abi
from .compare import BF16_ROUNDING, Comparison
from .families import Family, Launch, argument
from .tensors import HostTensor, SwappedTensor

SCORE_STEP = 2.0**-18  # of the largest score, in powers of two: sums of up to 256 matmuls, and one fma
TANH_STEP = 2.0**-10
SMALL_SCORE_STEP = 2.0**-11  # of matmuls of 8-bit floats
SMALL_ROUNDING, SMALLEST = 2.0**-4, 2.0**-16  # of an e4m3; of what is too small for one, relative to a row's largest


# ===-----------------------------------------------------------------------=== #
# What kernels differ in
# ===-----------------------------------------------------------------------=== #


class Plain:
    """Tensors and scalars after those that all kernels have, and what happens to the scores."""

    def __init__(self, rng, shape):
        self.tensors, self.scalars, self.error = [], [], 0.0  # of scores, beside that of sums

    def change(self, scores):
        """The scores of all rows and keys as they count; -inf where a row does not see a key."""
        return scores

    def first_key(self, row):
        """The first key that rows see which stand at these keys."""
        return np.zeros_like(row)

    def seen(self, rows, keys):
        """How many scores of a head count."""
        return rows * keys

    def blocks(self, rows, keys):
        """Blocks of 128 keys that the tiles of 128 rows of a head visit."""
        return -(-rows // 128) * -(-keys // 128)

    @staticmethod
    def places(scores):
        """The keys at which the rows stand, and all keys."""
        rows, keys = scores.shape[2:]
        return np.arange(rows)[:, None] + keys - rows, np.arange(keys)[None, :]

    @staticmethod
    def see(scores, seen):
        return np.where(seen, scores, -np.inf)


class Causal(Plain):
    def change(self, scores):
        row, key = self.places(scores)
        return self.see(scores, key <= row)

    def seen(self, rows, keys):
        """Half of them, as is customary, or those from the first key to the row's own."""
        row = np.arange(keys - rows, keys)
        first = self.first_key(row)
        return int((row + 1 - first).clip(0).sum()) if first.any() else rows * keys / 2

    def blocks(self, rows, keys):
        row = np.arange(keys - rows, keys, 128)
        return int((-(-np.clip(row + 128, 0, keys) // 128) - self.first_key(row) // 128).sum())


class Window(Causal):
    """`size` keys are seen, of a shape that says how many."""

    def __init__(self, rng, shape):
        super().__init__(rng, shape)
        self.window = shape.size or int(rng.choice([1, 2, 37, 128, 200]))
        self.scalars = [ctypes.c_int32(self.window)]

    def first_key(self, row):
        return np.maximum(0, row - self.window + 1)

    def change(self, scores):
        row, key = self.places(scores)
        return self.see(scores, (key <= row) & (key > row - self.window))


class Softcap(Plain):
    def __init__(self, rng, shape):
        super().__init__(rng, shape)
        self.cap = 20.0
        self.scalars, self.error = [ctypes.c_float(self.cap)], self.cap * TANH_STEP

    def change(self, scores):
        return self.cap * np.tanh(scores / self.cap)


class Alibi(Causal):
    def __init__(self, rng, shape):
        super().__init__(rng, shape)
        slopes = HostTensor((shape.heads,), dtype=abi.F32)
        slopes.set(2.0 ** (-8 * (np.arange(shape.heads) + 1) / shape.heads))
        self.slopes, self.tensors = slopes.values().astype(np.float64), [slopes]
        self.error = SCORE_STEP * max(shape.rows, shape.keys)

    def change(self, scores):
        row, key = self.places(scores)
        return self.see(scores + self.slopes[None, :, None, None] * (key - row), key <= row)


class Document(Causal):
    """Documents of `size` keys, of a shape that says how many."""

    def __init__(self, rng, shape):
        super().__init__(rng, shape)
        starts = HostTensor((shape.batch, shape.rows), dtype=abi.I32)
        self.starts = np.empty((shape.batch, shape.rows), np.int64)
        row = np.arange(shape.rows) + shape.keys - shape.rows
        for own in self.starts:
            begins = np.unique([0, *rng.integers(0, shape.keys, 1 + shape.keys // 150)])
            begins = np.arange(0, shape.keys, shape.size) if shape.size else begins
            own[:] = begins[np.maximum(np.searchsorted(begins, row, side="right") - 1, 0)]
        starts.set(self.starts)
        self.tensors, self.offset = [starts], shape.keys - shape.rows

    def first_key(self, row):
        """Of the first sequence."""
        return self.starts[0, row - self.offset]

    def change(self, scores):
        row, key = self.places(scores)
        return self.see(scores, (key <= row) & (key >= self.starts[:, None, :, None]))


@dataclass(frozen=True)
class Kernel:
    head: int
    rows: int  # of a tile
    keys: int
    form: type = Plain
    example: str = "attention"
    element: int = abi.BF16

    @property
    def rounds_sums(self):
        """L is the logarithm of a sum of rounded weights."""
        return self.example == "attention"


KERNELS = {
    "attention": Kernel(128, 128, 128),
    "attention_causal": Kernel(128, 128, 128, Causal),
    "attention_64": Kernel(64, 256, 64),  # chooses between the next two
    "attention_64_bm256_bn64": Kernel(64, 256, 64),
    "attention_64_bm192_bn128": Kernel(64, 192, 128),
    "attention_64_causal": Kernel(64, 256, 64, Causal),  # and these
    "attention_64_causal_bm256_bn64": Kernel(64, 256, 64, Causal),
    "attention_64_causal_bm192_bn128": Kernel(64, 192, 128, Causal),
    "attention_textbook": Kernel(128, 128, 128, example="attention_textbook"),
    "attention_textbook_causal": Kernel(128, 128, 128, Causal, "attention_textbook"),
    "attention_256": Kernel(256, 128, 64, example="attention_256"),
    "attention_256_causal": Kernel(256, 128, 64, Causal, "attention_256"),
    "attention_fp8": Kernel(128, 128, 128, Plain, "attention_fp8", abi.E4M3),
    "attention_fp8_causal": Kernel(128, 128, 128, Causal, "attention_fp8", abi.E4M3),
    "attention_fp8_64": Kernel(64, 192, 128, Plain, "attention_fp8", abi.E4M3),
    "attention_fp8_64_causal": Kernel(64, 192, 128, Causal, "attention_fp8", abi.E4M3),
    "attention_window": Kernel(128, 128, 128, Window, "attention_variants"),
    "attention_alibi": Kernel(128, 128, 128, Alibi, "attention_variants"),
    "attention_softcap": Kernel(128, 128, 128, Softcap, "attention_variants"),
    "attention_softcap_small": Kernel(128, 128, 128, Softcap, "attention_variants"),
    "attention_document": Kernel(128, 128, 128, Document, "attention_variants"),
}

@dataclass(frozen=True)
class Shape:
    batch: int
    heads: int
    key_heads: int
    rows: int
    keys: int
    query_scale: float = 1.0
    is_swapped: bool = False  # the heads of a row lie side by side
    size: int = 0  # of windows or documents, if not random
    has_outliers: bool = False  # one number in a thousand is ten times as large

    def __str__(self):
        scale = f"@{self.query_scale:g}" if self.query_scale != 1 else ""
        size = f":{self.size}" if self.size else ""
        order = "~" * self.is_swapped + "!" * self.has_outliers
        return f"{self.batch}x{self.heads}/{self.key_heads}x{self.rows}x{self.keys}{size}{order}{scale}"

    @staticmethod
    @argument("BATCHxHEADS[/KEY_HEADS]xROWSxKEYS; after it ':1024' for windows or documents of 1024 keys, '~' if heads lie side by "
              "side, '!' for outliers, '@6' for queries six times as large")
    def parse(text):
        sizes, _, scale = text.partition("@")
        has_outliers, sizes = sizes.endswith("!"), sizes.removesuffix("!")
        is_swapped, sizes = sizes.endswith("~"), sizes.removesuffix("~")
        sizes, _, size = sizes.partition(":")
        batch, heads, rows, keys = sizes.split("x")
        heads, _, key_heads = heads.partition("/")
        return Shape(int(batch), int(heads), int(key_heads or heads), int(rows), int(keys), float(scale or 1),
                     is_swapped, int(size or 0), has_outliers)


def with_outliers(rng):
    """One number in a thousand becomes ten times as large."""
    return lambda numbers: np.where(rng.random(numbers.shape, np.float32) < 1e-3, 10 * numbers, numbers)


@dataclass
class Result:
    comparison: Comparison | None
    seconds: float
    problem: str  # empty if all is right


@dataclass
class Truth:
    """O and the log of the sums of exponentials; a row that sees no key is zero. What errors are measured with: the sums of
    |p v|, the roots of the sums of their squares, and the largest p times the sum of |v|."""

    o: np.ndarray
    sums: np.ndarray
    magnitude: np.ndarray
    spread: np.ndarray
    smallest: np.ndarray


def attend(q, k, v, scale, change):
    """In float64."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = change(q @ k.swapaxes(2, 3) * scale)
    best = scores.max(axis=3, keepdims=True)
    p = np.exp(scores - np.where(np.isinf(best), 0, best))
    total = p.sum(axis=3, keepdims=True)
    seen = total > 0
    p = np.divide(p, total, where=seen, out=np.zeros_like(p))
    with np.errstate(divide="ignore"):
        sums = (np.log(total) + np.where(seen, best, 0))[..., 0]
    smallest = p.max(axis=3, keepdims=True) * np.abs(v).sum(axis=2, keepdims=True)
    return Truth(p @ v, sums, p @ np.abs(v), np.sqrt(p**2 @ v**2), smallest)


class Drawn:
    """An operand of bf16: normal numbers, `by` times as large, and changed; `values` are what its elements hold, in float64."""

    def __init__(self, rng, extents, by, make, change):
        self.tensor = make(extents).draw(rng, by, change)

    @functools.cached_property
    def values(self):
        return self.tensor.values().astype(np.float64)


class Quantised:
    """An operand of 8-bit floats: the same numbers, divided by a scale for each head so that the largest is 448. With
    `transposed`, the rows are contiguous."""

    def __init__(self, rng, extents, by, make, change, transposed=False):
        numbers = change(by * rng.standard_normal(extents))
        scales = (np.abs(numbers).max(axis=(2, 3)) / 448).astype(np.float32)
        self.scales = HostTensor(extents[:2], dtype=abi.F32)
        self.scales.set(scales)
        numbers /= np.where(scales > 0, scales, 1).astype(np.float64)[..., None, None]
        order = (0, 1, 3, 2) if transposed else (0, 1, 2, 3)
        self.tensor = make([extents[i] for i in order], dtype=abi.E4M3)
        self.tensor.set(numbers.transpose(order))
        self.order = order

    @functools.cached_property
    def values(self):
        return self.tensor.values().astype(np.float64).transpose(self.order) * self.scales.values().astype(np.float64)[..., None, None]


class Attention:
    """The tensors and the truth of one shape; `check` runs one way and judges it."""

    def __init__(self, shape, seed, name="attention"):
        kernel = KERNELS[name]
        self.kernel, self.shape = kernel, shape
        sizes = (shape.batch, shape.heads, shape.key_heads, shape.rows, shape.keys)
        rng = np.random.default_rng([seed, zlib.crc32(name.encode()), *sizes])
        self.scale = float(np.float32(kernel.head**-0.5))
        make = SwappedTensor if shape.is_swapped else HostTensor
        is_small = kernel.element == abi.E4M3
        draw = Quantised if is_small else Drawn
        queries, keys = ((shape.batch, heads, rows, kernel.head)
                         for heads, rows in ((shape.heads, shape.rows), (shape.key_heads, shape.keys)))
        change = with_outliers(rng) if shape.has_outliers else lambda numbers: numbers
        q, k = draw(rng, queries, shape.query_scale, make, change), draw(rng, keys, 1, make, change)
        v = draw(rng, keys, 1, make, change, **({"transposed": True} if is_small else {}))
        self.random, self.operands = (q, k, v), [operand.tensor for operand in (q, k, v)]
        self.o = make(queries)
        self.l = HostTensor(queries[:3], dtype=abi.F32)
        self.form = kernel.form(rng, shape)
        self.others = [operand.scales for operand in (q, k, v)] if is_small else []
        self.inputs = [tensor.buffer.copy() for tensor in self.operands]

    @property
    def values(self):
        return [operand.values for operand in self.random]

    @functools.cached_property
    def truth(self):
        return attend(*self.values, self.scale, self.form.change)

    @functools.cached_property
    def score_error(self):
        q, k, _ = self.values
        is_small = self.kernel.element == abi.E4M3
        largest = 1.5 * self.scale * np.sqrt((q**2).sum(axis=3)).max() * np.sqrt((k**2).sum(axis=3)).max()
        return (SMALL_SCORE_STEP if is_small else SCORE_STEP) * largest + 2 * self.form.error

    @functools.cached_property
    def allowed(self):
        o = np.abs(self.truth.o)
        rounding = BF16_ROUNDING * self.truth.magnitude
        if self.kernel.element == abi.E4M3:
            rounding = SMALL_ROUNDING * np.minimum(o + 3 * self.truth.spread, self.truth.magnitude)
            rounding += SMALLEST * self.truth.smallest
        return BF16_ROUNDING * o + rounding + self.score_error * self.truth.magnitude + 1e-6

    @functools.cached_property
    def allowed_sums(self):
        sums = self.truth.sums
        of_weights = BF16_ROUNDING if self.kernel.rounds_sums else 1e-6
        return self.score_error + 2.0**-20 * np.abs(np.where(np.isinf(sums), 0, sums)) + of_weights

    def launches(self, kernel):
        given = dict(zip(("Q", "K", "V", "O", "L"), [*self.operands, self.o, self.l]))
        more = {f"more_{i}": tensor for i, tensor in enumerate(self.others + self.form.tensors)}
        return [Launch(kernel, given | more, [ctypes.c_float(self.scale), *self.form.scalars])]

    def flops(self, kernel):
        """Of the scores that count: half of them below the diagonal."""
        s = self.shape
        return 4.0 * s.batch * s.heads * self.form.seen(s.rows, s.keys) * self.kernel.head

    def prediction(self, kernel):
        """What a kernel that hides keys or changes scores should take: a share of the plain one's time, as it visits a share of
        its blocks of keys. The plain kernel, the text of its shape, and the share."""
        if self.kernel.head != 128 or self.kernel.element != abi.BF16 or kernel == "attention":
            return None
        plain, s = replace(self.shape, size=0), self.shape
        return "attention", str(plain), self.form.blocks(s.rows, s.keys) / Plain.blocks(self.form, s.rows, s.keys)

    def check(self, backend, kernel="attention"):
        self.o.poison()
        self.l.poison()
        tensors = [*self.operands, self.o, self.l]
        (launch,) = self.launches(kernel)
        status = backend.call(kernel, list(launch.tensors.values()), launch.scalars)
        if status.code:
            return Result(None, backend.seconds, str(status))
        for name, tensor, before in zip("QKV", tensors, self.inputs):
            if not np.array_equal(tensor.buffer, before):
                return Result(None, backend.seconds, f"{name} was written to")
        for name, tensor in (("O", self.o), ("L", self.l)):
            if stray := tensor.stray_writes():
                return Result(None, backend.seconds, f"{stray} places outside the elements of {name} were written")
            if unwritten := tensor.unwritten():
                return Result(None, backend.seconds, f"{unwritten} elements of {name} were never written")
        comparison = self.compare(self.o.values(), self.truth.o, self.allowed, "O")
        sums = self.compare(self.l.values(), self.truth.sums, self.allowed_sums, "L")
        comparison.problem = comparison.problem or sums.problem
        return Result(comparison, backend.seconds, comparison.problem)

    @staticmethod
    def compare(result, truth, allowed, name):
        result = result.astype(np.float64)
        with np.errstate(invalid="ignore"):
            error = np.where(result == truth, 0.0, np.abs(result - truth))  # two infinities are equal
        ratio = error / allowed
        wrong = ~(ratio <= 1)  # a NaN is wrong too
        problem = ""
        if wrong.any():
            place = tuple(np.argwhere(wrong)[0])
            problem = (
                f"{np.count_nonzero(wrong)} of {wrong.size} elements of {name} are wrong, the first at "
                f"{list(map(int, place))}: {result[place]:.6g} when it should be {truth[place]:.6g} +- {allowed[place]:.2g}"
            )
        return Comparison(float(np.nanmax(ratio)), float(np.nanmax(error)), float(np.linalg.norm(error)), problem)


# ===-----------------------------------------------------------------------=== #
# The family
# ===-----------------------------------------------------------------------=== #


def edge_shapes(kernel):
    """One row and key, one less and one more than a tile, grouped heads, more rows than keys and the other way round, scores
    so large that every exponential is 0 or 1, and all scores 0. Where a kernel only chooses among others, one of them."""
    rows, keys = KERNELS[kernel].rows, KERNELS[kernel].keys
    if kernel in CHOICES:
        return [Shape(1, 1, 1, 5, 64)]
    edges = [(1, 1), (rows - 1, keys - 1), (rows, keys), (rows + 1, keys + 1), (rows, 2 * keys), (5, 3 * keys + 7)]
    grouped = [Shape(2, 2, 1, rows + 3, keys + 5), Shape(1, 4, 2, 17, keys)]
    large = [Shape(1, 1, 1, rows, 2 * keys, 6.0), Shape(1, 1, 1, 33, keys + 9, 60.0), Shape(1, 1, 1, 20, keys + 2, 0.0)]
    grouped.append(Shape(2, 2, 1, 50, keys + 5, is_swapped=True))
    return [Shape(1, 1, 1, *edge) for edge in edges] + grouped + large + [Shape(1, 1, 1, 2 * rows, keys - 30)]


CHOICES = ("attention_64", "attention_64_causal")
SCALED = ["--set=scale=0.1"]
LARGE_SHAPES = ["2x4/2x129x257~", "2x2x300x170", "1x2x1x1000", "1x8/1x1000x1024~", "1x4/1x1024x4096", "2x4/2x300x300@6",
                "2x4/2x300x300~@60", "3x6/2x640x512@6", "1x4x512x777!", "3x6/2x640x512!@6"]


def bench_rows():
    """16384 rows over all batches, heads x head size = 2048; and 32 heads of queries that share 8 of keys."""
    for kernel in ("attention", "attention_causal", "attention_64", "attention_64_causal", "attention_256", "attention_256_causal",
                   "attention_fp8", "attention_fp8_causal"):
        heads = 2048 // KERNELS[kernel].head
        for rows in (1024, 2048, 4096, 8192, 16384):
            yield kernel, f"{16384 // rows}x{heads}x{rows}x{rows}"
        if KERNELS[kernel].head == 128:
            yield from ((kernel, shape) for shape in ("4x32/8x4096x4096", "1x32/8x16384x16384"))
    yield from ((f"attention_fp8_64{form}", f"{16384 // rows}x32x{rows}x{rows}") for form in ("", "_causal") for rows in (2048, 8192))
    for kernel in ("attention_textbook", "attention_textbook_causal", "attention_alibi", "attention_softcap",
                   "attention_softcap_small"):
        yield from ((kernel, f"{16384 // rows}x16x{rows}x{rows}") for rows in (2048, 8192))
    yield from (("attention_window", shape) for shape in ("8x16x2048x2048:1024", "2x16x8192x8192:1024", "2x16x8192x8192:4096"))
    yield from (("attention_document", shape) for shape in ("8x16x2048x2048:1024", "2x16x8192x8192:1024"))


def peers(problem, kernel, tensors):
    """cuDNN, in bf16 whatever the kernel takes; FlexAttention for scores that cuDNN cannot change so."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    form = KERNELS[kernel].form
    if form not in (Plain, Causal):
        import attention_peers

        return attention_peers.calls(problem.form, tensors)
    q, k, v = (tensors[name] for name in "QKV")
    if KERNELS[kernel].element == abi.E4M3:
        q, k, v = q.bfloat16(), k.bfloat16(), v.transpose(2, 3).bfloat16().contiguous()
    backends = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION]

    def call():
        with sdpa_kernel(backends, set_priority=True):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=form is Causal, enable_gqa=q.shape[1] != k.shape[1])

    return {"cudnn": call}


FAMILY = Family(
    name="attention",
    kernels=tuple(KERNELS),
    example=lambda kernel: KERNELS[kernel].example,
    problem=Attention,
    parse=Shape.parse,
    shapes=edge_shapes,
    more=lambda kernel: [Shape.parse(text) for text in LARGE_SHAPES],
    emulated={"attention": SCALED, "attention_textbook": SCALED, "attention_fp8": SCALED,
              "attention_variants": [*SCALED, "--set=window=100", "--set=cap=5"]},
    rows=tuple(bench_rows()),
    peers=peers,
)
