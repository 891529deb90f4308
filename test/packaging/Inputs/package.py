"""package.py - An installed tkc, and projects that use it."""
import os
import shutil
import subprocess

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
EXAMPLES = os.path.join(SOURCE, "dsl-examples")
GENERATORS = ["Ninja", "Unix Makefiles"]

KERNEL = """#include "tile.h"
template <int BM = TILE, int BN = 64, int BK = 64>
kernel NAME(gl<bf16> A, gl<bf16> B, gl<bf16> C) {
  for (auto [m, n] : grid(cdiv(C.rows(), BM), cdiv(C.cols(), BN))) {
    rt<float, BM, BN> acc = 0;
    for (int k : pipeline(cdiv(A.cols(), BK))) {
      st<bf16, BM, BK> a = load(A, {m, k});
      st<bf16, BK, BN> b = load(B, {k, n});
      mma_AB(acc, a, b);
    }
    store(C, {m, n}, acc);
  }
}
"""
KERNELS = {"tile.h": "constexpr int TILE = 64;\n", "one.tk": KERNEL.replace("NAME", "one"),
           "two.tk": KERNEL.replace("NAME", "two").replace("TILE", "64").replace('#include "tile.h"\n', "")}


def run(command, fails=False, **arguments):
    """The output of a command, which must fail or not."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **arguments)
    if (done.returncode != 0) != fails:
        raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def install(folder):
    """Installs into a folder with a space in its name, moves that away, and gives the new place."""
    first, second = os.path.join(folder, "first place"), os.path.join(folder, "second place")
    run(["cmake", "--install", os.environ["TKC_BUILD"], "--prefix", first])
    os.rename(first, second)
    return second


def write(folder, files):
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


def configure(source, build, prefix=None, generator="Ninja", options=(), fails=False):
    options = [*options, *([f"-DCMAKE_PREFIX_PATH={prefix}"] if prefix else [])]
    return run(["cmake", "-G", generator, "-S", source, "-B", build, *options], fails)


def build(folder, *options, fails=False):
    return run(["cmake", "--build", folder, *options], fails)


def project(body, languages="CXX", package="find_package(tkc REQUIRED)"):
    return {"CMakeLists.txt": f"cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES {languages})\n"
                              f"{package}\n{body}\n"}
