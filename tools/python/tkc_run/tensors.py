"""tensors.py - Test tensors that notice every stray read and write.

A test tensor lies in a buffer with room before and after it, its rows padded to a stride that TMA
accepts (a multiple of 16 bytes). Whatever is not an element holds NaN: a kernel that reads beyond an
extent carries NaN into its result, and one that writes there changes bits we kept. Outputs start as
NaN too, so an element that is never written is found.

bf16 has no numpy type. It is the upper half of a float32, so it travels as uint16.
"""
import ctypes

import numpy as np

from . import abi

POISON = 0x7FE5  # a NaN with a payload of its own, so that it is told from a NaN that was computed
GUARD = 512  # elements before and after: 1024 bytes, which keeps the base aligned


def to_bf16(values):
    """Rounds float32 to the nearest bf16, ties to even."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def aligned_buffer(elements):
    """`elements` uint16, at an address that is a multiple of 1024 bytes."""
    room = np.empty(elements + 512, np.uint16)
    skip = (-room.ctypes.data % 1024) // 2
    return room[skip : skip + elements]


class HostTensor:
    """A rows x columns matrix of bf16 in host memory."""

    def __init__(self, rows, columns, extra_stride=0):
        self.extents = (rows, columns)
        self.stride = (columns + 7) // 8 * 8 + extra_stride
        self.buffer = aligned_buffer(rows * self.stride + 2 * GUARD)
        self.buffer[:] = POISON
        inside = self.buffer[GUARD : GUARD + rows * self.stride]
        self.elements = inside.reshape(rows, self.stride)[:, :columns]

    @staticmethod
    def random(rng, rows, columns, extra_stride=0):
        tensor = HostTensor(rows, columns, extra_stride)
        tensor.elements[:] = to_bf16(rng.standard_normal((rows, columns), dtype=np.float32))
        return tensor

    def values(self):
        """The elements, as float32, exactly."""
        return from_bf16(self.elements)

    def poison(self):
        self.buffer[:] = POISON

    def stray_writes(self):
        """How many places that are no elements have changed."""
        copy = self.buffer.copy()
        rows, columns = self.extents
        copy[GUARD : GUARD + rows * self.stride].reshape(rows, self.stride)[:, :columns] = POISON
        return int(np.count_nonzero(copy != POISON))

    def view(self, address=None):
        """The tk_tensor of these elements in this buffer, or in a copy of it at `address`."""
        base = self.buffer.ctypes.data if address is None else address
        return abi.Tensor(
            data=base + 2 * GUARD,
            dtype=abi.BF16,
            rank=2,
            extents=(ctypes.c_int64 * 4)(*self.extents),
            strides=(ctypes.c_int64 * 4)(self.stride, 1),
        )
