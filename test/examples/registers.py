#!/usr/bin/env python3
"""registers.py - What nvcc and ptxas say of emitted kernels: nothing but good, and the registers that the report predicts.

Usage: registers.py [--part N/OF | FILE.tk [INSTANCE ...]]      default: every example, and every kernel of the Python package
nvcc compiles with every warning an error, and ptxas may not serialise wgmma instructions (its messages C75xx). A kernel
spills nothing, or the report says that it may. Nor may nvcc have moved anything that touches the registers of a running
MMA there (tkc_run/ptx_hazards.py). What ptxas gives its consumers is within 10 % of the prediction, and its producer gets
no more than is predicted; ptxas is asked about each role by itself, see tkc_run/ptxas.py. Spills count where the kernel
is whole, as a role that is alone may spill a few bytes at its very limit; examples spill nothing, whatever the report says.

The examples of a part are one file to nvcc, which takes two seconds for NVIDIA's headers. The roles are cut from its PTX, which
is nearly always within a register or two of cutting them from the CUDA. A role that takes other registers than predicted is cut
from the CUDA, too: what nvcc computes for all roles before they part is none of its own.
"""
import argparse
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import builds, ptx_hazards, ptx_roles, ptxas, toolchain

TOLERANCE = 0.10
# Predictions that are known to be further off (docs/registers.md), and why. One that is not any more is a failure, too.
MISSES = {("fftconv_1024_causal", "consumer"): "the slices of left_re and left_im are counted beside these, whose registers they have"}
# Beside what the example's own file asks for: one and two consumers, narrow and wide tiles, each swizzle's depth of k.
MORE = {"gemm": ["gemm<64, 64, 64>", "gemm<64, 256, 64>", "gemm<128, 64, 128>", "gemm<128, 128, 64>", "gemm<128, 192, 64>"]}


class Example:
    def __init__(self, source, instances):
        self.kernels = builds.Kernels(source, [f"--instantiate={instance}" for instance in instances])
        self.emitted = os.path.join(self.kernels.text("cuda"), self.kernels.file_name("cuda"))
        self.text = self.kernels.read()
        self.names = set(re.findall(r"^__global__ .*?(\w+)_kernel\(", self.text, re.M | re.S))

    @functools.cached_property
    def reports(self):
        """Of its kernels, as --emit=report-json has them."""
        command = [toolchain.find_tkc(), self.kernels.source, *self.kernels.arguments, "--emit=report-json"]
        reports = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["kernels"]
        if {report["kernel"] for report in reports} != self.names:
            raise ValueError(f"the report of {self.kernels.source} is of other kernels than its CUDA: {sorted(self.names)}")
        return reports


def part_of(examples, number, count):
    """Those examples of a part: about as much text in each, and no name of a kernel twice."""
    parts = [[] for _ in range(count)]
    for each in sorted(examples, key=lambda each: -len(each.text)):
        fitting = [part for part in parts if not any(each.names & other.names for other in part)]
        min(fitting, key=lambda part: sum(len(other.text) for other in part)).append(each)
    return parts[number - 1]


@dataclass
class Compiled:
    said: str
    registers: dict  # of kernels and of roles alone: (registers, spilled bytes)
    hazards: dict


def compile_together(examples, folder):
    source = os.path.join(folder, "examples.cu")
    with open(source, "w") as file:
        file.writelines(f'#include "{each.emitted}"\n' for each in examples)
    said = nvcc(source, "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra", "--keep", "--keep-dir", folder, "-c")
    with open(os.path.join(folder, "examples.ptx")) as file:
        ptx = file.read()
    roles = os.path.join(folder, "roles.ptx")
    with open(roles, "w") as file:
        file.write(ptx_roles.roles_alone(ptx, ptx_roles.roles_of("".join(each.text for each in examples))))
    return Compiled(said, {**registers_in(said), **registers_in(nvcc(roles, "-cubin"))}, ptx_hazards.check(ptx))


def nvcc(source, *options):
    """What it says, and ptxas with it. nvcc's -O is the host compiler's alone: the launchers are compiled for the warnings, of
    which some need optimization."""
    flags = [flag if flag != "-O3" else "-O1" for flag in builds.NVCC_FLAGS]
    return builds.run([toolchain.find_nvcc(), *flags, *builds.includes("gpu"), "-Xptxas", "-v", *options, source,
                       "-o", source + ".o"], "nvcc")


