"""abi.py - The C interface of a compiled kernel, for ctypes.

Mirrors runtime/host/abi.h.
"""
import ctypes

BF16, F16, F32, E4M3, E5M2, I8, I32 = range(7)

OK, INVALID_ARGUMENT, UNSUPPORTED_DEVICE, LAUNCH_FAILED, EMULATOR_FAULT = range(5)
CODE_NAMES = ["ok", "invalid argument", "unsupported device", "launch failed", "emulator fault"]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("extents", ctypes.c_int64 * 4),
        ("strides", ctypes.c_int64 * 4),
    ]


class Status(ctypes.Structure):
    """The message lies in the library, until this thread's next call there: read it at once."""

    _fields_ = [("code", ctypes.c_int32), ("message", ctypes.c_char_p)]

    def __str__(self):
        known = 0 <= self.code < len(CODE_NAMES)
        name = CODE_NAMES[self.code] if known else f"code {self.code}"
        return f"{name}: {self.message.decode()}" if self.message else name


def function(library, name, arguments, scalars=()):
    """The kernel `name` of a loaded library: `arguments` tensors, scalars of these ctypes, then the stream."""
    result = getattr(library, name)
    result.restype = Status
    result.argtypes = [ctypes.POINTER(Tensor)] * arguments + [*scalars, ctypes.c_void_p]
    return result
