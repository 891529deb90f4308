#!/usr/bin/env python3
"""Checks the emitted kernels of the attention examples on the GPU against float64, and times them beside each other.

The folder holds what tkc wrote of attention.tk, attention_textbook.tk, attention_variants.tk, attention_decode.tk and
attention_varlen.tk; what is not there is left out. Checking: every element of O and L against torch in float64 on the same bf16 inputs, within
the bounds of tkc_run/attention.py, with NaN in the outputs beforehand; four launches must agree bit for bit. Shapes
include grouped heads, both orders of (heads, rows) in memory, more rows than keys (whose first rows see nothing),
queries 6 and 60 times as large, and inputs of which one in a thousand is ten times as large as the others. Timing: bursts (bursts.py), against what the blocks of keys that a
variant visits cost the plain kernel in the same run; decoding against the bandwidth of a copy.

    attention_check.py [--folder .emitted] [--only NAME ...] [--no-timing] [--json FILE]
"""

import argparse
import ctypes
import os
import statistics
import sys
import tempfile

import torch

import attention_batches as batches
from bursts import build_all, device_line, save, time_in_turn
from calls import SCORE_STEP, TANH_STEP, draw, judge, prepare, truth

CAP = 30.0


# === Forms ===============================================================================================


def places(scores):
    """The keys at which rows stand, and all keys."""
    rows, keys = scores.shape[2:]
    return torch.arange(rows, device="cuda")[:, None] + keys - rows, torch.arange(keys, device="cuda")[None, :]


def see(scores, seen):
    return scores.masked_fill(~seen, float("-inf"))


