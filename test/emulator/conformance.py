"""conformance.py - The wrappers of the ptx layer compute on the emulator what they compute on a GPU.

Usage: conformance.py [--gpu BINARY | --build-gpu] [--prefix TEXT] [--keep FOLDER]

Compiles conformance.cu against the emulator and runs all of its cases under each timing, which must give the same
bytes. With --gpu, BINARY is the same file compiled by nvcc: it is run, and its results must be those bytes too, but for
the cases named rounding/..., where sums of 32-bit floats may differ by TOLERANCE of the largest result, because the
GPU adds in another order and truncates, and approximation/..., where a result may differ by what runtime/hopper/ptx/math.h
says. --build-gpu compiles it first.

The command that makes BINARY:
  nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -I runtime/hopper -I runtime test/emulator/conformance.cu -o BINARY
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))

from tkc_run import builds, toolchain
from tkc_run.backends import EMULATOR_TIMINGS

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conformance.cu")
TOLERANCE = 2.0**-12
# Of a result, or of 1 where that is less. The instructions' own bounds, with some room for the host's rounding.
APPROXIMATIONS = {"approximation/tanh": 2.0**-10.5, "approximation/": 2.0**-20}
LEAST_CASES = 200


def build(backend, output):
    command = builds.program_command(backend, SOURCE, output)
    builds.run(command, f"building {os.path.basename(SOURCE)} for the {backend}")
    return output


def run(binary, prefix, folder, environment=None):
    """The results by name, in order."""
    path = os.path.join(folder, "results")
    done = subprocess.run([binary, path, prefix], capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode:
        sys.exit(f"error: {binary} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    with open(path, "rb") as file:
        data = file.read()
    results, at = {}, 0
    while at < len(data):
        end = data.index(b"\n", at)
        name, size = data[at:end].decode().split(" ")
        at = end + 1 + int(size)
        results[name] = data[end + 1 : at]
    return results


def difference(name, wanted, got):
    """What is wrong with a result, or nothing."""
    if wanted == got:
        return ""
    if name.startswith("rounding/"):
        a, b = (np.frombuffer(part, np.float32).astype(np.float64) for part in (wanted, got))
        error = np.abs(a - b).max() / np.abs(a).max()
        return "" if error < TOLERANCE else f"relative difference {error:.2e}, more than {TOLERANCE:.2e}"
    for prefix, tolerance in APPROXIMATIONS.items():
        if name.startswith(prefix):
            a, b = (np.frombuffer(part, np.float32).astype(np.float64) for part in (wanted, got))
            error = (np.abs(a - b) / np.maximum(1, np.abs(a))).max()
            return "" if error < tolerance else f"difference {error:.2e}, more than {tolerance:.2e}"
    a, b = (np.frombuffer(part, np.uint8) for part in (wanted, got))
    where = np.flatnonzero(a != b)
    return f"{len(where)} of {len(a)} bytes differ, the first at {where[0]}"


def compare(what, wanted, others):
    failures = 0
    for name in wanted:
        problem = difference(name, wanted[name], others[name]) if name in others else "is missing"
        if problem:
            failures += 1
            print(f"FAIL {name}: {what}: {problem}")
    for name in others.keys() - wanted.keys():
        failures += 1
        print(f"FAIL {name}: {what}: the emulator has no such case")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpu", metavar="BINARY", help="conformance.cu compiled by nvcc, to run and compare with")
    parser.add_argument("--build-gpu", action="store_true", help="compile it with nvcc, and run it")
    parser.add_argument("--prefix", default="", help="only cases whose names begin with this")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        emulator = build("emulator", os.path.join(folder, "emulator"))
        first = None
        failures = 0
        for timing in EMULATOR_TIMINGS:
            results = run(emulator, chosen.prefix, folder, {"TK_EMULATOR_POLICY": timing, "TK_EMULATOR_SEED": "1"})
            first = first or results
            failures += compare(f"another result under {timing}", first, results)
        print(f"emulator: {len(first)} cases x {len(EMULATOR_TIMINGS)} timings")
        if not chosen.prefix and len(first) < LEAST_CASES:
            sys.exit(f"error: only {len(first)} cases ran")
        binary = build("gpu", os.path.join(folder, "gpu")) if chosen.build_gpu else chosen.gpu
        if binary:
            failures += compare("on the GPU", first, run(binary, chosen.prefix, folder))
            print(f"gpu: {len(first)} cases compared, {failures} differ")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
