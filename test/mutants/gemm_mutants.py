"""gemm_mutants.py - The emulator must notice every missing wait, fence and barrier of the emitted GEMM.

Usage: gemm_mutants.py [--emitted FOLDER] [--seeds 20] [--jobs 2] [--weaker]

The unmodified kernel must be right under every timing, for --seeds seeds each. Then each synchronising
statement of it is deleted, one at a time (--weaker: weakened instead, see mutate.py), and the emulator
must end each mutant with a fault, or its numbers must be wrong. Prints a table; fails if one survives.

The shape fills the ring of 4 stages more than twice for each tile, gives each of the 4 multiprocessors
at least two tiles, and has edges in all directions.
"""
import argparse
import concurrent.futures
import ctypes
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))

from mutate import deletions, weakenings
from tkc_run import abi, builds
from tkc_run.gemm import Gemm, Shape
from tkc_run.ways import EMULATOR_TIMINGS, set_emulator

SHAPE = Shape(300, 523, 601, 8)
MUTANT_SEEDS = 2  # of each timing
TIMEOUT = 600  # seconds of one process, on a busy machine; the emulator itself ends deadlocks at once


class Library:
    """A way of tkc_run made of a shared object that is there already."""

    name = "emulator"

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.seconds = 0.0

    def call(self, kernel, tensors):
        function = abi.function(self.library, kernel, len(tensors))
        return function(*[tensor.view() for tensor in tensors], None)


def first_problem(path, seeds):
    """Runs all timings and seeds; the first problem, and the run that shows it."""
    gemm, way = Gemm(SHAPE, 1), Library(path)
    for seed in range(seeds):
        for timing in EMULATOR_TIMINGS:
            set_emulator(seed, timing)
            problem = gemm.check(way).problem
            if problem:
                return f"{timing} {seed}", problem
    return "", ""


def run_apart(path, seeds):
    """The same in a process of its own, so that no mutant can harm another."""
    command = [sys.executable, os.path.abspath(__file__), "--run", path, "--seeds", str(seeds)]
    environment = {**os.environ, "TK_EMULATOR_SMS": "4"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, env=environment)
    except subprocess.TimeoutExpired:
        return "hung", "", f"no end within {TIMEOUT} s"
    if done.returncode not in (0, 3):
        return "crashed", "", f"the process ended with {done.returncode}: {done.stderr[-300:]}"
    if done.returncode == 0:
        return "clean", "", ""
    shown_by, problem = done.stdout.rstrip("\n").split("\t", 1)
    return ("fault" if problem.startswith("emulator fault") else "wrong"), shown_by, problem


def build_and_run(folder, name, text, header, seeds):
    where = os.path.join(folder, name)
    os.mkdir(where)
    source = os.path.join(where, "gemm.cu")
    for path, content in ((source, text), (os.path.join(where, "gemm.h"), header)):
        with open(path, "w") as file:
            file.write(content)
    library = os.path.join(where, "gemm.so")
    builds.run(builds.compile_command("emulator", source, library), f"building {name}")
    return run_apart(library, seeds)


def read(path):
    with open(path) as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--emitted", default=os.path.join(os.path.dirname(__file__), "..", "golden"))
    parser.add_argument("--seeds", type=int, default=20, help="of the unmodified kernel, in each timing")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--weaker", action="store_true", help="weaken statements instead of deleting them")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.run:
        shown_by, problem = first_problem(chosen.run, chosen.seeds)
        if problem:
            print(shown_by, problem.replace("\n", " "), sep="\t")
        return 3 if problem else 0

    text, header = (read(os.path.join(chosen.emitted, f"gemm.{kind}")) for kind in ("cu", "h"))
    mutants = list((weakenings if chosen.weaker else deletions)(text))
    survivors = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        clean = pool.submit(build_and_run, folder, "unmodified", text, header, chosen.seeds)
        runs = [pool.submit(build_and_run, folder, f"mutant{i}", mutant.text, header, MUTANT_SEEDS)
                for i, mutant in enumerate(mutants)]
        verdict, shown_by, problem = clean.result()
        print(f"unmodified, {SHAPE}, {chosen.seeds} seeds x {len(EMULATOR_TIMINGS)} timings: {verdict}", problem, flush=True)
        print(f"{'line':>4}  {'change':18}  {'statement':44}  {'verdict':7}  {'timing, seed':16}  report")
        for mutant, future in zip(mutants, runs):
            found, timing, report = future.result()
            survivors += found == "clean"
            report = report.removeprefix("emulator fault: gemm: ")
            print(f"{mutant.line:4}  {mutant.change:18}  {mutant.statement[:44]:44}  "
                  f"{'SURVIVES' if found == 'clean' else found:7}  {timing:16}  {report}", flush=True)
            survivors += found in ("hung", "crashed")  # the host must not suffer from a wrong kernel
    print(f"{len(mutants)} mutants, {len(mutants) - survivors} caught, {survivors} not")
    if not mutants:
        print("there is nothing to mutate: the names of the runtime's functions have changed")
    return 1 if survivors or verdict != "clean" or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
