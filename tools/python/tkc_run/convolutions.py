"""convolutions.py - fftconv.tk, checked against numpy's transform in float64, and the tables that it takes.

The tables are those of runtime/host/fourier.h, which test/runtime/fourier.test compares.
"""
import numpy as np

from .cases import Case, Output
from .compare import BF16_ROUNDING, Comparison
from .sequences import generator, normal
from .tensors import HostTensor

ROWS = 64
RELATIVE = 5e-3  # of the whole output: rounded tables, and three roundings in between


class Whole(Output):
    """An output whose error is also bounded as a whole, in the Euclidean norm."""

    def compare(self, name):
        found = super().compare(name)
        error = found.norm / np.linalg.norm(self.truth)
        if found.problem or error <= RELATIVE:
            return found
        return Comparison(found.worst, found.largest, found.norm, f"{name} is off by {error:.2e} of its norm")


def parts(values, *more):
    return np.stack([values.real, values.imag, *more]).astype(np.float32)


def dft_matrix(size):
    place = np.arange(size)
    return np.exp(-2j * np.pi * (place[:, None] * place % size) / size)


def tables(cols):
    """F64, FC and T, as float32."""
    small, twiddles = dft_matrix(cols), np.exp(-2j * np.pi * np.outer(np.arange(ROWS), np.arange(cols)) / (ROWS * cols))
    return (parts(dft_matrix(ROWS)), parts(small, -small.imag), np.concatenate([parts(twiddles), parts(twiddles.conj())]))


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
    x, xs = normal(rng, (batch, channels, length // cols, cols))
    count = size // 2 if is_causal else size
    taps = rng.standard_normal((channels, count)) * 2.0 ** (-np.arange(count) / 100)
    padded = np.fft.fft(xs.reshape(batch, channels, length), size) * np.fft.fft(taps, size)
    truth = np.fft.ifft(padded).real[..., :length]
    given = {}
    for name, values in zip(("F64", "FC", "T"), tables(cols)):
        given[name] = HostTensor(values.shape)
        given[name].set(values)
    k = HostTensor((channels, 2, ROWS, cols))
    k.set(spectrum(taps, cols))
    # What is rounded on the way spreads over the whole sequence, and over the other one of its pair.
    level = np.sqrt((truth**2).mean(axis=(0, 2), keepdims=True)) + np.abs(truth).max() * 1e-3
    allowed = 8 * RELATIVE * level + BF16_ROUNDING * np.abs(truth)
    y = Whole(HostTensor(xs.shape), truth.reshape(xs.shape), allowed.reshape(xs.shape))
    return Case({"X": x, "K": k, **given, "Y": y})


# As in sequences.py; forms are the transform's points and whether it is causal.
KERNELS = {
    "fftconv": ("fftconv", fftconv, (4096, False), [(1, 1, 4096), (3, 2, 4096), (4, 1, 1024), (9, 3, 4096)]),
    "fftconv_causal": ("fftconv", fftconv, (4096, True), [(1, 1, 2048), (5, 2, 1984), (2, 1, 64)]),
    "fftconv_1024": ("fftconv", fftconv, (1024, False), [(1, 1, 1024), (5, 2, 1024), (16, 1, 1024), (17, 3, 512)]),
    "fftconv_1024_causal": ("fftconv", fftconv, (1024, True), [(1, 1, 512), (9, 2, 512), (3, 1, 16), (16, 2, 496)]),
}
