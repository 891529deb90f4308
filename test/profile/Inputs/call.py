"""call.py - Runs a profiled kernel on the emulator and keeps its records.

Usage: call.py CUDA KERNEL RUN WORDS ARGUMENT ...     an argument is TYPE:EXTENTxEXTENT..., or a float
Writes what a buffer of WORDS words of 32 bits holds after the call to RUN; with 0 for RUN nothing. Around the buffer lie
words that must not change. TK_EMULATOR_SMS is the number of SMs.
"""
import ctypes
import os
import random
import subprocess
import sys

from tkc_run import abi, builds

GUARD = 64
TYPES = {"bf16": (abi.BF16, 2), "f32": (abi.F32, 4), "e4m3": (abi.E4M3, 1)}


def tensor(type_name, text, rng):
    number, size = TYPES[type_name]
    extents = [int(extent) for extent in text.split("x")]
    count = size
    for extent in extents:
        count *= extent
    memory = (ctypes.c_uint8 * (count + 16))()
    start = -ctypes.addressof(memory) % 16
    for i in range(start, start + count, size):  # small numbers: the exponent's high bits stay clear of infinities
        memory[i + size - 1] = rng.choice([0x3C, 0xBC])
    strides = [1] * len(extents)
    for i in range(len(extents) - 1, 0, -1):
        strides[i - 1] = strides[i] * extents[i]
    pad = (0,) * (4 - len(extents))
    view = abi.Tensor(ctypes.addressof(memory) + start, number, len(extents), (*extents, *pad), (*strides, *pad))
    return view, memory


def main():
    cuda, kernel, run, words, *arguments = sys.argv[1:]
    library = os.path.splitext(cuda)[0] + ".so"
    if not os.path.exists(library):
        subprocess.run(builds.compile_command("emulator", cuda, library), check=True)
    function = getattr(ctypes.CDLL(os.path.abspath(library)), kernel)
    function.restype = abi.Status
    rng = random.Random(0)
    kept, given = [], []
    for argument in arguments:
        name, _, extents = argument.partition(":")
        if extents:
            view, memory = tensor(name, extents, rng)
            kept.append((view, memory))
            given.append(ctypes.byref(view))
        else:
            given.append(ctypes.c_float(float(name)))
    count = int(words)
    memory = (ctypes.c_uint32 * (count + 2 * GUARD))(*([0xABABABAB] * (count + 2 * GUARD)))
    first = GUARD - ctypes.addressof(memory) % 16 // 4
    profile = abi.Tensor(ctypes.addressof(memory) + 4 * first, abi.I32, 1, (count, 0, 0, 0), (1, 0, 0, 0))
    status = function(*given, ctypes.byref(profile), None)
    guards = [*memory[:first], *memory[first + count :]]
    if set(guards) != {0xABABABAB}:
        sys.exit("the kernel wrote beside the buffer")
    if status.code:
        sys.exit(str(status))
    with open(run, "wb") as file:
        file.write(bytes(memory)[4 * first : 4 * (first + count)])


main()
