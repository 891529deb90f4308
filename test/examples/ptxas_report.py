#!/usr/bin/env python3
"""ptxas_report.py - What nvcc and ptxas say about emitted kernels: nothing but good.

Compiles an example, and further instances of it, with every warning an error, and reads the report of ptxas:
a kernel may spill no register, and ptxas may not serialise its wgmma instructions (its messages C75xx). Nor may
nvcc have moved anything that touches the registers of a running MMA there (tkc_run/ptx_hazards.py).
Usage: ptxas_report.py [--example NAME] [INSTANCE ...]
Without arguments: the GEMM, with one and two consumers, narrow and wide tiles, each swizzle's depth of k.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import builds, ptx_hazards, ptxas, sweep, toolchain

INSTANCES = ["gemm<64, 64, 64>", "gemm<64, 256, 64>", "gemm<128, 64, 128>", "gemm<128, 128, 64>", "gemm<128, 192, 64>"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--example")
    parser.add_argument("instances", nargs="*")
    chosen = parser.parse_args()
    instances = chosen.instances or ([] if chosen.example else INSTANCES)
    arguments = [f"--instantiate={instance}" for instance in instances]
    kernels = builds.Kernels(sweep.example_source(chosen.example or "gemm"), arguments)
    source = os.path.join(kernels.text("cuda"), kernels.file_name("cuda"))
    with open(source) as file:
        expected = file.read().count("__global__ ")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        warnings = ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra"]
        command = [toolchain.find_nvcc(), *builds.NVCC_FLAGS, *builds.includes("gpu"), *warnings,
                   "-Xptxas", "-v", "--keep", "--keep-dir", folder, "-c", source, "-o", os.path.join(folder, "kernels.o")]
        start = time.monotonic()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        elapsed = time.monotonic() - start
        hazards = {}
        for path in glob.glob(os.path.join(folder, "*.ptx")):
            with open(path) as file:
                hazards.update(ptx_hazards.check(file.read()))
    if done.returncode:
        sys.exit(f"error: nvcc failed\n{' '.join(command)}\n{done.stdout}")
    for line in done.stdout.splitlines():
        if re.search(r"\bC7\d\d\d\b|warning|Potential Performance Loss", line):
            failures += 1
            print(f"FAIL {line}")
    found = list(ptxas.read_report(done.stdout))
    for name, registers, spilled in found:
        print(f"{name}: {registers} registers, {spilled} bytes spilled")
        failures += spilled > 0
    if not found or len(found) != expected:
        failures += 1
        print(f"FAIL {len(found)} kernels are in the report when {expected} were compiled")
    for name, (matmuls, wrong) in hazards.items():
        failures += len(wrong)
        print("".join(f"FAIL {name}: {each}\n" for each in wrong), end="")
    if len(hazards) != expected:
        failures += 1
        print(f"FAIL {len(hazards)} kernels are in the PTX when {expected} were compiled")
    print(f"{len(found)} kernels in {elapsed:.1f} s, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
