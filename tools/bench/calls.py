"""calls.py - Calls of emitted kernels on tensors of torch."""

import ctypes
import sys

import torch

from bursts import abi, tensor_of


def prepare(library, name, tensors, scalars):
    """A call of the function, which may be made many times."""
    function = getattr(library, name)
    function.restype = abi.Status
    views = [tensor_of(tensor) for tensor in tensors]
    pointers = [ctypes.byref(view) for view in views]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def call(views=views, tensors=tensors):
        status = function(*pointers, *scalars, stream)
        if status.code:
            sys.exit(f"{name}: {status.message.decode()}")

    return call

