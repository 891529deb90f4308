"""precompiled.py - Who gets the precompiled headers of emulated kernels. Usage: precompiled.py FOLDER, which has gemm.cu."""
import os
import shutil
import subprocess
import sys

PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python")
sys.path[:0] = [PYTHON, os.path.join(PYTHON, "src")]
from tkc import hostbuild, locate
from tkc_run import unoptimized

HEADER = "emulator/kernel_headers.h"
folder = os.path.abspath(sys.argv[1])
emitted, by_hand = os.path.join(folder, "gemm.cu"), os.path.join(folder, "by_hand.cu")
with open(emitted) as file:
    text = file.read()
with open(by_hand, "w") as file:
    file.write("// Written by me.\n" + text)


def included(source):
    return HEADER in hostbuild.command("emulator", source, "none.so")


def opened(command):
    """Whether GCC takes the precompiled file: with -H it names what it includes, that with an exclamation mark."""
    done = subprocess.run([*command, "-H", "-fsyntax-only"], stderr=subprocess.PIPE, text=True, check=True)
    return any(line.startswith("! ") and line.endswith(HEADER + ".gch") for line in done.stderr.splitlines())


assert included(emitted) and not included(by_hand)
assert all(opened(hostbuild.command(backend, emitted, "none.so")) for backend in ("emulator", "uncontracted"))


def reads_headers(command):
    """Whether Clang reads headers of the runtime as text: with -H it names what it includes, but for what is precompiled."""
    done = subprocess.run([*command, "-H", "-fsyntax-only", "-Wno-unused-command-line-argument"], stderr=subprocess.PIPE, text=True,
                          check=True)
    return any(line.startswith(".") and line.endswith("tile/mma.h") for line in done.stderr.splitlines())


if unoptimized.is_built():
    for backend in unoptimized.CONTRACTION:
        assert not reads_headers(unoptimized.command(backend, emitted, "none.so"))
    assert reads_headers(unoptimized.command("emulator", by_hand, "none.so"))

# A build folder of its own, whose precompiled headers read a file that changes.
real = os.path.dirname(locate.emulator_library())
library = os.path.join(folder, "lib", "libtkemulator.a")
made = os.path.join(folder, "lib", "contracted", HEADER + ".gch")
read = os.path.join(folder, "read.h")
os.makedirs(os.path.dirname(made))
for path in (library, read):
    open(path, "w").close()
shutil.copy(os.path.join(real, "contracted", HEADER + ".gch"), made)
with open(made + ".d", "w") as file:
    file.write(f"{made}: \\\n {read}\n")
os.environ["TKC_BUILD"] = folder
when = os.stat(made).st_mtime
os.utime(read, (when - 10, when - 10))
assert included(emitted)
os.utime(read, (when + 10, when + 10))
assert not included(emitted), "a header is newer"
os.remove(read)
assert not included(emitted), "a header is gone"
