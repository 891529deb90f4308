#!/usr/bin/env python3
"""choice.py - What the function of Inputs/choice.tk chooses, and that it launches that.

Usage: choice.py FILE.tk
The emulator stands in for GPUs with 4 and with 132 SMs.
"""
import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import abi, backends, builds, gemm
from tkc_run.choice import choose

# The kernels in their order, and M, N, K with the one that was the fastest of them on an H200, or within 1 %.
KERNELS = ["matmul_bm128_bn256", "matmul_bm256_bn192", "matmul_bm128_bn192_pingpong", "matmul_bm128_bn128_pingpong", "matmul_bm64_bn128"]
FASTEST = {
    (1024, 1024, 1024): "matmul_bm64_bn128",
    (2048, 2048, 2048): "matmul_bm128_bn256",
    (4096, 4096, 4096): "matmul_bm128_bn256",
    (8192, 8192, 8192): "matmul_bm128_bn192_pingpong",
    (16384, 16384, 16384): "matmul_bm256_bn192",
    (8192, 4096, 4096): "matmul_bm128_bn256",
    (8192, 4096, 14336): "matmul_bm128_bn256",
    (4096, 4096, 64): "matmul_bm128_bn128_pingpong",
    (4096, 4096, 256): "matmul_bm128_bn128_pingpong",
    (4096, 4096, 1024): "matmul_bm128_bn128_pingpong",
}


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"error: {what}: {found} when it should be {wanted}")
    print(f"{what}: {found}")


def main():
    kernels = builds.Kernels(sys.argv[1])
    backend = backends.Backend("emulator", kernels)
    os.environ["TK_EMULATOR_SMS"] = "132"
    for shape, wanted in FASTEST.items():
        status, choice = choose(backend.library, "matmul", *shape)
        expect(f"chosen for {shape}", (status.code, KERNELS[choice]), (abi.OK, wanted))
    status, choice = choose(backend.library, "matmul", 0, 64, 64)
    expect("chosen for no elements", (status.code, choice), (abi.OK, 0))
    status, _ = choose(backend.library, "matmul", 64, 64, 64, rows_of_b=32)
    expect("extents that differ", str(status).startswith("invalid argument: matmul: dimension 1 of A"), True)

    # What is chosen is launched, and by number any of them.
    problem = gemm.Gemm(gemm.Shape(65, 129, 65), seed=1)
    tensor = [problem.a, problem.b, problem.c]
    for number in range(len(KERNELS)):
        problem.c.poison()
        views = [each.view() for each in tensor]
        by_number = abi.function(backend.library, "matmul_as", 3, [ctypes.c_int32])
        status = by_number(*views, number, None)
        comparison = problem.matmul.compare(problem.c.values())
        expect(f"{KERNELS[number]} by its number", (status.code, comparison.problem), (abi.OK, ""))
    status = by_number(*views, len(KERNELS), None)
    expect("a number that is none", str(status), "invalid argument: matmul: choice 5 is not from 0 to 4")

    reference = backends.Backend("reference", kernels)
    status, choice = choose(reference.library, "matmul", 1024, 1024, 1024)
    expect("chosen by the reference", (status.code, choice), (abi.OK, 0))


main()
