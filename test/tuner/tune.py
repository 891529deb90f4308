"""tune.py FOLDER - tkc.tune, with a driver that keeps time: candidates take 8 us, the source's own instance 10."""
import os
import shutil
import subprocess
import sys

from tuning import EXAMPLES, HERE, build_driver, environment, expect, folder, read_json

PROGRAM = """
import tkc
kernel = tkc.compile("gemm.tk", cpu="emulator").gemm
tuned = tkc.tune(kernel, [{"A": (128, 64), "B": (64, 256)}, {"A": (256, 64), "B": (64, 64)}], SPACE, OUTPUT, seconds=3, keep=2)
functions = {each["name"]: each for each in tuned.library.plan["functions"]}
for row in functions["gemm"]["measured"]["rows"]:
    chosen = functions[functions["gemm"]["kernels"][row["kernel"]]]
    print("chosen for", row["extents"], chosen["function"])
assert kernel.plan["kind"] == "kernel", "the function that was given is another one"
"""

folder(sys.argv[1])
build_driver()
shutil.copy(os.path.join(EXAMPLES, "gemm.tk"), "gemm.tk")
with open("nvcc", "w") as file:
    file.write('#!/bin/sh\ncase "$*" in *TKC_KERNEL=1*) ms=0.008 ;; *) ms=0.01 ;; esac\n'
               'while [ "$1" != -o ]; do shift; done\necho "ms $ms" >"$2"\n')
os.chmod("nvcc", 0o755)


def tune(space, output="'tuned.json'", **more):
    program = PROGRAM.replace("SPACE", repr(space)).replace("OUTPUT", output)
    python = {"PYTHONPATH": os.path.join(HERE, "..", "..", "tools", "python", "src"), "TKC_NVCC": os.path.abspath("nvcc"),
              "TKC_CACHE_DIR": os.path.abspath("cache"), "TKC_COMPILER": shutil.which("tkc")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment(**python | more))
    return done.returncode, done.stdout + done.stderr


status, said = tune("BM=64 BN=128")
assert status == 0, said
expect(said, "A 128x64, B 64x256: 0.0080 ms, default 0.0100 (+25.0 %), gemm<64, 128, 64>",
       "chosen for [128, 64, 256] gemm<64, 128, 64>", "chosen for [256, 64, 64] gemm<64, 128, 64>")
assert read_json("tuned.json")["entries"][0]["kernel"] == "gemm"
status, said = tune("BM=64 BN=128")
assert status == 0, said
expect(said, "2 of 2 shapes are measured already", "chosen for [128, 64, 256] gemm<64, 128, 64>")

# Without a space, half of each number, itself and twice as much; without an output, the database goes to the cache.
status, said = tune(None, "None")
assert status == 0, said
expect(said, "chosen for [128, 64, 256] gemm<")
assert len(os.listdir(os.path.join("cache", "tuned"))) == 1

# What cannot be tuned is an exception of tkc that says why.
status, said = tune("BX=64")
assert status == 1, said
expect(said, "tkc.errors.CompileError: gemm has no template parameter 'BX'; it has BM, BN, BK")
status, said = tune("BM=17")
assert status == 1, said
expect(said, "CompileError: none of the 1 candidates compiles")
print("ok")
