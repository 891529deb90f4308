#!/usr/bin/env python3
"""compare.py - What tkc says about registers against what ptxas does, over many kernels.

Usage: compare.py [--each N] [--seed S] [--cache FOLDER] [FILE.tk ...]
Compiles the files and N programs of each family (families.py). A kernel fits if ptxas neither spills nor serialises
wgmma in it. What ptxas said is kept in the cache under a hash of the emitted text, so that a second run compiles
only what has changed. Half of the programs, by their number, is the one to fit numbers to; the other half judges.
The exit status is 1 if a kernel that does not fit was not warned of, or more than 10 % of those that fit were.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "python")]
from families import programs
from tkc_run import builds, ptxas, toolchain

TOO_CAREFUL = 0.10


def ask_ptxas(text, folder, cache):
    """{kernel: [registers, spilled bytes, [code of a warning]]} of emitted text."""
    plain = re.sub(r"^(//|\s*//).*$|\[\[maybe_unused\]\]", "", text, flags=re.M)
    kept = os.path.join(cache, hashlib.sha256((builds.runtime_hash() + plain).encode()).hexdigest()[:20] + ".json")
    if not os.path.exists(kept):
        with tempfile.TemporaryDirectory() as temporary:
            command = [toolchain.find_nvcc(), *builds.NVCC_FLAGS, *builds.includes("gpu"), "-I", folder, "-Xptxas", "-v", "-cubin", "-x", "cu", "-",
                       "-o", os.path.join(temporary, "k.cubin")]
            done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise builds.BuildError(done.stdout)
        found = {ptxas.plain_name(name): [registers, spilled, []] for name, registers, spilled in ptxas.read_report(done.stdout)}
        for code, symbol in re.findall(r"\((C7\d\d\d)\).*?function '(\w+)'", done.stdout):
            found[ptxas.plain_name(symbol)][2].append(code)
        with open(kept + ".part", "w") as file:
            json.dump(found, file)
        os.replace(kept + ".part", kept)
    with open(kept) as file:
        return json.load(file)


def tkc(source, *arguments):
    return subprocess.run([toolchain.find_tkc(), source, *arguments], capture_output=True, text=True)


def examine(source, cache):
    """(what tkc refused, or None; [(kernel, report, what ptxas did)])."""
    with tempfile.TemporaryDirectory() as folder:
        emitted = os.path.join(folder, "kernel.cu")
        done = tkc(source, "-o", emitted)
        if done.returncode:
            return next((line for line in done.stderr.splitlines() if "error" in line), done.stderr), []
        with open(emitted) as file:
            said = ask_ptxas(file.read(), folder, cache)
    reports = json.loads(tkc(source, "--emit=report-json", "-Wno-tk-perf").stdout)["kernels"]
    return None, [(report["kernel"], report, said[report["kernel"]]) for report in reports]


def judge(results):
    """Prints how often the report is wrong; true if that is too often."""
    sets = {"fitted": [], "held out": []}
    for place, (name, (_, kernels)) in enumerate(sorted(results.items())):
        for kernel, report, (registers, spilled, codes) in kernels:
            warned = any(role["may_not_fit"] for role in report["roles"])
            fits = not spilled and not codes
            sets["held out" if place % 2 else "fitted"].append((warned, fits))
            if warned or not fits:
                what = "fits" if fits else f"{spilled} bytes spilled {' '.join(sorted(set(codes)))}"
                print(f"{'' if warned else 'MISSED '}{name}, {kernel}: {'may not fit' if warned else 'no warning'}, ptxas: {what}")
    failures = 0
    for kind, kernels in sets.items():
        missed = sum(not warned and not fits for warned, fits in kernels)
        fine = sum(fits for warned, fits in kernels)
        careful = sum(warned and fits for warned, fits in kernels)
        failures += missed > 0 or careful > TOO_CAREFUL * fine
        print(f"{kind}: {len(kernels)} kernels, {len(kernels) - fine} do not fit, {missed} of them without a warning; "
              f"{careful} of {fine} that fit are warned of ({100 * careful / max(1, fine):.1f} %)")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--each", type=int, default=40, help="programs of each family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "tkc-registers"))
    parser.add_argument("--table", help="write what was found here, as JSON")
    options = parser.parse_args()
    os.makedirs(options.cache, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        sources = {os.path.splitext(os.path.basename(name))[0]: name for name in options.files}
        for name, text in programs(options.each, options.seed):
            sources[name] = os.path.join(folder, name + ".tk")
            with open(sources[name], "w") as file:
                file.write(text)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = dict(zip(sources, pool.map(lambda source: examine(source, options.cache), sources.values())))
    if options.table:
        with open(options.table, "w") as file:
            json.dump(results, file)
    refused = sum(bool(why) for why, kernels in results.values())
    print(f"{len(results)} programs, {refused} refused")
    return 1 if judge(results) else 0


if __name__ == "__main__":
    sys.exit(main())
