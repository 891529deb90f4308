"""arrays.py - Tensors of numpy, and copies that TMA can reach.

numpy has no bf16 and no 8-bit floats. Where ml_dtypes is installed its arrays serve; without it, Bits are the elements' bits
in an array of unsigned numbers, together with the name of their type.
"""
import importlib.util
import sys

from .plan import DTYPES, DTYPE_NAMES

SIZES = {"bf16": 2, "f16": 2, "f32": 4, "e4m3": 1, "e5m2": 1, "i8": 1, "i32": 4}
NUMPY_NAMES = {"f16": "float16", "f32": "float32", "i8": "int8", "i32": "int32"}
ML_NAMES = {"bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}
TORCH_NAMES = {**ML_NAMES, **NUMPY_NAMES}
UNSIGNED = {1: "uint8", 2: "uint16"}


class Bits:
    """Elements of a type that numpy lacks, as their bits. numpy reads it as the numbers that the bits mean."""

    def __init__(self, bits, dtype):
        if dtype not in ML_NAMES:
            raise TypeError(f"Bits are of {', '.join(ML_NAMES)}, not of {dtype}")
        if getattr(bits, "dtype", None) is None or bits.dtype.name != UNSIGNED[SIZES[dtype]]:
            raise TypeError(f"the bits of {dtype} are an array of {UNSIGNED[SIZES[dtype]]}")
        self.bits = bits
        self.dtype = dtype
        self.tkc_dtype = DTYPES[dtype]

    tkc_dtype = None  # of the type: that it tells its elements' type

    @property
    def shape(self):
        return self.bits.shape

    def __array__(self, dtype=None, copy=None):
        values = numbers(self.bits, self.dtype)
        return values if dtype is None else values.astype(dtype)

    def __getitem__(self, index):
        return Bits(self.bits[index], self.dtype)

    def __len__(self):
        return len(self.bits)

    def __repr__(self):
        return f"Bits({self.__array__()!r}, dtype={self.dtype!r})"


def numbers(bits, dtype):
    """What bits mean, as float32."""
    import numpy as np

    if dtype == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    exponent_bits, mantissa_bits = (4, 3) if dtype == "e4m3" else (5, 2)
    pattern = np.arange(256)
    exponent, mantissa = pattern >> mantissa_bits & ((1 << exponent_bits) - 1), pattern & ((1 << mantissa_bits) - 1)
    scale = 2.0 ** (np.maximum(exponent, 1) - ((1 << (exponent_bits - 1)) - 1) - mantissa_bits)
    values = (mantissa + np.where(exponent > 0, 1 << mantissa_bits, 0)) * scale
    if dtype == "e5m2":
        values[exponent == 31] = np.where(mantissa == 0, np.inf, np.nan)[exponent == 31]
    else:
        values[pattern & 0x7F == 0x7F] = np.nan
    return np.where(pattern & 0x80, -values, values).astype(np.float32)[bits]


def bf16(values):
    """Numbers rounded to the nearest bf16, ties to even, in memory that TMA can reach."""
    import numpy as np

    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    result = Bits(empty(np.shape(values), np.uint16), "bf16")
    result.bits[...] = np.where(np.isnan(values), np.uint16(0x7FC0), rounded).reshape(np.shape(values))
    return result


def padded(shape, size):
    """The strides, in elements, of rows that are padded to 16 bytes."""
    unit = 16 // size
    strides = [1] * len(shape)
    step = -(-max(shape[-1], 1) // unit) * unit if shape else 1
    for dim in range(len(shape) - 2, -1, -1):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return strides, step


def empty(shape, dtype):
    """An array of numpy whose rows TMA can reach."""
    import numpy as np

    dtype = np.dtype(dtype)
    strides, elements = padded(shape, dtype.itemsize)
    room = np.empty(elements * dtype.itemsize + 16, np.uint8)
    skip = -room.ctypes.data % 16
    flat = room[skip : skip + elements * dtype.itemsize].view(dtype)
    return np.lib.stride_tricks.as_strided(flat, shape, [stride * dtype.itemsize for stride in strides])


def _is_torch(value):
    return "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor)


def allocation(like, number, shape, is_current):
    """What makes an output that a call leaves out: a function, its arguments and its keywords. Made as `like`, of this type and
    these extents, its rows padded to 16 bytes. `is_current`: its device is the current one."""
    name = DTYPE_NAMES[number]
    if _is_torch(like):
        import torch

        strides, dtype = tuple(padded(shape, SIZES[name])[0]), getattr(torch, TORCH_NAMES[name])
        # What the code that Inductor writes allocates with takes a third of the time; where this torch has it not, all's.
        guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
        of_current = getattr(guards, "_empty_strided_cuda", None)
        if is_current and of_current is not None:
            return of_current, (shape, strides, dtype), {}
        return torch.empty_strided, (shape, strides), {"dtype": dtype, "device": like.device}
    if name in NUMPY_NAMES:
        return empty, (shape, NUMPY_NAMES[name]), {}
    if not isinstance(like, Bits) and importlib.util.find_spec("ml_dtypes"):
        import ml_dtypes

        return empty, (shape, getattr(ml_dtypes, ML_NAMES[name])), {}
    return _empty_bits, (shape, name), {}


def _empty_bits(shape, name):
    return Bits(empty(shape, UNSIGNED[SIZES[name]]), name)


def _fits(torch, x):
    """Whether TMA can reach a tensor of torch as it lies."""
    # A traced tensor has no address yet; torch allocates at multiples of 16 bytes, and what it hands over is checked.
    if not torch.compiler.is_compiling() and x.data_ptr() % 16:
        return False
    shape, strides, size = x.shape, x.stride(), x.element_size()
    if strides and strides[-1] != 1 and shape[-1] > 1:
        return False
    for extent, stride in zip(shape[:-1], strides[:-1]):
        if stride * size % 16 and extent > 1:
            return False
    return True


def aligned(x):
    """A copy whose rows start at multiples of 16 bytes, which TMA wants; x itself where it lies so."""
    if _is_torch(x):
        import torch

        return x if _fits(torch, x) else torch.empty_strided(x.shape, padded(x.shape, x.element_size())[0], dtype=x.dtype,
                                                             device=x.device).copy_(x)
    if isinstance(x, Bits):
        return Bits(aligned(x.bits), x.dtype)
    size = x.dtype.itemsize
    fits = x.ctypes.data % 16 == 0 and (x.ndim == 0 or x.shape[-1] <= 1 or x.strides[-1] == size) and all(
        stride >= 0 and stride % 16 == 0 or extent <= 1 for stride, extent in zip(x.strides[:-1], x.shape[:-1]))
    if fits:
        return x
    copy = empty(x.shape, x.dtype)
    copy[...] = x
    return copy


def refusal(kind):
    """Why tensors of a type cannot be given to a kernel, in words that follow 'A is'; None if they can. Asked once a type."""
    if any(base.__name__ == "FakeTensor" for base in kind.__mro__):
        return "a FakeTensor, which has no memory; call the kernel through torch.ops (tkc.torch.register)"
    if kind.__module__.split(".")[0] == "torch":
        from . import torch  # its hooks: the stream, grad mode

        return torch.refusal(kind)
    return None
