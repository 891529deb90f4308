"""tiles.py - Runs tiles.cu on the emulator and compares every plane with numpy, for every element type.
"""
import ctypes
import os
import sys

import numpy as np

from tkc_run import abi, backends, builds, tensors

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS, COLS = 256, 64
TYPES = {"bf16": abi.BF16, "f16": abi.F16, "f32": abi.F32, "tf32": abi.F32, "e4m3": abi.E4M3, "e5m2": abi.E5M2,
         "i8": abi.I8, "i32": abi.I32}


def modulo(a, n):
    """C++'s %, which truncates."""
    return np.fmod(a, n)


def wanted(tensor):
    """Every plane by name, NaN where nothing is written; `tensor` is the input of the gathers."""
    full = np.full((256, 256), np.nan)

    def plane(values, rows=ROWS, cols=COLS):
        result = full.copy()
        result[:rows, :cols] = values
        return result

    r, c = np.arange(ROWS)[:, None], np.arange(COLS)[None, :]
    half = r % 128 + 128 * ((r // 128) % 2)  # rows as they are
    x = modulo(modulo(r * 7, 31) - modulo(c * 5, 17), 8).astype(np.float64)
    v, w = (r % 5).astype(np.float64), (c % 3).astype(np.float64)
    one = np.ones((ROWS, COLS))
    yield "coordinates", plane(x)
    yield "vectors", plane(np.where(x > 3, v, w))
    yield "tile in shared memory", plane(x)
    yield "part of a swizzle-atom column", plane(x[:, 32:48], cols=16)
    yield "elements of a shared tile", plane(x)
    yield "shared col_vec", plane(v * one)
    yield "shared row_vec", plane(w * one)
    yield "concat_columns", plane(np.concatenate([x[:, 48:64], x[:, 0:32], x[:, 32:48]], 1))
    swapped = half ^ 64  # the two m64 blocks of each warpgroup
    yield "concat_rows", plane(x[swapped[:, 0]])
    yield "column", plane(x[:, 37:38] * one)
    yield "col_vec parts", plane(v[swapped[:, 0]] * one)
    yield "row_vec parts", plane(np.concatenate([w[:, 40:64], w[:, 0:40]], 1) * one)
    yield "even_columns, odd_columns", plane(np.concatenate([x[:, 0::2], x[:, 1::2]], 1))
    yield "interleave_columns", plane(np.stack([x[:, 32:], x[:, :32]], 2).reshape(ROWS, COLS))
    yield "swap_pairs", plane(x[:, c[0] ^ 1])
    few = np.where((r + c) % 11 == 0, -1.0, 0.0)
    yield "row_max", plane(x.max(1, keepdims=True) * one)
    yield "row_sum", plane(few.sum(1, keepdims=True) * one)
    yield "col_min", plane(x.min(0, keepdims=True) * one)
    yield "col_sum", plane(np.where(r % 64 == c, 1.0, 0.0).sum(0, keepdims=True) + w + 0 * one)
    yield "scan_max", plane(r // 40 * one)
    yield "scan_sum of a col_vec", plane(np.cumsum(r % 50 == 20)[:, None] * one)
    yield "scan_sum of a row_vec", plane(np.cumsum(c % 15 == 4)[None, :] * one)
    yield "suffix_sum of a col_vec", plane(np.cumsum((r % 50 == 20)[::-1])[::-1, None] * one)
    yield "suffix_max of a col_vec", plane((255 - r) // 40 * one)
    yield "suffix_sum of a row_vec", plane(np.cumsum((c % 15 == 4)[:, ::-1])[None, ::-1] * one)
    yield "total_max of a col_vec", plane((r // 40).max() * one)
    yield "total_sum of a col_vec", plane((r % 50 == 20).sum() * one)
    yield "total_sum of a row_vec", plane((c % 15 == 4).sum() * one)

    # The first warpgroup's plane begins at row 0, the second's at 32: it overwrites the first's lower half.
    transposed = full.copy()
    a, b = np.arange(64)[:, None], np.arange(64)[None, :]
    for group in (0, 1):
        transposed[32 * group : 32 * group + 64, :64] = (b * 3 + a) % 7 - group
    transposed[32:64, :64] = np.nan  # either one's
    yield "transpose by each warpgroup", transposed
    yield "transpose by two warpgroups", plane((np.arange(256)[None, :] + np.arange(128)[:, None]) % 8, 128, 256)
    yield "col_vec to row_vec", plane(((64 + c) % 9 - 2) * one)
    yield "row_vec to col_vec", plane((r % 9 - 2) * one)
    a, b = np.arange(32)[:, None], np.arange(48)[None, :]
    warps = [(a * 5 + b + warp) % 8 for warp in range(8)]
    across, straight, doubled = full.copy(), full.copy(), full.copy()
    for warp, own in enumerate(warps):
        row, col = warp % 4 * 64, warp // 4 * 64
        across[row : row + 48, col : col + 32] = own.T
        straight[row : row + 32, col : col + 48] = own
        doubled[row : row + 32, 2 * col : 2 * col + 96] = np.repeat(own, 2, 1)
    yield "transpose by each warp", across
    yield "tile of a warp", straight
    yield "interleave_columns of a warp", doubled
    vectors, reduced = full.copy(), full.copy()
    for warp, own in enumerate(warps):
        rows = slice(32 * warp, 32 * warp + 32)
        down = (np.arange(32) + warp) % 8
        vectors[rows, 0:32] = down[None, :]
        vectors[rows, 32:64] = down[:, None]
        reduced[rows, 0:48] = own.max(0, keepdims=True)
        reduced[rows, 48:96] = own.min(1, keepdims=True)
        reduced[rows, 96:144] = np.cumsum(np.arange(32) % 9 == 2)[:, None]
        reduced[rows, 144:192] = 4
        reduced[rows, 192:240] = np.cumsum(np.arange(32)[::-1] % 9 == 2)[::-1, None]
    yield "vectors of a warp", vectors
    yield "reductions of a warp", reduced
    yield "shared tile of a warp", plane((r % 32 + 3 * c + r // 32) % 8)

    index = modulo(r * 7, 45) - 2 + 1  # counted from row 1
    depth, height, width = tensor.shape
    for first in (8, 9):
        col = c + first
        inside = (index >= 0) & (index < height) & (col < width)
        rows = np.where(inside, tensor[1, np.clip(index, 0, height - 1), np.minimum(col, width - 1)], 0)
        yield f"gather of rows from column {first}", plane(rows)
    element = 69 - c
    yield "gather of elements", plane(np.where(element < width, tensor[1, 2, np.minimum(element, width - 1)], 0) * one)


def stored(tensor, dtype):
    """What the kernel leaves in the tensor."""
    result = tensor.copy()
    r, c = np.arange(256), np.arange(64)
    place = r - 60
    inside = (place >= 0) & (place < tensor.shape[2])
    result[0, 3, place[inside]] = (r % 5)[inside]
    place = c + 30
    inside = place < tensor.shape[2]
    result[0, 5, place[inside]] = (c % 3)[inside]
    if dtype not in (abi.E4M3, abi.E5M2, abi.I8):
        inside = c < tensor.shape[2]
        result[0, 7, c[inside]] += (c % 3)[inside]
        inside = r < tensor.shape[2]
        result[0, 8, r[inside]] += (r % 5)[inside]
    return result


def philox(counter, key):
    c = [np.asarray(x, np.uint64) for x in counter]
    k = list(key)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        low = np.uint64(0xFFFFFFFF)
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), b & low, (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), a & low]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def random(seed, row, col, sequence):
    zero = row * 0 + col * 0
    words = philox((col // 2 + zero, row // 16 * 8 + row % 8 + zero, zero + sequence, zero), (seed, 0))
    return (np.choose(row // 8 % 2 * 2 + col % 2, words) >> np.uint64(8)).astype(np.float64) * 2.0**-24


def report(name, got, expected):
    wrong = np.count_nonzero(~((got == expected) | np.isnan(expected)))
    print(f"{name}: {f'{wrong} elements differ' if wrong else 'right'}")


def plain_view(array):
    strides = [stride // 4 for stride in array.strides]
    return abi.Tensor(array.ctypes.data, abi.F32, array.ndim, (ctypes.c_int64 * 4)(*array.shape), (ctypes.c_int64 * 4)(*strides))


def main():
    # Optimised, these thousands of functions are compiled for four times as long as they run.
    kernels = builds.Kernels(os.path.join(HERE, "tiles.tk"), emitted=HERE, options=["-O0"])
    library = backends.Backend("emulator", kernels).library
    for name in ("run_tiles", "run_tf32", "run_random"):
        getattr(library, name).restype = abi.Status
    rng = np.random.default_rng(5)
    for name, dtype in TYPES.items():
        values = rng.integers(-4, 5, (2, 40, 70)).astype(np.float64)
        tensor = tensors.HostTensor((2, 40, 70), dtype=dtype, packed=True)
        tensor.set(values)
        planes = list(wanted(values))
        out = np.full((len(planes), 256, 256), np.nan, np.float32)
        view = plain_view(out)
        run = library.run_tf32 if name == "tf32" else library.run_tiles
        status = run(ctypes.byref(view), ctypes.byref(tensor.view()))
        if status.code != abi.OK:
            sys.exit(f"{name}: {status}")
        for (what, expected), got in zip(planes, out):
            report(f"{name}, {what}", got.astype(np.float64), expected)
        report(f"{name}, stores", tensor.values().astype(np.float64), stored(values, dtype))
        report(f"{name}, stray writes", np.float64(tensor.stray_writes()), np.float64(0))
    out = np.empty((128, 256), np.float32)
    status = library.run_random(ctypes.byref(plain_view(out)), 7, 11, 3)
    if status.code != abi.OK:
        sys.exit(f"random: {status}")
    r, c = np.arange(128)[:, None] + 16 * 11, np.arange(64)[None, :] + 16 * 3
    numbers = random(7, r, c, 3)
    report("random", out[:, :64].astype(np.float64), numbers)
    limits = np.float32([np.nan, -1, 0, 1e-45, 0.1, 0.5, 1 - 2.0**-24, 1, 1.5, np.inf])
    report("random, below limits", out[:, 64:128].astype(np.float64), 2048 + sum((numbers < limit) << i for i, limit in enumerate(limits)))


main()