def registers_in(said):
    return {ptxas.plain_name(name): (count, spilled) for name, count, spilled in ptxas.read_report(said)}


def measure_in_cuda(examples, wanted):
    """The registers of the roles of these names, cut from the CUDA."""
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        for each in examples:
            if own := wanted & {ptxas.alone(kernel, role) for kernel in each.names for role in ptx_roles.KINDS}:
                source = os.path.join(folder, os.path.basename(each.emitted))
                shutil.copy(each.emitted.removesuffix(".cu") + ".h", folder)
                with open(source, "w") as file:
                    file.write(ptxas.roles_alone(each.text, own))
                measured |= registers_in(nvcc(source, "-cubin"))
    return measured


def is_off(role, registers):
    predicted = role["predicted_registers"]
    return registers > predicted if role["prediction_is_bound"] else abs(predicted / registers - 1) > TOLERANCE


def name_of(kernel, role):
    """That of the kernel that has the role alone."""
    return ptxas.alone(kernel, "producer" if role["kind"] == "scanner" else role["kind"])  # one warpgroup, and so one number


def compare(name, role, measured):
    """The number of failures of one role; prints its line."""
    registers, spilled = measured
    predicted, is_bound = role["predicted_registers"], role["prediction_is_bound"]
    reason = MISSES.get((name, role["kind"]))
    wrong = is_off(role, registers) != bool(reason)
    expected = f"at most {predicted}" if is_bound else f"{predicted} ({100 * (predicted / registers - 1):+.1f} %)"
    print(f"{'FAIL ' if wrong else ''}{name}, {role['kind']}: tiles {role['tile_registers']}, predicted {expected}, "
          f"ptxas {registers}, {spilled} bytes spilled" + (f"; a known miss: {reason}" if reason else ""))
    return wrong


def check(report, compiled, may_spill):
    """The number of failures of one kernel."""
    name, registers = report["kernel"], compiled.registers
    failures = 0
    if registers[name][1] and not (may_spill and any(role["may_not_fit"] for role in report["roles"])):
        failures += 1
        print(f"FAIL {name}: {registers[name][1]} bytes spilled")
    for role in report["roles"]:
        failures += compare(name, role, registers.get(name_of(name, role), registers[name]))
    return failures


def judge(examples, compiled, may_spill):
    """The numbers of failures and of kernels."""
    reports = [report for each in examples for report in each.reports]
    off = {alone for report in reports for role in report["roles"]
           if (alone := name_of(report["kernel"], role)) in compiled.registers and is_off(role, compiled.registers[alone][0])}
    compiled.registers.update(measure_in_cuda(examples, off))
    failures = sum(check(report, compiled, may_spill) for report in reports)
    for line in compiled.said.splitlines():
        if re.search(r"\bC7\d\d\d\b|warning|Potential Performance Loss", line):
            failures += 1
            print(f"FAIL {line}")
    if len(compiled.hazards) != len(reports):
        failures += 1
        print(f"FAIL {len(compiled.hazards)} kernels are in the PTX when {len(reports)} were compiled")
    for name, (_, wrong) in compiled.hazards.items():
        failures += len(wrong)
        print("".join(f"FAIL {name}: {each}\n" for each in wrong), end="")
    return failures, len(reports)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", default="1/1", metavar="N/OF", help="of the examples and the package's kernels")
    parser.add_argument("source", nargs="?", metavar="FILE.tk")
    parser.add_argument("instances", nargs="*", metavar="INSTANCE")
    chosen = parser.parse_args()
    if chosen.source:
        examples = [Example(chosen.source, chosen.instances)]
    else:
        folders = (os.path.join(toolchain.SOURCE, *folder) for folder in (("dsl-examples",), ("tools", "python", "src", "tkc", "kernels")))
        sources = sorted(source for folder in folders for source in glob.glob(os.path.join(folder, "*.tk")))
        stems = [os.path.splitext(os.path.basename(source))[0] for source in sources]
        examples = part_of([Example(source, MORE.get(stem, [])) for source, stem in zip(sources, stems)],
                           *map(int, chosen.part.split("/")))
    with tempfile.TemporaryDirectory() as folder:
        failures, kernels = judge(examples, compile_together(examples, folder), may_spill=bool(chosen.source))
    print(f"{len(examples)} examples, {kernels} kernels, {failures} failures")
    return 1 if failures or not kernels else 0


sys.exit(main())
