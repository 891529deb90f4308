"""norms.py - layernorm.tk, checked against its definition in float64, and what it drops against Philox.

The random numbers are those of the paper (Salmon et al., SC 2011), with the counter that runtime/language/random.h
describes, so that the elements that are dropped are known exactly.
"""
import ctypes

import numpy as np

from .cases import FP32, Case, Output, table_family
from .compare import BF16_ROUNDING
from .draws import exact, generator, normal
from .tensors import HostTensor


EPS, P = 1e-5, 0.1


def philox(counter, key):
    """Philox 4x32-10 of four arrays and two numbers."""
    low = np.uint64(0xFFFFFFFF)
    c0, c1, c2, c3 = (np.asarray(word, np.uint64) for word in counter)
    k0, k1 = key
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = b >> np.uint64(32) ^ c1 ^ np.uint64(k0), b & low, a >> np.uint64(32) ^ c3 ^ np.uint64(k1), a & low
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return c0, c1, c2, c3


def random(seed, rows, columns, sequences):
    """random(seed, row, column, sequence) of the language, for arrays that broadcast together."""
    rows, columns, sequences = np.broadcast_arrays(rows, columns, sequences)
    words = philox((columns // 2, rows // 16 * 8 + rows % 8, sequences, np.zeros_like(rows)), (seed % 2**32, 0))
    word = np.choose(rows // 8 % 2 * 2 + columns % 2, words)
    return (word >> np.uint64(8)).astype(np.float64) * 2.0**-24


def dropped(seed, length, width, columns, p):
    """Of each element of `length` rows, whether dropout takes it."""
    place = np.arange(width)
    return random(seed, place // columns, place % columns, np.arange(length)[:, None]) < p


def layernorm(seed, kernel, shape, form):
    """The sums and their normalised rows, for (length,); every third row has a mean far from 0."""
    (length,) = shape
    width, columns, drops, is_centred = form
    rng = generator(seed, kernel, shape)
    extents = (length, width // columns, columns)
    x = normal(rng, extents)
    shift = lambda rows: rows + np.float32(100) * (np.arange(len(rows)) % 3 == 2)[:, None]
    residual = HostTensor(extents).draw(rng, change=lambda numbers: shift(numbers.reshape(-1, width)).ravel())
    w, b = (normal(rng, extents[1:]) for _ in range(2))
    eps, p = np.float32(EPS), np.float32(P if drops else 0)
    of_sums, of_rows = Output(HostTensor(extents)), Output(HostTensor(extents))

    def solve():
        given, rs = (values.reshape(length, width) for values in exact(x, residual))
        scales, biases = exact(w).reshape(width), exact(b).reshape(width) * is_centred
        sums = np.where(dropped(seed, length, width, columns, p), 0, given / (1 - float(p))) + rs
        centred = sums - sums.mean(axis=1, keepdims=True) * is_centred
        scale = 1 / np.sqrt((centred**2).mean(axis=1, keepdims=True) + float(eps))
        truth = centred * scale * scales + biases
        # Sums are exact to a few units of fp32 of their largest terms, which a mean far from zero makes large.
        error = FP32 * (np.abs(sums) + np.abs(rs)).max(axis=1, keepdims=True)
        of_sums.expect(sums, BF16_ROUNDING * np.abs(sums) + error)
        of_rows.expect(truth, BF16_ROUNDING * np.abs(truth) + (error * scale + FP32 * np.abs(centred) * scale) * np.abs(scales)
                       + FP32 * np.abs(biases) + 1e-6)

    return Case({"X": x, "Residual": residual, "W": w, "B": b, "Sum": of_sums, "Y": of_rows},
                [ctypes.c_float(eps), ctypes.c_float(p), ctypes.c_int(seed)], solve)


# As in sequences.py; forms are width, columns of a row's matrix, whether it drops, whether it is centred.
LENGTHS = [(1,), (7,), (8,), (9,), (30,)]
KERNELS = {
    "layernorm": ("layernorm", layernorm, (1024, 64, True, True), LENGTHS),
    "layernorm_256": ("layernorm", layernorm, (256, 16, True, True), LENGTHS),
    "layernorm_4096": ("layernorm", layernorm, (4096, 64, True, True), LENGTHS[:3]),
    "layernorm_16384": ("layernorm", layernorm, (16384, 32, True, True), LENGTHS[:2]),
    "plain_layernorm": ("layernorm", layernorm, (1024, 64, False, True), LENGTHS),
    "rmsnorm": ("layernorm", layernorm, (1024, 64, True, False), LENGTHS),
    "rmsnorm_4096": ("layernorm", layernorm, (4096, 64, False, False), LENGTHS[:3]),
}

ROWS = [("layernorm", 16384), ("layernorm", 49152), ("layernorm", 196608), ("layernorm_256", 65536), ("layernorm_4096", 16384),
        ("layernorm_16384", 4096), ("plain_layernorm", 16384), ("plain_layernorm", 196608), ("rmsnorm", 16384), ("rmsnorm_4096", 16384)]


def peers(problem, kernel, tensors):
    """torch.compile, and a Triton kernel with a row for each program."""
    import norm_peers

    width, _, drops, is_centred = KERNELS[kernel][2]
    return norm_peers.calls({name: tensor.view(-1, width) for name, tensor in tensors.items()}, EPS, P if drops else 0) if is_centred else {}


FAMILY = table_family("norms", KERNELS, [(kernel, str(length)) for kernel, length in ROWS], peers,
                      {"layernorm": ["--set=eps=0.001", "--set=p=0.25"]})
