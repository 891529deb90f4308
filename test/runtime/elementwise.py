"""elementwise.py - Runs elementwise.cu on the emulator and compares every plane with numpy."""
import ctypes
import os
import sys

import numpy as np

from tkc_run import abi, builds, tensors

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS, COLS = 256, 48


def wanted():
    """Every plane by name. int32 arithmetic truncates like C++'s, so % and // of negatives are kept out."""
    r, c = np.arange(ROWS)[:, None], np.arange(COLS)[None, :]
    x = (r * 7 % 31 - c * 5 % 17).astype(np.float64)
    v, w = (r % 5).astype(np.float64), (c % 3).astype(np.float64)
    full = np.ones((ROWS, COLS))
    bf16 = lambda a: tensors.from_bf16(tensors.to_bf16(a.astype(np.float32))).astype(np.float64)
    f16 = lambda a: a.astype(np.float16).astype(np.float64)
    yield "coordinates", x
    yield "tile and vectors", x + 2 * v - 3 * w
    yield "outer product", v * w
    yield "mask", np.where(c <= r % 128, x, -np.inf)  # coordinates count from the warpgroup's first row
    yield "bf16", 2 * bf16(x + x / 256)
    yield "f16", 2 * f16(x + x / 2048)
    yield "int", np.trunc(x / 4) + 1
    yield "bf16 vector", bf16(v + v / 256) * full
    yield "row_max", x.max(1, keepdims=True) * full
    yield "row_min from a start", np.minimum(x.min(1, keepdims=True), v) * full
    yield "row_sum in parts", (x.sum(1, keepdims=True) + v) * full
    yield "row_product", np.where(x > 0, 2.0, 0.5).prod(1, keepdims=True) * full
    yield "col_sum", x.sum(0, keepdims=True) * full
    yield "col_max from a start", np.maximum(x.max(0, keepdims=True), w) * full
    yield "votes", full
    factor = (1000 + 7 * c) / 4096
    high = bf16(factor)
    scaled = bf16(x * high + bf16(x * bf16(factor - high)))
    assert (abs(scaled - x * factor) <= 2.0**-8 * (1 + 2.0**-8) * abs(x * factor)).all()
    assert (scaled != bf16(x * high)).any(), "the second part of the factors counts"
    yield "scaled columns", scaled
    yield "functions", (2**v + 2**-v + v) * full


def main():
    kernels = builds.Kernels(os.path.join(HERE, "elementwise.tk"), emitted=HERE)
    library = kernels.load("emulator")
    library.elementwise.restype = abi.Status
    library.elementwise.argtypes = [ctypes.POINTER(abi.Tensor), ctypes.c_void_p]
    planes = list(wanted())
    out = np.full((len(planes), ROWS, COLS), np.nan, np.float32)
    view = abi.Tensor(out.ctypes.data, abi.F32, 3, (ctypes.c_int64 * 4)(*out.shape), (ctypes.c_int64 * 4)(ROWS * COLS, COLS, 1))
    status = library.elementwise(ctypes.byref(view), None)
    if status.code != abi.OK:
        sys.exit(str(status))
    for (name, values), got in zip(planes, out):
        wrong = np.count_nonzero(got.astype(np.float64) != values)
        print(f"{name}: {f'{wrong} of {values.size} elements differ' if wrong else 'right'}")


main()
