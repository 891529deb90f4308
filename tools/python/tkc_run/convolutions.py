"""convolutions.py - fftconv.tk, checked against numpy's transform in float64, and the tables that it takes.

The tables are those of runtime/host/fourier.h, which test/runtime/fourier.test compares.
"""
import numpy as np

from . import abi
from .cases import Case, Output, table_family
from .compare import BF16_ROUNDING, Comparison
from .draws import exact, generator, normal
from .tensors import HostTensor

ROWS = 64
# Rounding to bf16 is an error of 1.66e-3 of what is rounded, in the mean. The three in between spread evenly over all N
# points, that of the result stays where it is, and those of F64 and FC, which come twice each with the same error, do
# either, as the signal has it: 1.6e-3 each. Whole sequences of noise come to 4.2e-3, the worst of 200 pairs to 4.65e-3.
SPREAD, KEPT = 4e-3, 3e-3


def allowed_norm(points, kept):
    """The Euclidean norm that the error of the first `kept` of (..., N) exact points may have."""
    share, norm = (kept / points.shape[-1]) ** 0.5, lambda values: float((values**2).sum()) ** 0.5
    return float(np.hypot(SPREAD * share * norm(points), KEPT * norm(points[..., :kept])))


class Whole(Output):
    """The first points of an output, whose error is also bounded as a whole."""

    def expect_points(self, points, kept, allowed):
        self.expect(points[..., :kept], allowed)
        self.allowed_norm = allowed_norm(points, kept)

    def compare(self, name):
        found = super().compare(name)
        ratio = found.norm / self.allowed_norm
        if found.problem or ratio <= 1:
            return found
        return Comparison(found.worst, found.largest, found.norm, f"the norm of {name}'s error is {ratio:.3f} of what is allowed")


def parts(values, *more):
    return np.stack([values.real, values.imag, *more]).astype(np.float32)


def dft_matrix(size):
    place = np.arange(size)
    return np.exp(-2j * np.pi * (place[:, None] * place % size) / size)


def tables(cols):
    """F64, FC and T, as float32."""
    small, twiddles = dft_matrix(cols), np.exp(-2j * np.pi * np.outer(np.arange(ROWS), np.arange(cols)) / (ROWS * cols))
    return (parts(dft_matrix(ROWS)), parts(small, -small.imag), np.concatenate([parts(twiddles), parts(twiddles.conj())]))


def frequencies(k):
    """The spectrum that K holds, in its natural order."""
    ordered = (k[:, 0] + 1j * k[:, 1]).swapaxes(1, 2)
    return ordered.reshape(len(k), -1) * (ROWS * k.shape[3])


def spectrum(taps, cols):
    """K of filters (channels, taps), as float32."""
    size = ROWS * cols
    ordered = np.fft.fft(taps, size).reshape(-1, cols, ROWS).swapaxes(1, 2) / size
    return np.stack([ordered.real, ordered.imag], 1).astype(np.float32)


def fftconv(seed, kernel, shape, form):
    """Sequences (batch, channels, length) convolved with a filter of each channel; circular, or causal."""
    batch, channels, length = shape
    size, is_causal = form
    cols = size // ROWS
    rng = generator(seed, kernel, shape)
    x = normal(rng, (batch, channels, length // cols, cols))
    count = size // 2 if is_causal else size
    taps = rng.standard_normal((channels, count)) * 2.0 ** (-np.arange(count) / 100)
    k = HostTensor((channels, 2, ROWS, cols))
    k.set(spectrum(taps, cols))
    given = {}
    for (name, dtype), values in zip((("F64", abi.BF16), ("FC", abi.BF16), ("T", abi.F16)), tables(cols)):
        given[name] = HostTensor(values.shape, dtype=dtype)
        given[name].set(values)
    y = Whole(HostTensor(x.extents))

    def solve():
        points = np.fft.ifft(np.fft.fft(exact(x).reshape(batch, channels, length), size) * frequencies(exact(k))).real
        level = np.sqrt((points**2).mean(axis=(0, 2), keepdims=True)) + np.abs(points).max() * 1e-3
        y.expect_points(points, length, 8 * SPREAD * level + BF16_ROUNDING * np.abs(points[..., :length]))

    return Case({"X": x, "K": k, **given, "Y": y}, solve=solve)


# As in sequences.py; forms are the transform's points and whether it is causal.
KERNELS = {
    "fftconv": ("fftconv", fftconv, (4096, False), [(1, 1, 4096), (3, 2, 4096), (4, 1, 1024), (9, 3, 4096)]),
    "fftconv_causal": ("fftconv", fftconv, (4096, True), [(1, 1, 2048), (5, 2, 1984), (2, 1, 64)]),
    "fftconv_1024": ("fftconv", fftconv, (1024, False), [(1, 1, 1024), (5, 2, 1024), (16, 1, 1024), (17, 3, 512)]),
    "fftconv_1024_causal": ("fftconv", fftconv, (1024, True), [(1, 1, 512), (9, 2, 512), (3, 1, 16), (16, 2, 496)]),
}


def peers(problem, kernel, tensors):
    """torch's transforms, in float."""
    import torch

    size, _ = KERNELS[kernel][2]
    x = tensors["X"].flatten(2).float()
    spectrum_of = torch.fft.rfft(torch.randn(x.shape[1], size, device="cuda"), size)
    return {"torch": lambda: torch.fft.irfft(torch.fft.rfft(x, size) * spectrum_of, size)}


FAMILY = table_family("convolutions", KERNELS, [(kernel, f"16x1024x{shapes[0][2]}") for kernel, (_, _, _, shapes) in KERNELS.items()], peers)
