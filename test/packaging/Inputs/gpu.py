"""The example programs for the GPU, and a shared library. Usage: gpu.py NVCC FOLDER [run]"""
import os
import sys

import package

nvcc, folder, *run = sys.argv[1:]
folder = package.fresh(folder)
prefix = package.install(folder)
apps, built = os.path.join(package.EXAMPLES, "apps"), os.path.join(folder, "built apps")
cuda = f"-DCMAKE_CUDA_COMPILER={nvcc}"
package.configure(apps, built, prefix, options=[cuda, "-DTKC_BACKEND=GPU"])
targets = ["gemm_batch", "gemm_from_c", *(["generate"] if run else [])]
package.build(built, "--target", *targets)
print("built", *targets)

source, shared = os.path.join(folder, "source"), os.path.join(folder, "built library")
body = "tkc_add_library(kernels SHARED SOURCES two.tk OUTPUT_DIRECTORY out WERROR CUDA_OPTIONS -lineinfo)"
package.write(source, {**package.KERNELS, **package.project(body, languages="CXX CUDA")})
package.configure(source, shared, prefix, options=[cuda])
package.build(shared)
assert os.path.exists(os.path.join(shared, "out", "two.cu"))
symbols = package.run(["nm", "-D", "--defined-only", os.path.join(shared, "libkernels.so")])
print("exports", *(line.split()[-1] for line in symbols.splitlines() if line.endswith(" two")))

if run:
    for command in (["gemm_batch", "1300x700x960"], ["gemm_from_c"], ["generate", "20"]):
        print(package.run([os.path.join(built, command[0]), *command[1:]]), end="")
