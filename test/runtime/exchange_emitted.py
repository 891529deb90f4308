"""exchange_emitted.py - Runs the kernels of test/backend/exchange.mlir, as they are emitted, against numpy.

The argument is the .cu. Values are small, so that every sum is exact; extents end inside a tile.
"""
import ctypes
import os
import sys

import numpy as np

from tkc_run import abi, builds, tensors

rng = np.random.default_rng(3)


def tensor(values, dtype, **how):
    result = tensors.HostTensor(np.shape(values), dtype=dtype, **how)
    result.set(np.asarray(values))
    return result


def integers(low, high, *shape):
    return rng.integers(low, high + 1, shape).astype(np.float64)


def call(library, name, arguments, *scalars):
    kinds = [ctypes.c_bool if isinstance(x, bool) else ctypes.c_int32 if isinstance(x, int) else ctypes.c_float for x in scalars]
    status = abi.function(library, name, len(arguments), kinds)(*(x.view() for x in arguments), *scalars, None)
    if status.code != abi.OK:
        sys.exit(f"{name}: {status}")
    for number, argument in enumerate(arguments):
        if argument.stray_writes():
            print(f"{name}: argument {number} is overrun")


def report(name, got, wanted):
    wrong = np.count_nonzero(got.astype(np.float64) != wanted)
    print(f"{name}: {f'{wrong} elements differ' if wrong else 'right'}")


def exchange(library, rows):
    tiles = (rows + 127) // 128
    x, w, y = integers(-2, 2, rows, 64), integers(-2, 2, 64), integers(-9, 9, rows, 62)
    s, index = integers(-9, 9, 64), integers(0, 99, 128 * tiles)
    r = np.zeros(rows)
    arguments = [tensor(x, abi.F16), tensor(w, abi.F32), tensor(y, abi.F32), tensor(r, abi.F32, packed=True),
                 tensor(s, abi.F32, packed=True), tensor(index, abi.I32, packed=True)]
    call(library, "exchange", arguments, 7, True)
    padded = np.zeros((128 * tiles, 64))
    padded[:rows] = x
    turned = np.concatenate([padded[:, 16:], padded[:, 32:48]], 1)
    product = turned * np.concatenate([w[32:], w[32:]])
    prefix = np.concatenate([np.cumsum(part) for part in turned[:, 63].reshape(tiles, 128)])
    across = np.concatenate([part.T for part in product.reshape(-1, 64, 64)])
    # The other warpgroup's part of the scan; `which` counts from the warpgroup's first row.
    other = prefix.reshape(tiles, 2, 64)[:, ::-1].reshape(-1)
    report(f"exchange, {rows} rows, added by TMA", arguments[2].values(), y + across[:rows, :62])
    report(f"exchange, {rows} rows, vector", arguments[3].values(), (other + index)[:rows])
    report(f"exchange, {rows} rows, added by threads", arguments[4].values(), s + product.sum(0))


def warps(library, rows):
    tiles = (rows + 63) // 64
    a, b = integers(-2, 2, rows, 32), integers(-2, 2, 48, 32)
    c, m = np.zeros((rows, 41)), np.zeros(tiles * 4 * 48)
    arguments = [tensor(a, abi.BF16), tensor(b, abi.BF16), tensor(c, abi.BF16), tensor(m, abi.F32)]
    call(library, "warps", arguments)
    padded = np.zeros((64 * tiles, 32))
    padded[:rows] = a
    product = (padded @ b.T).reshape(-1, 16, 48)
    for i in range(16):
        product[:, i, i] = 0
    top = product.max(1)
    report(f"warps, {rows} rows, product", arguments[2].values(), product.reshape(-1, 48)[:rows, :41])
    report(f"warps, {rows} rows, vectors", arguments[3].values(), (top + np.maximum.accumulate(top, 1)).reshape(-1))


def narrow(library, rows):
    a, b, v = integers(-1, 1, rows, 64), integers(-1, 1, 64, 64), integers(-1, 1, 64, 64)
    t = integers(-2, 2, 64, 32) / 4
    arguments = [tensor(a, abi.I8), tensor(b, abi.I8), tensor(v, abi.E4M3), tensor(np.zeros((rows, 50)), abi.E5M2),
                 tensor(t, abi.F32)]
    call(library, "narrow", arguments, 0.5)
    fp8 = lambda values, name: tensors.SMALL[name][tensors.to_small(name)(values)].astype(np.float64)
    p = fp8(a @ b.T * 0.5, "e4m3")
    o = p @ v.T
    for first in range(0, rows, 64):
        part = o[first : first + 64]
        part += (t @ t.T)[: len(part)]
    report(f"narrow, {rows} rows", arguments[3].values(), fp8(o, "e5m2")[:, :50])


def main():
    library = builds.Kernels(sys.argv[1], emitted=os.path.dirname(sys.argv[1])).load("emulator")
    library.tk_emulator_configure(ctypes.c_uint64(1), b"latest", 2)
    for rows in (128, 300):
        exchange(library, rows)
        warps(library, rows)
        narrow(library, rows)


main()
