#!/usr/bin/env python3
"""outside.py - Numbers from memory that name places outside of a tensor: zeros are read there, nothing is written, nothing faults.

Elements are small whole numbers, so every sum is exact. Every element of every tensor is looked at, and the memory around it.
"""
import ctypes
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import abi
from tkc_run.sweep import open_backends, parser
from tkc_run.tensors import HostTensor

# Counted in tiles of 64, 2^25 is element -2^31, and 2^26 + 1 element 64, in 32 bits.
FAR = [3, 7, -1, -2, 2**31 - 1, 2**31 - 2, -(2**31), 2**25, 2**25 + 1, 2**26, 2**26 + 1, -(2**26), 1 - 2**26, 2**27 + 2, 2**30, 3 << 29]
NUMBERS = [0, *FAR[:6], 1, *FAR[6:11], 2, *FAR[11:]]
SIZE = 64


def tensor(values, dtype=abi.F32, **options):
    result = HostTensor(np.shape(values), dtype=dtype, **options)
    result.set(np.array(values))
    return result


def numbers(values=NUMBERS):
    return tensor(values, abi.I32)


def zeros(*extents):
    return tensor(np.zeros(extents))


def tile(array, *numbers):
    """64 x 64 elements: the tile with these numbers, zero outside."""
    *front, row, col = (int(number) for number in numbers)
    result = np.zeros((SIZE, SIZE))
    if all(0 <= i < extent for i, extent in zip(front, array.shape)) and row >= 0 and col >= 0:
        found = array[tuple(front)][row * SIZE : (row + 1) * SIZE, col * SIZE : (col + 1) * SIZE]
        result[: found.shape[0], : found.shape[1]] = found
    return result


def named(array, index):
    """The first dimension's elements with these numbers, zero outside."""
    inside = (index >= 0) & (index < len(array))
    return np.where(inside.reshape(-1, *[1] * (array.ndim - 1)), array[np.where(inside, index, 0)], 0)


def tiles(rng):
    w, x = rng.integers(-8, 8, 3), rng.integers(-8, 8, (150, 150))
    padded = np.zeros((192, 192))
    padded[:150, :150] = x
    rows, blocks = named(padded, np.array(NUMBERS)), named(padded.reshape(192, 3, 64).swapaxes(0, 1), np.array(NUMBERS))
    truth = [tile(x, n, 0) + 2 * tile(x, 0, n) + 4 * row[:64] + 8 * block[0] + element
             for n, row, block, element in zip(NUMBERS, rows, blocks, named(w, np.array(NUMBERS)))]
    return [numbers(), tensor(w), tensor(x)], [(zeros(len(NUMBERS), 64, 64), truth)]


def pages(rng):
    x, z = rng.integers(-8, 8, (3, 64, 64)), rng.integers(-8, 8, (3, 16, 64))
    truth = named(x, np.array(NUMBERS[:-3])) + 2 * np.stack([named(z, np.array(NUMBERS[m : m + 4])).reshape(64, 64)
                                                              for m in range(len(NUMBERS) - 3)])
    return [numbers(), tensor(x), tensor(z)], [(zeros(len(truth), 64, 64), truth)]


def gathers(rng):
    x, w = rng.integers(-8, 8, (150, 150)), rng.integers(-8, 8, 150)
    padded = np.zeros((150, 192))
    padded[:, :150] = x
    index = np.resize(NUMBERS, 128)
    rows, blocks = named(padded, index), named(padded.reshape(150, 3, 64).swapaxes(0, 1), np.array(NUMBERS))
    truth = np.stack([rows[:, 64:128] + 2 * named(block, index) + 4 * named(w, index)[:, None] for block in blocks])
    return [numbers(), numbers(index), tensor(x), tensor(w)], [(zeros(len(NUMBERS), 128, 64), truth)]


def scatters(rng):
    x = rng.integers(1, 8, (64, 64))
    to, sums = np.zeros((150, 70)), np.zeros(150)
    for n, row in zip(NUMBERS, x):
        if 0 <= n < 150:
            to[n, :64], sums[n] = row, row.sum()
    outputs = [(zeros(150, 70), to) for _ in range(3)] + [(zeros(150), sums) for _ in range(2)]
    index = np.full(64, -1)
    index[: len(NUMBERS)] = NUMBERS
    return [numbers(index), tensor(x)], outputs


def stores(rng):
    x = rng.integers(1, 8, (len(NUMBERS), 64, 64))
    y, v, p = np.zeros((150, 61)), np.zeros(150), np.zeros((3, 64, 64))
    for n, block in zip(NUMBERS, x):
        if 0 <= n < 3:
            part = y[n * 64 : n * 64 + 64]
            part[...], v[n * 64 : n * 64 + 64], p[n] = block[: len(part), :61], block.sum(1)[: len(part)], block
    return [numbers(), tensor(x)], [(zeros(150, 61), y), (zeros(150, 61), y), (zeros(150), v), (zeros(3, 64, 64), p)]


def parts(rng):
    first, last = 100, 230
    x = rng.integers(1, 8, (2, 300, 64))
    y, z = np.zeros((2, 300, 64)), np.zeros((len(NUMBERS), 64, 64))
    for m, n in enumerate(NUMBERS):
        if n >= 0:
            block = tile(x[:, first:last], 0, n, 0)
            z[m] = block + 2 * tile(x[:, first:last], n, 0, 0)
            part = y[0, first:last][n * 64 : n * 64 + 64]
            part[...] = block[: len(part)] + m
    return [numbers(), tensor(x)], [(zeros(2, 300, 64), y), (zeros(len(NUMBERS), 64, 64), z)], [ctypes.c_int32(first), ctypes.c_int32(last)]


def quotients(rng):
    x = rng.integers(-8, 8, (150, 64))
    truth = [tile(x, math.trunc(n / 64), 0) + 2 * tile(x, math.fmod(n, 3), 0) for n in NUMBERS]
    return [numbers(), tensor(x)], [(zeros(len(NUMBERS), 64, 64), truth)]


def main():
    options = parser(__doc__.splitlines()[0])
    options.set_defaults(source=os.path.join(os.path.dirname(__file__), "Inputs", "outside.tk"))
    options = options.parse_args()
    wrong = 0
    for backend in open_backends(options):
        for make in (tiles, pages, gathers, scatters, stores, parts, quotients):
            inputs, outputs, *scalars = make(np.random.default_rng(options.seed))
            before = [each.buffer.copy() for each, _ in outputs]
            status = backend.call(make.__name__, [*inputs, *(each for each, _ in outputs)], *scalars)
            problems = [str(status)] if status.code else []
            for i, ((each, truth), old) in enumerate(zip(outputs, before)):
                differ = np.argwhere(each.values() != truth)
                if len(differ):
                    problems.append(f"{len(differ)} elements of result {i} are wrong, the first at {differ[0].tolist()}")
                each.elements[...] = each.inside(old)
                if not np.array_equal(each.buffer, old):
                    problems.append(f"places that are no elements of result {i} were written")
            wrong += bool(problems)
            print(f"{backend.name} {make.__name__}: {'; '.join(problems) or 'all elements are right'}", flush=True)
    return 1 if wrong else 0


sys.exit(main())
