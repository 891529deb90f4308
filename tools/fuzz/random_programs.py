#!/usr/bin/env python3
"""random_programs.py - Random .tk programs: the reference against the emulator, or a GPU.

The same --seed gives the same programs, values and timings. A failing program is made small and written
to --keep, in the form of test/fuzz/programs; run with --seed N --count 1 to see one program again.
`--reference-only` needs no tkc: it compiles each program as C++ and compares its results with what the generator
promises of them. For a GPU where there is no tkc, `--emit-to` writes the text here and `--emitted` runs it there, with the
same --seed, --count and --batch.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "python")]
from programs.features import TABLE, chosen
from programs.generate import generate
from programs.harness import build_batch, emit_alone, emit_batch, run_batch, run_built
from programs.pinned import load_all, save
from programs.shrink import shrink


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first program; the others count up")
    parser.add_argument("--batch", type=int, default=50, help="programs in one file")
    parser.add_argument("--features", help="'all', or changes of the default: '+masks,-half'; see programs/features.py")
    parser.add_argument("--reference-only", action="store_true")
    parser.add_argument("--backend", default="emulator", choices=("emulator", "uncontracted", "gpu"),
                        help="what is compared with the reference")
    parser.add_argument("--emit-to", metavar="FOLDER", help="run nothing: write the batches there")
    parser.add_argument("--emitted", metavar="FOLDER", help="run the batches written there")
    parser.add_argument("--pinned", metavar="FOLDER", help="run the programs kept there, in place of random ones")
    parser.add_argument("--only", metavar="KIND", help="run nothing, only tkc --emit=KIND on each program by itself")
    parser.add_argument("--keep", help="a folder for failing programs")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--print", action="store_true", help="only print the programs")
    parser.add_argument("--max-refused", type=float, default=0.3, help="the part of programs that tkc may refuse")
    return parser.parse_args()


def report(outcome, options, folder):
    """Prints a failure, small, and keeps it."""
    program = outcome.program
    again = f"tools/fuzz/random_programs.py --seed {program.name[1:]} --count 1"
    print(f"FAIL {outcome.kind}: {outcome.detail.strip()[:1500]}\n  again: {again}", flush=True)
    if not options.no_shrink and not options.emitted:
        program = shrink(outcome, folder, backend_of(options))
    print(program.text(), flush=True)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        why = f"{outcome.kind}: {outcome.detail.strip().splitlines()[0][:100]}"
        save(program, why, os.path.join(options.keep, f"{outcome.kind}-{program.name}.tk"))


def first_message(text):
    """A refusal without the numbers and names of its program."""
    message = re.search(r"error: (.*)", text)
    return re.sub(r"'[^']*'|\d+", "_", message[1]) if message else text[:80]


def backend_of(options):
    return None if options.reference_only else options.backend


def outcomes_of(programs, folder, options):
    if options.only:
        return emit_alone(programs, folder, options.only)
    if options.emit_to:
        return emit_batch(programs, os.path.join(options.emit_to, programs[0].name))
    timing = int(programs[0].name[1:])
    if options.emitted:
        folder = os.path.join(options.emitted, programs[0].name)
        with open(os.path.join(folder, "programs.json")) as file:
            names = json.load(file)
        return run_built([program for program in programs if program.name in names], folder, timing, backend_of(options))
    return run_batch(programs, folder, timing, backend_of(options))


def build_emitted(options, features):
    """The libraries of all batches, side by side; exits if one cannot be built."""
    def build(name):
        folder = os.path.join(options.emitted, name)
        with open(os.path.join(folder, "programs.json")) as file:
            programs = [generate(int(program[1:]), program, features) for program in json.load(file)]
        status, text = build_batch(programs, folder, backend_of(options))
        return f"{name}: {text[:4000]}" if status else ""

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for problem in filter(None, pool.map(build, sorted(os.listdir(options.emitted)))):
            sys.exit(f"error: {problem}")


def run_pinned(options):
    """Every program that was kept must be right now; the exit status."""
    programs = load_all(options.pinned)
    with tempfile.TemporaryDirectory() as folder:
        outcomes = run_batch(programs, folder, 0, options.backend)
    wrong = [outcome for outcome in outcomes if outcome.kind != "right"]
    for outcome in wrong:
        print(f"FAIL {outcome.program.name} {outcome.kind}: {outcome.detail.strip()[:1500]}")
    print(f"{len(programs)} programs, {len(wrong)} wrong")
    return 1 if wrong or not programs else 0


def main():
    options = parse()
    if options.pinned:
        return run_pinned(options)
    features = chosen(options.features)
    if options.print:
        for seed in range(options.seed, options.seed + options.count):
            print(generate(seed, f"k{seed}", features).text())
        return 0
    if options.emitted:
        build_emitted(options, features)
    counts, refusals, last = collections.Counter(), collections.defaultdict(list), time.monotonic()
    start = last
    with tempfile.TemporaryDirectory() as folder:
        for first in range(options.seed, options.seed + options.count, options.batch):
            seeds = range(first, min(first + options.batch, options.seed + options.count))
            programs = [generate(seed, f"k{seed}", features) for seed in seeds]
            for outcome in outcomes_of(programs, folder, options):
                counts[outcome.kind] += 1
                if outcome.kind == "refused":
                    refusals[first_message(outcome.detail)].append(outcome.program.name)
                elif outcome.failed:
                    report(outcome, options, folder)
            if time.monotonic() - last > 10:
                last = time.monotonic()
                print(f"{sum(counts.values())} of {options.count}: {dict(counts)}", flush=True)
    for message, names in sorted(refusals.items(), key=lambda entry: -len(entry[1])):
        print(f"refused {len(names)}: {message} ({', '.join(names[:4])})")
    print(f"{sum(counts.values())} programs in {time.monotonic() - start:.0f} s: {dict(counts)}, "
          f"{len(features)} of {len(TABLE)} features")
    failed = sum(count for kind, count in counts.items() if kind not in ("right", "refused"))
    if counts["refused"] > options.max_refused * options.count:
        print(f"too many are refused: {counts['refused']}")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
