"""tkc - Kernels of tile programs (.tk) from Python.

    import tkc

    gemm = tkc.compile("gemm.tk").gemm
    c = gemm(a, b)                        # tensors of torch on a GPU, or whatever speaks DLPack

docs/python.md has the rest. tkc.torch registers kernels as operators of torch; tkc.kernels has ready ones.
"""
import importlib
import os

from .arrays import Bits, aligned, bf16
from .errors import CompileError, Diagnostic, LaunchError, PerformanceWarning
from .kernel import Kernel, native
from .library import Library, compile, load  # noqa: A004 - compile is its name

__version__ = "0.1.0"
__all__ = ["Bits", "CompileError", "Diagnostic", "Kernel", "LaunchError", "Library", "PerformanceWarning", "aligned", "bf16",
           "compile", "load"]

os.register_at_fork(after_in_child=native.set_forked)


def __getattr__(name):
    if name in ("torch", "kernels", "cache", "emulator", "nvrtc"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'tkc' has no attribute '{name}'")
