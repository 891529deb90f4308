"""nvrtc.py - Machine code from device text, by NVIDIA's runtime compiler.

NVRTC is a shared library that a torch for CUDA brings along, that the package nvidia-cuda-nvrtc installs, and that the CUDA
toolkit has. TKC_NVRTC names another one. A program of ours loads it and compiles each kernel by itself, several at once
(nvrtc_process.py).
"""
import functools
import glob
import importlib.util
import os
import re
import warnings
from dataclasses import dataclass

from . import locate
from .errors import CompileError, PerformanceWarning
from .nvrtc_process import NvrtcMissing, NvrtcProcess

OLDEST = (12, 3)  # older ones do not know wgmma and setmaxnreg as the runtime spells them
CACHING = (12, 9)  # the first that keeps machine code itself, for which it loads the driver: 0.2 s where there is one
OPTIONS = ("--gpu-architecture=sm_90a", "-std=c++17", "-default-device", "--ptxas-options=-v", "--ptxas-options=-warn-spills")


def _candidates():
    named = os.environ.get("TKC_NVRTC")
    if named:
        return [named]
    found = []
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for pattern in ("cu13/lib/libnvrtc.so.1?", "cuda_nvrtc/lib/libnvrtc.so.1?"):
            found += sorted(glob.glob(os.path.join(folder, pattern)), reverse=True)
    for folder in [*os.environ.get("LD_LIBRARY_PATH", "").split(":"), "/usr/local/cuda/lib64"]:
        found += sorted(glob.glob(os.path.join(folder, "libnvrtc.so.1?")), reverse=True) if folder else []
    return [*found, "libnvrtc.so.13", "libnvrtc.so.12"]


def identity():
    """Which NVRTC it is, as a part of a cache key. Of a file without loading its 100 MB, which takes longer than all else
    of a compilation that is cached."""
    for name in _candidates():
        path = os.path.realpath(name)
        if os.path.isabs(name) and os.path.exists(path):
            return f"{path} {os.stat(path).st_size}"
    return repr(version())


def process():
    """A process that compiles; not yet started."""
    return NvrtcProcess(_candidates())


def _checked(version):
    if version is None:
        raise NvrtcMissing("there is no NVRTC, which makes machine code of kernels; 'pip install nvidia-cuda-nvrtc' installs "
                           "it, a torch for CUDA 13 brings it along, and TKC_NVRTC names one that lies elsewhere")
    if version < OLDEST:
        raise CompileError("NVRTC is of CUDA {}.{} when kernels need {}.{} or later; 'pip install -U nvidia-cuda-nvrtc' "
                           "installs a newer one".format(*version, *OLDEST))
    return version


@functools.cache
def version():
    """(major, minor) of NVRTC; NvrtcMissing, or CompileError where it is too old."""
    with process() as started:
        return _checked(started.version())


@dataclass(frozen=True)
class MachineCode:
    cubin: bytes
    log: str


def _options(version):
    no_cache = ["--no-cache"] if version >= CACHING else []  # ours is in cache.py
    folders = (os.path.join(locate.SHIMS, "device"), locate.SHIMS, os.path.join(locate.runtime(), "hopper"))
    return [*OPTIONS, *no_cache, *(f"-I{folder}" for folder in folders)]


def _compile(started, text, name, kernels, at_once):
    """Of each of `kernels`, (what it is called in a message, text after the text, options)."""
    options = _options(_checked(started.version()))
    answers = started.compile(text, name, options, [kernel[1:] for kernel in kernels], at_once)
    for (called, *_), answer in zip(kernels, answers):
        if answer.failure:
            raise CompileError(f"{called} has no machine code: {answer.failure}")
        if answer.status:
            raise CompileError(f"NVRTC refused {name}, which is a defect of tkc or of this NVRTC:\n{answer.log}")
    return [MachineCode(answer.cubin, answer.log) for answer in answers]


def compile_device(text, name, options=()):
    """The machine code of device text, all of it or what `options` select."""
    with process() as started:
        return _compile(started, text, name, [(name, "", options)], 1)[0]


def _jobs():
    """How many kernels are compiled at once: TKC_JOBS, else one on each core that this process may use."""
    named = os.environ.get("TKC_JOBS")
    if not named:
        return len(os.sched_getaffinity(0))
    if not named.isdecimal() or int(named) < 1:
        raise ValueError(f"TKC_JOBS is '{named}' when it should be how many kernels are compiled at once, 1 or more")
    return int(named)


def compile_kernels(text, name, kernels, counters, started=None):
    """The machine code of each kernel of the plans, in their order. Kernels with a tile counter get words for it: two for
    each of `counters` streams, and two more. `started` is a process that loads NVRTC already."""
    def one(kernel):
        counted = any(parameter["kind"] == "tile_counter" for parameter in kernel["parameters"])
        words = f'\nextern "C" __device__ unsigned tkc_tile_counters[{2 * (counters + 1)}];\n' if counted else ""
        return f"kernel {kernel['name']}", words, [f"-DTKC_KERNEL={kernel['number']}"]

    with started or process() as running:
        return _compile(running, text, name, [one(kernel) for kernel in kernels], max(1, min(_jobs(), len(kernels))))


def complaints(log):
    """What ptxas says that makes a kernel slow: spills, and wgmma that it serialises (C75xx)."""
    spills = re.compile(r"[1-9]\d* bytes spill (stores|loads)")
    return [line.strip() for line in log.splitlines() if re.search(r"\(C75\d\d\)", line) or spills.search(line)]


def registers(log):
    """Registers of a thread and bytes of local memory, of a log of one kernel; None where it does not say."""
    used, local = re.search(r"Used (\d+) registers", log), re.search(r"(\d+) bytes stack frame", log)
    return (int(used[1]) if used else None), (int(local[1]) if local else None)


def warn_of(kernel, log, source):
    wrong = complaints(log)
    if wrong:
        place = f"{source}:{kernel['line']}" if kernel.get("line") else source
        warnings.warn(f"{kernel['name']}, {place}: {'; '.join(wrong)}; 'tkc --emit=report' says what needs the registers",
                      PerformanceWarning, stacklevel=2)
