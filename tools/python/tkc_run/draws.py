"""draws.py - Random tensors for cases: the same of the same seed, kernel and shape."""
import zlib

import numpy as np

from . import abi
from .tensors import HostTensor


def generator(seed, kernel, shape):
    return np.random.default_rng([seed, zlib.crc32(kernel.encode()), *shape])


def normal(rng, extents, by=1.0, dtype=abi.BF16, kind=HostTensor):
    return kind(extents, dtype=dtype).draw(rng, by)


def filled(values, dtype=abi.F32):
    """A tensor of so many values."""
    values = np.asarray(values, np.float32)
    tensor = HostTensor(values.shape, dtype=dtype)
    tensor.set(values)
    return tensor


def exact(*tensors):
    """What they hold, in float64: of one, or of each."""
    values = [tensor.values().astype(np.float64) for tensor in tensors]
    return values if len(values) > 1 else values[0]
