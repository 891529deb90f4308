"""backends.py - Calling a kernel the same way wherever it runs.

A backend takes host tensors, runs the kernel on them and leaves the result in them. For the GPU that
means copies there and back; whole buffers travel, guard zones included, so that a stray write on the
GPU is found like one on the host.
"""
import os
import time

from . import abi, toolchain
from .device import device

NAMES = ("reference", "emulator", "gpu")


def available():
    """The backends that this machine has, and why it has not the others."""
    missing = {}
    if not toolchain.hopper_present():
        missing["gpu"] = "no GPU of compute capability 9.0"
    elif not toolchain.find_nvcc():
        missing["gpu"] = "no nvcc"
    return [name for name in NAMES if name not in missing], missing


class Backend:
    """One built kernel file. `seconds` is the time of the last call, without copies."""

    def __init__(self, name, kernels):
        self.name = name
        self.library = kernels.load(name)
        self.seconds = 0.0

    def call(self, kernel, tensors, scalars=()):
        """Runs a kernel on host tensors (the abi's views are made here) and ctypes scalars; its status."""
        if self.name == "gpu":
            return self.call_on_device(kernel, tensors, scalars)
        return self.call_views(kernel, [tensor.view() for tensor in tensors], scalars)

    def call_views(self, kernel, views, scalars=()):
        """Runs a kernel on tk_tensors whose memory is already where it must be; None is a null pointer."""
        function = abi.function(self.library, kernel, len(views), [type(scalar) for scalar in scalars])
        start = time.perf_counter()
        status = function(*views, *scalars, None)
        self.seconds = time.perf_counter() - start
        return status

    def call_on_device(self, kernel, tensors, scalars=()):
        gpu = device()
        copies = [gpu.upload(tensor.buffer) for tensor in tensors]
        try:
            views = [tensor.view(copy.value) for tensor, copy in zip(tensors, copies)]
            function = abi.function(self.library, kernel, len(views), [type(scalar) for scalar in scalars])
            milliseconds, status = gpu.milliseconds(lambda: function(*views, *scalars, None))
            self.seconds = milliseconds / 1e3
            gpu.synchronize()
            for tensor, copy in zip(tensors, copies):
                gpu.download(copy, tensor.buffer)
            return status
        finally:
            for copy in copies:
                gpu.free(copy)


def set_emulator(seed, timing="random"):
    """The timing of the emulator's next launches; see runtime/emulator/core/options.h."""
    os.environ["TK_EMULATOR_SEED"] = str(seed)
    os.environ["TK_EMULATOR_POLICY"] = timing


EMULATOR_TIMINGS = ("random", "latest", "earliest", "starve", "consumer_first")