class Plain:
    """Tensors and scalars after those that all kernels have, and what happens to scores."""

    def __init__(self, batch, heads, rows, keys, size=None):
        self.tensors, self.scalars, self.error = [], [], 0.0

    def change(self, scores):
        return scores

    def blocks(self, rows, keys):
        """Blocks of 128 keys that all tiles of 128 rows visit."""
        return -(-rows // 128) * -(-keys // 128)


class Causal(Plain):
    def change(self, scores):
        row, key = places(scores)
        return see(scores, key <= row)

    def blocks(self, rows, keys):
        return sum(-(-min(keys, max(0, row + 128)) // 128) for row in range(keys - rows, keys, 128))


class Window(Plain):
    def __init__(self, batch, heads, rows, keys, size=None):
        super().__init__(batch, heads, rows, keys)
        self.window = size or max(1, keys // 3)
        self.scalars = [ctypes.c_int32(self.window)]

    def change(self, scores):
        row, key = places(scores)
        return see(scores, (key <= row) & (key > row - self.window))

    def blocks(self, rows, keys):
        tiles = range(keys - rows, keys, 128)
        return sum(-(-min(keys, max(0, row + 128)) // 128) - max(0, row - self.window + 1) // 128 for row in tiles)


class Softcap(Plain):
    def __init__(self, batch, heads, rows, keys, size=None):
        super().__init__(batch, heads, rows, keys)
        self.scalars, self.error = [ctypes.c_float(CAP)], CAP * TANH_STEP

    def change(self, scores):
        return CAP * torch.tanh(scores / CAP)


class Alibi(Causal):
    def __init__(self, batch, heads, rows, keys, size=None):
        super().__init__(batch, heads, rows, keys)
        self.slopes = 2.0 ** (-8 * (torch.arange(heads, device="cuda") + 1.0) / heads)
        self.tensors, self.error = [self.slopes], SCORE_STEP * max(rows, keys)

    def change(self, scores):
        row, key = places(scores)
        return see(scores + self.slopes.double()[None, :, None, None] * (key - row), key <= row)


class Document(Plain):
    def __init__(self, batch, heads, rows, keys, size=None):
        super().__init__(batch, heads, rows, keys)
        row = torch.arange(rows, device="cuda") + keys - rows
        if size:
            starts = (row // size * size).expand(batch, rows)
        else:
            marks = torch.randint(0, keys, (batch, 2 + keys // 200), device="cuda").sort(1).values
            marks[:, 0] = 0
            place = torch.searchsorted(marks, row.expand(batch, rows).contiguous(), right=True) - 1
            starts = marks.gather(1, place.clamp_min(0))
        room = torch.zeros(batch, -(-rows // 4) * 4, device="cuda", dtype=torch.int32)
        self.starts = room[:, :rows]
        self.starts.copy_(starts)
        self.tensors = [self.starts]

    def change(self, scores):
        row, key = places(scores)
        return see(scores, (key <= row) & (key >= self.starts.long()[:, None, :, None]))

    def blocks(self, rows, keys):
        starts = self.starts[0].tolist()
        return sum(-(-min(keys, max(0, m + keys - rows + 128)) // 128) - starts[m] // 128 for m in range(0, rows, 128))


KERNELS = {  # name: file, head size, form
    "attention": ("attention", 128, Plain),
    "attention_causal": ("attention", 128, Causal),
    "attention_64": ("attention", 64, Plain),
    "attention_64_causal": ("attention", 64, Causal),
    "attention_textbook": ("attention_textbook", 128, Plain),
    "attention_textbook_causal": ("attention_textbook", 128, Causal),
    "attention_256": ("attention_256", 256, Plain),
    "attention_256_causal": ("attention_256", 256, Causal),
    "attention_window": ("attention_variants", 128, Window),
    "attention_alibi": ("attention_variants", 128, Alibi),
    "attention_softcap": ("attention_variants", 128, Softcap),
    "attention_document": ("attention_variants", 128, Document),
}


ROUNDS_SUMS = {name for name, (file, _, _) in KERNELS.items() if file == "attention"}  # what L is the logarithm of

BATCHES = ["attention_decode", "attention_varlen"]  # files whose kernels have tensors of their own


# === Kernels =============================================================================================


class Kernel:
    """One C function of a library."""

    def __init__(self, library, name, head, form):
        self.library, self.name, self.head, self.form = library, name, head, form
        self.scale = float(torch.tensor(head**-0.5))

    def prepare(self, tensors, form):
        scalars = [ctypes.c_float(self.scale), *form.scalars]
        return prepare(self.library, self.name, [*tensors, *form.tensors], scalars)


def check(kernel, batch, heads, key_heads, rows, keys, by=1, swapped=False, outliers=False):
    """The relative error of O, and a message if something is wrong."""
    how = {"outliers": outliers, "swapped": swapped}
    q = draw(batch, heads, rows, kernel.head, by=by, **how)
    k, v = (draw(batch, key_heads, keys, kernel.head, **how) for _ in range(2))
    form = kernel.form(batch, heads, rows, keys)
    expected, sums, magnitude = truth(q, k, v, kernel.scale, form.change)
    largest = 1.5 * kernel.scale * float(q.double().norm(dim=3).max() * k.double().norm(dim=3).max())
    first = None
    for _ in range(4):
        o = torch.full_like(q, float("nan"))
        l = torch.full(q.shape[:3], float("nan"), device="cuda")
        kernel.prepare([q, k, v, o, l], form)()
        torch.cuda.synchronize()
        if first and not (torch.equal(o, first[0]) and torch.equal(l, first[1])):
            return 0.0, "launches differ"
        first = (o, l)
    return judge(o, l, expected, sums, magnitude, SCORE_STEP * largest + 2 * form.error, kernel.name in ROUNDS_SUMS)


SHAPES = [
    dict(zip(("batch", "heads", "key_heads", "rows", "keys"), sizes)) | more
    for sizes, more in [
        ((1, 1, 1, 1, 1), {}),
        ((1, 2, 1, 63, 127), {}),
        ((2, 4, 2, 129, 257), {"swapped": True}),
        ((2, 2, 2, 300, 170), {}),
        ((1, 2, 2, 1, 1000), {}),
        ((1, 8, 1, 1000, 1024), {"swapped": True}),
        ((1, 4, 1, 1024, 4096), {}),
        ((2, 4, 2, 300, 300), {"by": 6}),
        ((2, 4, 2, 300, 300), {"by": 60, "swapped": True}),
        ((1, 4, 4, 512, 777), {"outliers": True}),
        ((3, 6, 2, 640, 512), {"by": 6, "outliers": True}),
    ]
]


def check_all(name, shapes, check_one):
    """What check_one(shape) says of each shape."""
    failures, worst = [], 0.0
    for shape in shapes:
        error, problem = check_one(shape)
        worst = max(worst, error)
        if problem:
            failures.append(f"{shape}: {problem}")
    report(name, len(shapes), failures, worst)
    return {"shapes": len(shapes), "failed": failures, "worst": worst}


def report(name, count, failures, worst):
    print(f"{name}: {count - len(failures)} of {count} shapes right, largest relative error {worst:.2e}")
    for message in failures[:5]:
        print("  " + message, flush=True)


# === Times ===============================================================================================


def time_variants(kernels, rows, samples):
    """Each variant against the blocks that it visits, at the plain kernel's time for each."""
    batch, heads, head = max(1, 16384 // rows), 16, 128
    sets = [[draw(batch, heads, rows, head) for _ in range(4)] for _ in range(2)]
    sums = torch.empty(batch, heads, rows, device="cuda")
    forms = {"attention": Plain(batch, heads, rows, rows)}
    for name, size in [("attention_causal", None), ("attention_textbook", None), ("attention_textbook_causal", None),
                       ("attention_softcap", None), ("attention_alibi", None),
                       ("attention_window", 1024), ("attention_window", 4096), ("attention_document", 1024)]:
        if name in kernels and (not size or size < rows):
            forms[f"{name} {size}" if size else name] = kernels[name].form(batch, heads, rows, rows, size)
    calls = {label: [kernels[label.split()[0]].prepare([*tensors, sums], form) for tensors in sets]
             for label, form in forms.items()}
    all_blocks = forms["attention"].blocks(rows, rows)
    estimate = 4.0 * batch * heads * rows * rows * head / 700e9
    times = {label: statistics.median(values) for label, values in time_in_turn(calls, estimate, samples).items()}
    result = []
    for label, ms in times.items():
        share = forms[label].blocks(rows, rows) / all_blocks
        predicted = times["attention"] * share
        result.append({"kernel": label, "rows": rows, "ms": ms, "predicted": predicted, "of_predicted": predicted / ms})
        print(f"{label:>24} {rows:>6}  {ms:8.4f} ms, {100 * share:5.1f} % of the blocks, predicted {predicted:8.4f} ms   "
              f"{predicted / ms:6.3f}", flush=True)
    return result


def time_head_256(kernel, rows, samples):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    batch, heads = max(1, 16384 // rows), 8
    q, k, v, o = (draw(batch, heads, rows, 256) for _ in range(4))
    sums = torch.empty(batch, heads, rows, device="cuda")
    causal = kernel.form is Causal

    def peer():
        with sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION], set_priority=True):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    calls = {"tkc": [kernel.prepare([q, k, v, o, sums], kernel.form(batch, heads, rows, rows))]}
    try:
        peer()
        calls["torch"] = [peer]
    except RuntimeError as error:
        print(f"no kernel of torch's for heads of 256: {error}")
    flops = 4.0 * batch * heads * rows * rows * 256 / (2 if causal else 1)
    times = {label: statistics.median(values) for label, values in time_in_turn(calls, flops / 600e9, samples).items()}
    print(f"{kernel.name:>24} {rows:>6}  " + ", ".join(f"{label} {ms:.4f} ms {1e-9 * flops / ms:.0f} TFLOP/s" for label, ms in times.items()),
          flush=True)
    return {"kernel": kernel.name, "rows": rows, **times}


# === Batches =============================================================================================

VARLEN = {"attention_varlen": Plain, "attention_varlen_causal": Causal}


def check_batches(libraries, checks):
    if library := libraries.get("attention_decode"):
        checks["attention_decode"] = check_all("attention_decode", batches.DECODE_SHAPES,
                                               lambda shape: batches.check_decode(library, *shape))
    if library := libraries.get("attention_varlen"):
        for name, form in VARLEN.items():
            checks[name] = check_all(name, batches.VARLEN_SHAPES,
                                     lambda shape: batches.check_varlen(library, name, form, *shape))


def time_batches(libraries, samples):
    times = []
    if library := libraries.get("attention_varlen"):
        times += [batches.time_varlen(library, name, form, samples) for name, form in VARLEN.items()]
    if library := libraries.get("attention_decode"):
        times += [batches.time_decode(library, *shape, samples) for shape in batches.DECODE_TIMES]
    return times


# === All =================================================================================================


def build_files(folder, names, output):
    """The libraries of the files that are there, built side by side."""
    files = {name: os.path.join(folder, name + ".cu") for name in sorted(names)}
    found = {name: path for name, path in files.items() if os.path.exists(path)}
    for name in files.keys() - found.keys():
        print(f"skipped: there is no {files[name]}")
    return build_all(found, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=".emitted")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="kernels, attention_decode, attention_varlen; default: all")
    parser.add_argument("--no-timing", action="store_true")
    parser.add_argument("--rows", nargs="*", type=int, default=[2048, 8192])
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()

    torch.manual_seed(0)
    print(device_line(), flush=True)
    result = {"device": device_line(), "checks": {}, "times": []}
    with tempfile.TemporaryDirectory() as output:
        chosen = {name: row for name, row in KERNELS.items() if not options.only or name in options.only}
        files = {row[0] for row in chosen.values()}
        files |= {name for name in BATCHES if not options.only or name in options.only}
        libraries = build_files(options.folder, files, output)
        kernels = {name: Kernel(libraries[file], name, head, form)
                   for name, (file, head, form) in chosen.items() if file in libraries}
        for kernel in kernels.values():
            result["checks"][kernel.name] = check_all(kernel.name, SHAPES, lambda shape: check(kernel, **shape))
        check_batches(libraries, result["checks"])
        if not options.no_timing:
            for rows in options.rows if "attention" in kernels else []:
                result["times"] += time_variants(kernels, rows, options.samples)
            for name in kernels.keys() & {"attention_256", "attention_256_causal"}:
                result["times"].append(time_head_256(kernels[name], 8192, options.samples))
            result["times"] += time_batches(libraries, options.samples)
    combinations = sum(done["shapes"] for done in result["checks"].values())
    failed = sum(len(done["failed"]) for done in result["checks"].values())
    print(f"{combinations} combinations of shape and kernel, {failed} wrong")
    save(result, options.json)
    return 1 if failed or not combinations else 0


if __name__ == "__main__":
    sys.exit(main())
