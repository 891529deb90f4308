"""tensors.py - Test tensors that notice every stray read and write.

A test tensor lies in a buffer with room before and after it, its rows padded to a stride that TMA
accepts (a multiple of 16 bytes). Whatever is not an element holds NaN: a kernel that reads beyond an
extent carries NaN into its result, and one that writes there changes bits we kept. Outputs start as
NaN too, so an element that is never written is found.

Elements travel as unsigned numbers of their size, so that a NaN's bits are kept; bf16 and the 8-bit
floats have no numpy type anyway. Integers have no NaN: there the poison is only an unlikely number.
"""
import ctypes
from dataclasses import dataclass

import numpy as np

from . import abi

POISON = 0x7FE5  # a NaN of bf16 and of half with a payload of its own, so that it is told from a computed one
MOST_DRAWN = 2**24  # random numbers for one tensor; a larger one, which is only timed, repeats them
GUARD = 1024  # elements before and after: at least 1024 bytes, which keeps the base aligned


def to_bf16(values):
    """Rounds float32 to the nearest bf16, ties to even."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def from_small(exponent_bits, mantissa_bits):
    """The values of all 256 patterns of an 8-bit float; infinities and NaNs are those of IEEE 754, or e4m3's one NaN."""
    bits = np.arange(256)
    exponent, mantissa = bits >> mantissa_bits & ((1 << exponent_bits) - 1), bits & ((1 << mantissa_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    scale = 2.0 ** (np.maximum(exponent, 1) - bias - mantissa_bits)
    values = (mantissa + np.where(exponent > 0, 1 << mantissa_bits, 0)) * scale
    if exponent_bits == 5:
        values[exponent == 31] = np.where(mantissa == 0, np.inf, np.nan)[exponent == 31]
    else:
        values[bits & 0x7F == 0x7F] = np.nan
    return np.where(bits & 0x80, -values, values).astype(np.float32)


SMALL = {"e4m3": from_small(4, 3), "e5m2": from_small(5, 2)}


def to_odd(values):
    """The bits of float32, whose last one is set where they are not exact: rounding them once more gives what rounding the values
    at once would."""
    values = np.asarray(values)
    with np.errstate(over="ignore"):
        near = values.astype(np.float32)
    bits = near.view(np.uint32)
    return bits if values.dtype == np.float32 else bits - (np.abs(near) > np.abs(values)) | (near != values)


def to_small(name):
    """Rounds to the nearest number of an 8-bit float, ties to even; what is too large becomes the largest one. The upper half of
    a float32 says which that is, with a last bit that says whether the lower half is zero."""
    numbers = SMALL[name][:128]
    finite = int(np.count_nonzero(np.isfinite(numbers)))
    halves = (np.arange(2**16, dtype=np.uint32) << 16).view(np.float32)
    magnitude = np.minimum(np.nan_to_num(np.abs(halves)), numbers[finite - 1])
    above = np.minimum(np.searchsorted(numbers[:finite], magnitude), finite - 1)
    below = np.maximum(above - 1, 0)
    up, down = numbers[above] - magnitude, magnitude - numbers[below]
    nearest = np.where((up < down) | ((up == down) & (above % 2 == 0)), above, below)
    table = (np.where(np.isnan(halves), 0x7F, nearest) | np.where(np.signbit(halves), 0x80, 0)).astype(np.uint8)

    def rounded(values):
        bits = to_odd(values)
        return table[bits >> 16 | (bits & 0xFFFF != 0)]

    return rounded


def integer(kind, carrier):
    """Travels as its bits; what is too large becomes the largest number, as in the language."""
    limits = np.iinfo(kind)
    return (
        lambda values: np.clip(np.trunc(values), limits.min, limits.max).astype(kind).view(carrier),
        lambda bits: np.ascontiguousarray(bits).view(kind).astype(np.float64),
    )


@dataclass(frozen=True)
class Format:
    """How the elements of one type travel."""

    carrier: type  # the numpy type of the bits
    poison: int
    to_bits: callable  # from float32, rounding
    from_bits: callable  # to float32 (of integers, float64), exactly


FORMATS = {
    abi.BF16: Format(np.uint16, POISON, to_bf16, from_bf16),
    abi.F16: Format(
        np.uint16,
        POISON,
        lambda values: np.asarray(values, np.float32).astype(np.float16).view(np.uint16),
        lambda bits: np.ascontiguousarray(bits).view(np.float16).astype(np.float32),
    ),
    abi.F32: Format(
        np.uint32,
        0x7FE50000 | POISON,
        lambda values: np.ascontiguousarray(values, np.float32).view(np.uint32),
        lambda bits: np.ascontiguousarray(bits).view(np.float32),
    ),
    abi.E4M3: Format(np.uint8, 0x7F, to_small("e4m3"), lambda bits: SMALL["e4m3"][bits]),
    abi.E5M2: Format(np.uint8, 0x7D, to_small("e5m2"), lambda bits: SMALL["e5m2"][bits]),
    abi.I8: Format(np.uint8, 0x85, *integer(np.int8, np.uint8)),
    abi.I32: Format(np.uint32, 0x85858585, *integer(np.int32, np.uint32)),
}


def aligned_buffer(elements, carrier=np.uint16):
    """`elements` numbers, at an address that is a multiple of 1024 bytes."""
    size = np.dtype(carrier).itemsize
    room = np.empty(elements + 1024 // size, carrier)
    skip = (-room.ctypes.data % 1024) // size
    return room[skip : skip + elements]


class HostTensor:
    """A tensor of 1 to 4 dimensions in host memory; rows lie `extra_stride` elements further apart than they
    need. `packed` ones follow one another, as TMA cannot always reach them."""

    def __init__(self, extents, extra_stride=0, dtype=abi.BF16, packed=False):
        self.extents, self.dtype, self.format = tuple(extents), dtype, FORMATS[dtype]
        unit = 1 if packed else 16 // np.dtype(self.format.carrier).itemsize
        self.stride = (self.extents[-1] + unit - 1) // unit * unit + extra_stride
        self.room = (*self.extents[:-1], self.stride)
        self.buffer = aligned_buffer(int(np.prod(self.room)) + 2 * GUARD, self.format.carrier)
        self.poison()
        self.elements = self.inside(self.buffer)

    def inside(self, buffer):
        """The elements, in this tensor's buffer or in a copy of it."""
        return buffer[GUARD : GUARD + int(np.prod(self.room))].reshape(self.room)[..., : self.extents[-1]]

    @staticmethod
    def random(rng, extents, extra_stride=0):
        return HostTensor(extents, extra_stride).draw(rng)

    def set(self, values):
        """Gives the elements these values, rounded."""
        self.elements[...] = self.format.to_bits(values)

    def draw(self, rng, by=1.0, change=lambda values: values):
        """Gives the elements normal numbers, `by` times as large, changed before they are rounded; returns the tensor."""
        elements = self.inside(self.buffer)  # in the order of memory
        numbers = np.float32(by) * rng.standard_normal(min(MOST_DRAWN, elements.size), dtype=np.float32)
        bits = self.format.to_bits(change(numbers))
        if elements.size > MOST_DRAWN and elements.flags.c_contiguous:
            flat = elements.reshape(-1)
            for at in range(0, flat.size, MOST_DRAWN):
                flat[at : at + MOST_DRAWN] = bits[: flat.size - at]
        else:
            elements[...] = np.resize(bits, elements.shape)
        return self

    def values(self):
        """The elements, as float32, exactly."""
        return self.format.from_bits(self.elements)

    def poison(self):
        self.buffer[:] = self.format.poison

    def unwritten(self):
        """How many elements hold what `poison` left."""
        return int(np.count_nonzero(self.elements == self.format.poison))

    def stray_writes(self):
        """How many places that are no elements have changed."""
        copy = self.buffer.copy()
        self.inside(copy)[...] = self.format.poison
        return int(np.count_nonzero(copy != self.format.poison))

    def view(self, address=None):
        """The tk_tensor of these elements in this buffer, or in a copy of it at `address`."""
        base = self.buffer.ctypes.data if address is None else address
        return abi.Tensor(
            data=base + GUARD * self.buffer.itemsize,
            dtype=self.dtype,
            rank=len(self.extents),
            extents=(ctypes.c_int64 * 4)(*self.extents),
            strides=(ctypes.c_int64 * 4)(*self.strides()),
        )

    def strides(self):
        """Elements from one index to the next, of each dimension."""
        return [int(np.prod(self.room[i + 1 :])) for i in range(len(self.room))]


class SwappedTensor(HostTensor):
    """The same with the two dimensions before the last the other way round in memory: heads of a row side by side."""

    def __init__(self, extents, dtype=abi.BF16):
        *outer, i, j, last = extents
        super().__init__((*outer, j, i, last), dtype=dtype)
        self.extents, self.elements = tuple(extents), self.elements.swapaxes(-3, -2)

    def inside(self, buffer):
        width = self.extents[-1]
        return buffer[GUARD : GUARD + int(np.prod(self.room))].reshape(self.room)[..., :width]

    def strides(self):
        *outer, i, j, last = super().strides()
        return [*outer, j, i, last]
