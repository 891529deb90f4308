"""unoptimized.py - Emulated kernels as tests want them: compiled fast, by the Clang that compiled the project.

Most tests run a kernel for less time than GCC takes to optimize it, and Clang compiles it without optimization in a quarter of
that time. The arithmetic stays the same: multiply-adds are made where an expression multiplies and adds. Registers without a value
are not noticed: the emulator knows them by what GCC writes there. The commands and the precompiled header are of
runtime/emulator/CMakeLists.txt; where GCC compiled the project there are none.
"""
import functools
import os

from tkc import hostbuild
from tkc.locate import emulator_library

CONTRACTION = {"emulator": "on", "uncontracted": "off"}


def folder():
    return os.path.join(os.path.dirname(emulator_library()), "unoptimized")


@functools.cache
def read(name):
    with open(os.path.join(folder(), name + ".flags")) as file:
        return file.read().split("\n")[:-1]


def is_built():
    return os.path.exists(os.path.join(folder(), "compile.flags"))


def compiler():
    return read("compile")[0]


def host_compiler():
    """What tkc run takes in g++'s place."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "unoptimized.sh") if is_built() else "g++"


def precompiled(source):
    """The flags that include the precompiled header. Clang refuses one of which a file was changed since."""
    made = os.path.join(folder(), "kernel_headers.h.pch")
    return ["-include-pch", made] if hostbuild.may_precompile(made, source) else []


def command(backend, source, output, has_own_headers=False, options=()):
    """What makes a shared object of emitted text, for the emulator."""
    headers = [] if has_own_headers else precompiled(source)
    # Without the table of lines, which takes a fifth of the time: where a fault is, `tkc run` says.
    flags = [flag for flag in read("compile") if not flag.startswith("-g")]
    return [*flags, *options, f"-ffp-contract={CONTRACTION[backend]}", *hostbuild.includes(backend), *headers, "-x", "c++", source,
            "-x", "none", "-shared", "-Wl,-Bsymbolic", *read("link"), emulator_library(), "-o", output]
