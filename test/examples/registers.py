#!/usr/bin/env python3
"""registers.py - The report's registers against those of ptxas.

Usage: registers.py [FILE.tk [INSTANCE ...]]      default: every example
For each kernel: it spills nothing, or the report says that it may; what ptxas gives its consumers is within 10 % of the
prediction, and its producer gets no more than is predicted. ptxas is asked about each role by itself, see tkc_run/ptxas.py; spills
count where the kernel is whole, as a role that is alone may spill a few bytes at its very limit.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import builds, ptxas, toolchain

TOLERANCE = 0.10

def compare(name, role, measured):
    """The number of failures of one role; prints its line."""
    registers, spilled = measured
    predicted, is_bound = role["predicted_registers"], role["prediction_is_bound"]
    error = predicted / registers - 1
    wrong = registers > predicted if is_bound else abs(error) > TOLERANCE
    expected = f"at most {predicted}" if is_bound else f"{predicted} ({100 * error:+.1f} %)"
    print(f"{'FAIL ' if wrong else ''}{name}, {role['kind']}: tiles {role['tile_registers']}, predicted {expected}, "
          f"ptxas {registers}, {spilled} bytes spilled")
    return bool(wrong)


def check(source, instances, folder):
    """The numbers of failures and of kernels in one .tk file."""
    kernels = builds.Kernels(source, [f"--instantiate={instance}" for instance in instances])
    tkc = os.path.join(toolchain.build_folder(), "bin", "tkc")
    command = [tkc, source, *kernels.arguments, "--emit=report-json"]
    reports = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["kernels"]
    emitted = os.path.join(kernels.text("cuda"), kernels.file_name("cuda"))
    with open(emitted) as file:
        text = file.read().replace('#include "', f'#include "{os.path.dirname(emitted)}/')
    whole = ptxas.measure(emitted, os.path.join(folder, "whole.cubin"))
    alone = {}
    for role in {role["kind"]: None for report in reports for role in report["roles"]}:
        part = os.path.join(folder, kernels.file_name("cuda"))
        with open(part, "w") as file:
            file.write(ptxas.role_alone(text, role))
        alone[role] = ptxas.measure(part, os.path.join(folder, "part.cubin"))
    failures = 0
    for report in reports:
        name = report["kernel"]
        warned = any(role["may_not_fit"] for role in report["roles"])
        if whole[name][1] and not warned:
            failures += 1
            print(f"FAIL {name}: {whole[name][1]} bytes spilled where the report says that ptxas has enough")
        failures += sum(compare(name, role, alone[role["kind"]][name]) for role in report["roles"])
    return failures, len(reports)


def main():
    sources = sys.argv[1:2] or sorted(glob.glob(os.path.join(toolchain.SOURCE, "dsl-examples", "*.tk")))
    failures = kernels = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            failed, count = check(source, sys.argv[2:], folder)
            failures, kernels = failures + failed, kernels + count
    print(f"{kernels} kernels, {failures} failures")
    return 1 if failures or not kernels else 0


sys.exit(main())
