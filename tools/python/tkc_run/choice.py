"""choice.py - Which instance of a matmul a function of several instances would launch, without launching it."""
import ctypes

from . import abi


def described(rows, cols):
    """A tensor that is described but not there: choosing does not touch it."""
    extents, strides = (ctypes.c_int64 * 4)(rows, cols), (ctypes.c_int64 * 4)((cols + 7) // 8 * 8, 1)
    return abi.Tensor(data=1 << 20, dtype=abi.BF16, rank=2, extents=extents, strides=strides)


def choose(library, name, m, n, k, rows_of_b=None):
    """The status, and the instance's number. TK_EMULATOR_SMS says for how many SMs."""
    number = ctypes.c_int32(-1)
    function = abi.function(library, f"{name}_choice", 3)
    function.argtypes = None
    status = function(*map(ctypes.byref, (described(m, k), described(rows_of_b or k, n), described(m, n), number)))
    return status, number.value
