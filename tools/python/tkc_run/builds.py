"""builds.py - From a .tk file to the shared objects of its three backends.

Everything is kept in one folder under a name that is a hash of what went in: the source, the command,
and the runtime it includes. A second run builds nothing; two runs at once do not disturb each other,
because a file gets its name only when it is complete.
"""
import ctypes
import functools
import glob
import hashlib
import os
import shutil
import sys
import tempfile

from tkc import hostbuild, nvrtc
from tkc.hostbuild import EMULATOR_FLAGS, BuildError, flags, includes, run
from tkc.locate import emulator_library

from . import toolchain, unoptimized

RUNTIME = toolchain.RUNTIME
# NVIDIA's headers mark their own deprecations, which are no concern of the emitted code.
NVCC_FLAGS = ["-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a"]


@functools.cache
def runtime_hash():
    """Changes whenever a header of the runtime or the emulator's library does."""
    hasher = hashlib.sha256()
    files = glob.glob(os.path.join(RUNTIME, "**", "*.h"), recursive=True)
    library = glob.glob(os.path.join(toolchain.build_folder(), "lib", "libtkemulator.a"))
    for name in sorted(files) + library:
        hasher.update(name.encode())
        with open(name, "rb") as file:
            hasher.update(file.read())
    return hasher.hexdigest()


def version_of(tool):
    """Changes whenever the program does, which is too large to be read each time."""
    status = os.stat(tool)
    return os.path.realpath(tool), status.st_size, status.st_mtime_ns


def program_command(backend, source, output):
    """The command that makes a program of CUDA text that has a main, for the GPU or the emulator."""
    shared = {"-shared", "-Xcompiler", "-fPIC", "-Wl,-Bsymbolic"}
    return [part for part in compile_command(backend, source, output, is_optimized=True) if part not in shared]


def compile_command(backend, source, output, has_own_headers=False, is_optimized=False):
    """The command that makes a shared object of emitted text, for one backend. Text with headers of the runtime of its own
    cannot have them precompiled. What runs for long, or is timed, is to be optimized on the emulator, too."""
    if backend == "gpu":
        nvcc = toolchain.find_nvcc()
        if not nvcc:
            raise BuildError("there is no nvcc; set TKC_NVCC, or let tools/demo install one")
        return [nvcc, *NVCC_FLAGS, "-Xptxas", "-warn-spills", "-shared", "-Xcompiler", "-fPIC", *includes(backend), source, "-o", output]
    if backend in EMULATOR_FLAGS and unoptimized.is_built() and not is_optimized:
        return unoptimized.command(backend, source, output, has_own_headers=has_own_headers)
    try:
        return hostbuild.command(backend, source, output, has_own_headers=has_own_headers)
    except FileNotFoundError as error:
        raise BuildError(str(error)) from None


class Kernels:
    """The kernels of one .tk file, or of text emitted from it elsewhere.

    source      the .tk file
    arguments   further arguments for tkc: --instantiate, -D
    emitted     a folder that holds NAME.cu, NAME.h and NAME_reference.cpp already, in place of tkc
    options     further options of the host's compiler, for the emulator
    is_optimized   on the emulator, too
    """

    def __init__(self, source, arguments=(), emitted=None, folder=None, options=(), is_optimized=False):
        self.source = source
        self.arguments = list(arguments)
        self.options = list(options)
        self.is_optimized = is_optimized
        self.emitted = emitted
        self.stem = os.path.splitext(os.path.basename(source))[0]
        self.folder = folder or os.path.join(toolchain.build_folder(), "test", "kernels")
        os.makedirs(self.folder, exist_ok=True)

    @functools.cache
    def text(self, kind):
        """The folder with the emitted text: kind is cuda (with its header) or reference."""
        if self.emitted:
            return self.emitted
        try:
            tkc = toolchain.find_tkc()
        except FileNotFoundError as error:
            raise BuildError(str(error)) from None
        name = self.file_name(kind)
        key = hashlib.sha256(str(version_of(tkc)).encode())
        # An example may include any file of the library beside it.
        for path in (self.source, *sorted(glob.glob(os.path.join(os.path.dirname(self.source), "library", "*.tk")))):
            with open(path, "rb") as file:
                key.update(file.read())
        key.update(" ".join([kind, *self.arguments, runtime_hash()]).encode())
        where = os.path.join(self.folder, f"{self.stem}-{kind}-{key.hexdigest()[:16]}")
        if not os.path.isdir(where):
            with tempfile.TemporaryDirectory(dir=self.folder) as temporary:
                inner = os.path.join(temporary, "text")
                os.mkdir(inner)
                output = os.path.join(inner, name)
                run([tkc, self.source, f"--emit={kind}", *self.arguments, "-o", output], "tkc")
                publish(inner, where)
        return where

    def file_name(self, kind):
        return self.stem + (".cu" if kind == "cuda" else "_reference.cpp")

    def read(self, suffix=".cu"):
        """The emitted CUDA, or its header."""
        with open(os.path.join(self.text("cuda"), self.stem + suffix)) as file:
            return file.read()

    def build(self, backend):
        """The path of the shared object."""
        kind = "reference" if backend == "reference" else "cuda"
        folder = self.text(kind)
        source = os.path.join(folder, self.file_name(kind))
        key = hashlib.sha256(runtime_hash().encode())
        for name in sorted(os.listdir(folder)):
            if os.path.isfile(os.path.join(folder, name)):
                with open(os.path.join(folder, name), "rb") as file:
                    key.update(file.read())
        if backend == "reference":  # it includes the .tk file
            with open(self.source, "rb") as file:
                key.update(file.read())
        # Not where the text is: other arguments of tkc may have led to the same.
        key.update(" ".join(self.command(backend, source, "")).replace(folder, "").encode())
        output = os.path.join(self.folder, f"{self.stem}-{backend}-{key.hexdigest()[:16]}.so")
        if not os.path.exists(output):
            with tempfile.TemporaryDirectory(dir=self.folder) as temporary:
                unnamed = os.path.join(temporary, "kernel.so")
                said = run(self.command(backend, source, unnamed), f"building the {backend} of {self.stem}")
                if backend == "gpu":
                    self.judge(said)
                os.replace(unnamed, output)
        return output

    def command(self, backend, source, output):
        options = self.options * (backend in EMULATOR_FLAGS)
        return compile_command(backend, source, output, is_optimized=self.is_optimized) + options

    def judge(self, said):
        """Serialised wgmma is an error; spills, which tkc may have warned of, are told."""
        wrong = nvrtc.complaints(said)
        if not wrong:
            return
        text = f"ptxas does not run the kernels of {self.stem} as they are written:\n" + "\n".join(wrong)
        if "(C75" in text:
            raise BuildError(text + "\n'tkc --emit=report --ptxas' says where, and what to change")
        print(f"warning: {text}", file=sys.stderr)

    def load(self, backend):
        return ctypes.CDLL(self.build(backend))


def publish(folder, name):
    """Gives a complete folder its name, unless another process was first."""
    try:
        os.rename(folder, name)
    except OSError:
        if not os.path.isdir(name):
            raise
        shutil.rmtree(folder)
