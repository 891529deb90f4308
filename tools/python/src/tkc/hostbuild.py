"""hostbuild.py - Emitted text as a shared object of this CPU: the reference, and the emulator's kernels.

The commands are those of docs/emulator.md. The tests' harness (tkc_run.builds) builds with them, too.
"""
import os
import shutil
import subprocess

from . import locate

# nvcc makes one multiply-add of a product and a sum where it can, and so does the host's compiler, unless told otherwise.
EMULATOR_FLAGS = {"emulator": "emulator/contracted", "uncontracted": "emulator/uncontracted"}


class BuildError(RuntimeError):
    """A tool refused; the text is its output."""


def flags(name):
    """Flags of the host's compiler that the runtime keeps in a file; docs/emulator.md says what they are for."""
    with open(os.path.join(locate.runtime(), name + ".flags")) as file:
        return file.read().split()


def folders(backend):
    """The include path. The emulator has headers of the same names as hopper/ptx and host/: it must come first."""
    inside = {"reference": ("",), "gpu": ("hopper", "")}.get(backend, ("emulator", "hopper", ""))
    return [os.path.join(locate.runtime(), folder) for folder in inside]


def includes(backend):
    return [part for folder in folders(backend) for part in ("-I", folder)]


def may_precompile(made, source):
    """Whether the header precompiled as `made` may stand before the text in the file `source`: tkc wrote that, and no file of
    the header, which are in the .d beside it, was changed since: compiler/run/PrecompiledHeader.h."""
    try:
        with open(source) as file:
            is_emitted = file.readline().startswith("// Written by tkc ")
        with open(made + ".d") as file:
            files = file.read().partition(": ")[2].replace("\\\n", " ").split()
        return is_emitted and max(os.stat(path).st_mtime_ns for path in files) <= os.stat(made).st_mtime_ns
    except (OSError, ValueError):
        return False


def precompiled(form, source):
    """The flags that include what the build precompiled, where tkc wrote the text in the file `source`. None where nothing is
    precompiled, or a file was changed since, at which GCC does not look."""
    folder = os.path.join(os.path.dirname(locate.emulator_library()), form)
    header = os.path.join("emulator", "kernel_headers.h")
    return ["-I", folder, "-include", header] if may_precompile(os.path.join(folder, header + ".gch"), source) else []


def linker():
    """binutils has a second one, gold, which takes a third of the first one's time."""
    return ["-fuse-ld=gold"] * bool(shutil.which("ld.gold"))


def command(backend, source, output, compiler="g++", has_own_headers=False):
    """What makes a shared object of emitted text, for the reference or the emulator. Text with headers of the runtime of its
    own cannot have them precompiled."""
    rest = [*flags("host/compile"), *flags("host/library"), *includes(backend), *linker(), "-o", output]
    if backend == "reference":
        return [compiler, *rest, source]
    rounding = EMULATOR_FLAGS[backend]
    # They come first: GCC takes the first file of that name, precompiled or not.
    headers = [] if has_own_headers else precompiled(os.path.basename(rounding), source)
    return [compiler, *headers, *rest, *flags("emulator/kernel"), *flags(rounding), "-x", "c++", source, "-x", "none",
            locate.emulator_library()]


def run(arguments, what):
    """Runs a command; its output, or BuildError with it."""
    if not shutil.which(arguments[0]):
        raise BuildError(f"there is no {arguments[0]}; install g++ 11 or later")
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise BuildError(f"{what} failed with status {done.returncode}\n{' '.join(arguments)}\n{done.stdout}")
    return done.stdout
