#!/usr/bin/env python3
"""ptxas_report.py - What nvcc and ptxas say about emitted kernels: nothing but good.

Compiles the GEMM at its defaults and in further instances with every warning an error, and reads the
report of ptxas: a kernel may spill no register, and ptxas may not serialise its wgmma instructions
(its messages C75xx). Usage: ptxas_report.py [INSTANCE ...]
"""
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import builds, ptxas, sweep, toolchain

# One and two consumers, narrow and wide tiles, each swizzle's depth of k.
INSTANCES = ["gemm<64, 64, 64>", "gemm<64, 256, 64>", "gemm<128, 64, 128>", "gemm<128, 128, 64>", "gemm<128, 192, 64>"]


def main():
    instances = sys.argv[1:] or INSTANCES
    arguments = [f"--instantiate={instance}" for instance in instances]
    kernels = builds.Kernels(sweep.example_source("gemm"), arguments)
    source = os.path.join(kernels.text("cuda"), kernels.file_name("cuda"))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        warnings = ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra"]
        command = [toolchain.find_nvcc(), *builds.NVCC_FLAGS, *builds.includes("gpu"), *warnings,
                   "-Xptxas", "-v", "-c", source, "-o", os.path.join(folder, "gemm.o")]
        start = time.monotonic()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        elapsed = time.monotonic() - start
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
    if len(found) != len(instances) + 1:
        failures += 1
        print(f"FAIL {len(found)} kernels are in the report when {len(instances) + 1} were compiled")
    print(f"{len(found)} kernels in {elapsed:.1f} s, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
