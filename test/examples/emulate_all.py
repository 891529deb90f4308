#!/usr/bin/env python3
"""emulate_all.py - Every example, under every scheduler of the emulator, beside its reference.

Usage: emulate_all.py [--seeds 20] [--jobs N] [--table FILE] [EXAMPLE ...]
Runs `tkc run --emulate` on each file of dsl-examples, at the shapes around its tiles (1, tile - 1, tile, tile + 1,
several tiles). Of an example that is not right, the first report. --table writes what ran, as far as it was right, into the
table of docs/emulator.md, and keeps the rows of examples that did not run.
"""
import argparse
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python"))
from tkc_run import families, toolchain
from tkc_run.pages import read_table, replace_table

FOLDER = os.path.join(toolchain.SOURCE, "dsl-examples")

RIGHT = re.compile(r"\w+: (\d+) runs are right: (\d+) shapes x (\d+) seeds x (\d+) policies")


def run(name, chosen):
    """The status, and a row of the table: kernels, shapes of each, runs, seconds."""
    command = [toolchain.find_tkc(), "run", "--emulate", os.path.join(FOLDER, name), f"--seeds={chosen.seeds}",
               f"--jobs={chosen.jobs}", *families.emulation_arguments(os.path.splitext(name)[0])]
    start = time.monotonic()
    print(f"{name}:", flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    found = [[int(number) for number in match] for match in RIGHT.findall(done.stdout)]
    shapes = map(str, sorted({shapes for _, shapes, _, _ in found}))
    runs = sum(runs for runs, *_ in found)
    return done.returncode, f"| {name} | {len(found)} | {' or '.join(shapes)} | {runs} | {time.monotonic() - start:.0f} ({chosen.jobs}) |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", metavar="FILE", help="the page whose table is to be written")
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help="like gemm.tk; default: all")
    chosen = parser.parse_args()
    found = sorted(name for name in os.listdir(FOLDER) if name.endswith(".tk"))
    for name in chosen.examples:
        if name not in found:
            sys.exit(f"error: there is no example '{name}'; there are {', '.join(found)}")
    start = time.monotonic()
    header = [f"| example | kernels | shapes of each | runs, {chosen.seeds} seeds x 5 schedulers | seconds (jobs) |", "|---|---|---|---|---|"]
    rows = {}
    if chosen.table and chosen.examples:
        rows = {row.split("|")[1].strip(): row for row in read_table(chosen.table, "runs")[len(header):]}
    failures = 0
    for name in chosen.examples or found:
        status, row = run(name, chosen)
        failures += status != 0
        rows.pop(name, None)
        if not status:
            rows[name] = row
        if chosen.table:
            replace_table(chosen.table, "runs", header + [rows[name] for name in sorted(rows)])
    verdict = f"{failures} examples are not right" if failures else "all examples are right"
    print(f"{verdict}, in {time.monotonic() - start:.0f} s")
    return 1 if failures else 0


sys.exit(main())
