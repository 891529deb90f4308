"""tkc - Kernels of tile programs (.tk) from Python.

    import tkc

    gemm = tkc.compile("gemm.tk").gemm
    c = gemm(a, b)                        # tensors of torch on a GPU, or whatever speaks DLPack

docs/python.md has the rest. tkc.torch registers kernels as operators of torch; tkc.kernels has ready ones.
"""
import importlib

from .arrays import Bits, aligned, bf16
from .errors import CompileError, Diagnostic, LaunchError, PerformanceWarning

__version__ = "0.1.0"
__all__ = ["Bits", "CompileError", "Diagnostic", "Kernel", "LaunchError", "Library", "PerformanceWarning", "aligned", "bf16",
           "compile", "load", "tune"]

# What needs the native module is imported when it is asked for: the tests' harness shares the rest where there is none.
_LAZY = {"Kernel": "kernel", "native": "kernel", "Library": "library", "compile": "library", "load": "library", "tune": "tuner"}
_MODULES = ("arrays", "cache", "compiler", "driver", "emulator", "errors", "kernel", "kernels", "library", "locate", "nvrtc",
            "nvrtc_process", "plan", "torch")


def __getattr__(name):
    if name not in _LAZY and name not in _MODULES:
        raise AttributeError(f"module 'tkc' has no attribute '{name}'")
    try:
        module = importlib.import_module(f"{__name__}.{_LAZY.get(name, name)}")
    except (FileNotFoundError, ImportError) as error:  # torch.compile asks all modules for names, and expects this of those that have none
        raise AttributeError(str(error)) from error
    if name in _LAZY:
        globals()[name] = getattr(module, name)
        return globals()[name]
    return module


def __dir__():
    return sorted([*globals(), *_LAZY])
