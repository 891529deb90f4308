#!/usr/bin/env python3
"""ptx_hazards.py - What touches the registers of running MMAs in what nvcc makes of emitted files.

Usage: ptx_hazards.py [--none] FILE ...
A file is PTX, or CUDA that nvcc compiles first. With --none the exit status is 1 if anything does.
"""
import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import builds, ptx_hazards, toolchain


def ptx_of(path):
    if path.endswith(".ptx"):
        with open(path) as file:
            return file.read()
    command = [toolchain.find_nvcc(), *builds.NVCC_FLAGS, *builds.includes("gpu"), "-ptx", path, "-o", "-"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--none", action="store_true", help="fail if there is a hazard")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    kernels, failures = 0, 0
    for path in options.files:
        for name, (matmuls, wrong) in ptx_hazards.check(ptx_of(path)).items():
            for each in wrong:
                print(each)
            if wrong or not options.none:
                print(f"{name}: {matmuls} MMAs, {len(wrong)} hazards")
            kernels += matmuls > 0
            failures += len(wrong)
    print(f"{kernels} kernels with MMAs, {failures} hazards")
    return 1 if options.none and (failures or not kernels) else 0


sys.exit(main())
