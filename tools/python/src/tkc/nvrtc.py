"""nvrtc.py - Machine code from device text, by NVIDIA's runtime compiler.

Through ctypes: NVRTC is a shared library that a torch for CUDA brings along, that the package nvidia-cuda-nvrtc installs, and
that the CUDA toolkit has. TKC_NVRTC names another one. Kernels are compiled one by one, in threads, since ptxas takes most of
the time and works on one at a time.
"""
import concurrent.futures
import ctypes
import functools
import glob
import importlib.util
import os
import re
import warnings
from dataclasses import dataclass

from . import locate
from .errors import CompileError, PerformanceWarning

OLDEST = (12, 3)  # older ones do not know wgmma and setmaxnreg as the runtime spells them
OPTIONS = ("--gpu-architecture=sm_90a", "-std=c++17", "-default-device", "--ptxas-options=-v", "--ptxas-options=-warn-spills")


class NvrtcMissing(CompileError):
    """There is no NVRTC; the text says which package has it."""


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
    return repr(library()[1])


@functools.cache
def library():
    """The loaded NVRTC and its version; NvrtcMissing, or CompileError where it is too old."""
    for name in _candidates():
        try:
            loaded = ctypes.CDLL(name)
            break
        except OSError:
            continue
    else:
        raise NvrtcMissing("there is no NVRTC, which makes machine code of kernels; 'pip install nvidia-cuda-nvrtc' installs "
                           "it, a torch for CUDA 13 brings it along, and TKC_NVRTC names one that lies elsewhere")
    major, minor = ctypes.c_int(), ctypes.c_int()
    loaded.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    version = (major.value, minor.value)
    if version < OLDEST:
        raise CompileError("NVRTC is of CUDA {}.{} when kernels need {}.{} or later; 'pip install -U nvidia-cuda-nvrtc' "
                           "installs a newer one".format(*version, *OLDEST))
    return loaded, version


@dataclass(frozen=True)
class MachineCode:
    cubin: bytes
    log: str


def compile_device(text, name, options=()):
    """The machine code of device text, all of it or what `options` select."""
    loaded, _ = library()
    runtime = locate.runtime()
    given = [*OPTIONS, f"-I{os.path.join(locate.SHIMS, 'device')}", f"-I{locate.SHIMS}",
             f"-I{os.path.join(runtime, 'hopper')}", *options]
    program = ctypes.c_void_p()
    loaded.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None)
    try:
        array = (ctypes.c_char_p * len(given))(*(option.encode() for option in given))
        status = loaded.nvrtcCompileProgram(program, len(given), array)
        log = _read(loaded, program, "ProgramLog").decode(errors="replace").strip("\0\n")
        if status:
            raise CompileError(f"NVRTC refused {name}, which is a defect of tkc or of this NVRTC:\n{log}")
        return MachineCode(_read(loaded, program, "CUBIN"), log)
    finally:
        loaded.nvrtcDestroyProgram(ctypes.byref(program))


def _read(loaded, program, what):
    size = ctypes.c_size_t()
    if getattr(loaded, f"nvrtcGet{what}Size")(program, ctypes.byref(size)):
        return b""
    buffer = ctypes.create_string_buffer(size.value)
    getattr(loaded, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw


def compile_kernels(text, name, kernels, counters):
    """The machine code of each kernel of the plans, in their order. Kernels with a tile counter get words for it: two for
    each of `counters` streams, and two more."""
    def one(kernel):
        source = text
        if any(parameter["kind"] == "tile_counter" for parameter in kernel["parameters"]):
            source += f'\nextern "C" __device__ unsigned tkc_tile_counters[{2 * (counters + 1)}];\n'
        return compile_device(source, name, [f"-DTKC_KERNEL={kernel['number']}"])

    jobs = int(os.environ.get("TKC_JOBS", 0)) or len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(max(1, min(jobs, len(kernels)))) as pool:
        return list(pool.map(one, kernels))


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
