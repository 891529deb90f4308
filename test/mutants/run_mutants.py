"""run_mutants.py - The emulator must notice everything that is wrong with an emitted kernel.

Usage: run_mutants.py [KERNEL...] [--seeds 20] [--jobs 2] [--only TEXT] [--table FILE]

Each KERNEL of subjects.py must run without a fault, and to the same result, under every timing, for --seeds
seeds each. Then each of its statements that synchronise is dropped, weakened or shifted, one at a time (see
mutate.py). A mutant is caught if the emulator reports a fault or its outputs differ. One that survives must be
redundant for a reason that subjects.py gives; any other fails the test. --table writes the numbers into the
table of docs/emulator.md, and keeps the rows of kernels that did not run.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "tools", "python")]

import mutate
from subjects import SUBJECTS
from tkc_run import abi, builds
from tkc_run.pages import read_table, replace_table
from tkc_run.backends import EMULATOR_TIMINGS, set_emulator

MUTANT_SEEDS = range(2)  # each in all timings
DIFFERENT = "the outputs differ"
BATCH = 8  # mutants of one process, each in a child of it
TIMEOUT = 900  # seconds of one process, on a busy machine; the emulator itself ends deadlocks at once


# ---- one process: one library, one mutant ------------------------------------------------------


@dataclass(frozen=True)
class NotCalled:
    code: int = 1


class Run:
    """One call of a kernel as a case makes it, which can be repeated: every tensor then begins as it did before."""

    seconds = 0.0  # as a Backend has

    def __init__(self, function, case):
        case.check(self, function)

    def call(self, kernel, tensors, scalars=()):
        """What a case calls; nothing runs, so the case has nothing to judge."""
        self.kernel, self.tensors, self.scalars = kernel, tensors, list(scalars)
        self.begin = [tensor.buffer.copy() for tensor in tensors]
        return NotCalled()

    def repeat(self, library):
        """The status, and all bytes of all tensors afterwards."""
        for tensor, begin in zip(self.tensors, self.begin):
            tensor.buffer[:] = begin
        function = abi.function(library, self.kernel, len(self.tensors), [type(s) for s in self.scalars])
        status = function(*[tensor.view() for tensor in self.tensors], *self.scalars, None)
        return status, b"".join(tensor.buffer.tobytes() for tensor in self.tensors)


def publish(outputs, path):
    """What the file holds that all runs are compared with: `outputs`, unless another run wrote it first."""
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path)) as file:
        file.write(outputs)
        file.flush()
        try:
            os.link(file.name, path)
        except FileExistsError:
            pass
    with open(path, "rb") as file:
        return file.read()


def first_problem(runs, path, seeds, truth):
    """Runs all timings, with each of `seeds`. The first problem, and the run that shows it; `truth` is a file."""
    library = ctypes.CDLL(path)
    wanted = None
    for seed in seeds:
        for timing in EMULATOR_TIMINGS:
            set_emulator(seed, timing)
            got = b""
            for run in runs:
                status, outputs = run.repeat(library)
                if status.code:
                    return f"{timing} {seed}", str(status)
                got += outputs
            wanted = wanted or publish(got, truth)
            if got != wanted:
                return f"{timing} {seed}", DIFFERENT
    return "", ""


def run_one(runs, path, seeds, truth, number):
    """In a child, so that no mutant can harm another: verdict, the run that shows it, and its problem."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(TIMEOUT)
        os.environ["TK_MUTANT"] = str(number)
        try:
            outcome = first_problem(runs, path, seeds, truth)
        except (OSError, AttributeError) as error:  # no such library or function
            outcome = "", str(error)
        os.write(writer, json.dumps(outcome).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return "hung", "", f"no end within {TIMEOUT} s"
    if status or not text:
        return "crashed", "", f"the process ended with {status}"
    shown_by, problem = json.loads(text)
    if not problem:
        return "survives", "", ""
    if problem == DIFFERENT:
        return "wrong", shown_by, problem
    return "fault" if problem.startswith("emulator fault") else "crashed", shown_by, problem


def run_here(subject, path, seeds, truth, numbers):
    """Prints a line of JSON per mutant."""
    runs = [Run(subject.function, make()) for make in subject.cases]
    for number in numbers:
        print(json.dumps(run_one(runs, path, seeds, truth, number)), flush=True)


# ---- the driver --------------------------------------------------------------------------------


class Campaign:
    """All mutants of one kernel. Whatever takes time is done by the workers of `pool`, which campaigns share."""

    def __init__(self, name, folder, pool, seeds, only):
        self.name, self.subject, self.folder, self.pool = name, SUBJECTS[name], folder, pool
        self.seeds, self.only = seeds, only
        self.selector = os.path.join(folder, "tk_mutant.h")
        self.truth = os.path.join(folder, "truth")

    def prepare(self):
        """Emits the kernel and finds its mutants; the library of all that can be compiled together."""
        self.source = self.emit()
        with open(self.header_path() or self.source) as file:
            self.text = file.read()
        if self.source != self.subject.source and not self.subject.header:
            self.text = mutate.kernel_alone(self.text, self.subject.function)
        with open(self.selector, "w") as file:
            file.write(mutate.SELECTOR)
        self.mutants = [m for m in enumerate(mutate.mutants(self.text), 1) if self.only in m[1].where]
        return self.build("all", mutate.with_choice(self.text, [m for m in self.mutants if m[1].together]))

    def emit(self):
        """The emitted file."""
        if self.subject.source.endswith(".cu"):
            return self.subject.source
        kernels = builds.Kernels(self.subject.source, [f"--instantiate={i}" for i in self.subject.instances])
        return os.path.join(kernels.text("cuda"), kernels.file_name("cuda"))

    def header_path(self):
        return self.subject.header and os.path.join(builds.toolchain.SOURCE, "runtime", "hopper", self.subject.header)

    def build(self, name, text):
        """The library of the kernel, or of the runtime's header, that has become `text`."""
        where = os.path.join(self.folder, name)
        os.mkdir(where)
        for beside in os.listdir(os.path.dirname(self.source)):
            if beside.endswith(".h"):
                shutil.copy(os.path.join(os.path.dirname(self.source), beside), where)
        source = os.path.join(where, os.path.basename(self.source))
        if self.subject.header:
            shutil.copy(self.source, source)
        mutated = os.path.join(where, self.subject.header) if self.subject.header else source
        os.makedirs(os.path.dirname(mutated), exist_ok=True)
        with open(mutated, "w") as file:
            file.write(text)
        library = os.path.join(where, "kernel.so")
        command = builds.compile_command("emulator", source, library, has_own_headers=True, is_optimized=True)
        builds.run(command[:1] + ["-include", self.selector, "-I", where] + command[1:], f"building {name}")
        return library

    def run_apart(self, library, numbers, seeds):
        """Runs mutants of one library: verdict, run and report of each."""
        seeds = f"{seeds[0]}:{seeds[-1] + 1}"
        command = [sys.executable, os.path.abspath(__file__), "--run", library, self.name, self.truth, seeds]
        # Without a path there is no addr2line, which would search longer for lines than the mutants run.
        environment = {**os.environ, "TK_EMULATOR_SMS": "1", "PATH": ""}
        done = subprocess.run(command + [str(n) for n in numbers], capture_output=True, text=True, env=environment)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        return results + [("crashed", "", done.stderr[-300:])] * (len(numbers) - len(results))

    def alone(self, number, mutant):
        """Builds and runs a mutant that cannot be compiled with others."""
        try:
            library = self.build(f"mutant{number}", mutate.with_one(self.text, mutant))
        except builds.BuildError as error:
            return [("invalid", "", str(error).strip().splitlines()[-1])]
        return self.run_apart(library, [number], MUTANT_SEEDS)

    def unmodified(self, library):
        """The first outcome of the kernel as it is that is not right, or one that is."""
        runs = [self.pool.submit(self.run_apart, library, [0], [seed]) for seed in range(self.seeds)]
        outcomes = [outcome for run in runs for outcome in run.result()]
        return next((outcome for outcome in outcomes if outcome[0] != "survives"), outcomes[0])

    def outcomes(self, library):
        """The verdict, run and report of each mutant, in their order."""
        together = [n for n, m in self.mutants if m.together]
        batches = [together[i : i + BATCH] for i in range(0, len(together), BATCH)]
        futures = [(batch, self.pool.submit(self.run_apart, library, batch, MUTANT_SEEDS)) for batch in batches]
        futures += [([n], self.pool.submit(self.alone, n, m)) for n, m in self.mutants if not m.together]
        results = {}
        for numbers, future in futures:
            results.update(zip(numbers, future.result()))
        return [results[n] for n, _ in self.mutants]

    def run(self):
        """A line per mutant; the counts by verdict, and by the reasons of those that are redundant."""
        library = self.pool.submit(self.prepare).result()
        verdict, run, problem = self.unmodified(library)
        lines = [f"{self.name}: unmodified, {self.seeds} seeds x {len(EMULATOR_TIMINGS)} timings: "
                 f"{'right' if verdict == 'survives' else f'{verdict} {run} {problem}'}"]
        counts, reasons = collections.Counter(unmodified=verdict != "survives"), collections.Counter()
        outcomes = [] if counts["unmodified"] else self.outcomes(library)
        for (_, mutant), (verdict, run, report) in zip(self.mutants, outcomes):
            if verdict == "survives" and (why := self.subject.reason(mutant.place)):
                verdict, report = "redundant", why
                reasons[report] += 1
            elif verdict == "survives":
                verdict = "SURVIVES"
            counts[verdict] += 1
            report = report.replace("\n", " ").removeprefix(f"emulator fault: {self.subject.function}: ")
            lines.append(f"{mutant.line:4}  {mutant.change:20}  {mutant.statement[:60]:60}  {verdict:9}  {run:16}  {report}")
        return lines, counts, reasons


def campaign(name, pool, seeds, only):
    with tempfile.TemporaryDirectory() as folder:
        return Campaign(name, folder, pool, seeds, only).run()


def campaigns(names, jobs, seeds, only):
    """Runs all at once, and prints each when it and those before it are done. Counts and reasons by name."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, concurrent.futures.ThreadPoolExecutor(len(names)) as watchers:
        for name, watched in [(name, watchers.submit(campaign, name, pool, seeds, only)) for name in names]:
            lines, *results[name] = watched.result()
            print("\n".join(lines), flush=True)
    return results


def unexplained(counts):
    """What the test fails for."""
    return counts["SURVIVES"] + counts["hung"] + counts["crashed"] + counts["unmodified"]


HEADER = ["| kernel | mutants | fault reported | wrong result | redundant, see below | unexplained |", "|---|---|---|---|---|---|"]


def read_rows(path):
    """The rows of the table by kernel, and by kernel the counts of the reasons below it."""
    rows, reasons = {}, collections.defaultdict(dict)
    for line in read_table(path, "mutants")[len(HEADER):]:
        if line.startswith("|"):
            rows[line.split("|")[1].strip()] = line
        elif found := re.fullmatch(r"\* (.*) \((.*)\)", line):
            for name, count in re.findall(r"(\w+): (\d+)", found[2]):
                reasons[name][found[1]] = int(count)
    return rows, reasons


def write_table(path, results):
    """Keeps the rows of kernels that did not run."""
    rows, reasons = read_rows(path)
    for name, (counts, own_reasons) in results.items():
        total = sum(counts[verdict] for verdict in ("fault", "wrong", "redundant", "SURVIVES", "hung", "crashed"))
        rows[name] = f"| {name} | {total} | {counts['fault']} | {counts['wrong']} | {counts['redundant']} | {unexplained(counts)} |"
        reasons[name] = own_reasons
    names = [name for name in SUBJECTS if name in rows]
    lines = HEADER + [rows[name] for name in names]
    by_reason = collections.defaultdict(list)
    for name in names:
        for reason, count in reasons[name].items():
            by_reason[reason].append(f"{name}: {count}")
    for reason, kernels in by_reason.items():
        lines += ["", f"* {reason} (" + ", ".join(kernels) + ")"]
    replace_table(path, "mutants", lines)


def main():
    if sys.argv[1:2] == ["--run"]:
        path, name, truth, seeds, *numbers = sys.argv[2:]
        run_here(SUBJECTS[name], path, range(*map(int, seeds.split(":"))), truth, map(int, numbers))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", choices=[[], *SUBJECTS], default=[], metavar="KERNEL")
    parser.add_argument("--seeds", type=int, default=20, help="of the unmodified kernel, in each timing")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="mutants whose line in the table contains this")
    parser.add_argument("--table", metavar="FILE", help="the page whose table is to be written")
    chosen = parser.parse_args()
    results = campaigns(chosen.kernels or list(SUBJECTS), chosen.jobs, chosen.seeds, chosen.only)
    failures = 0
    for name, (counts, _) in results.items():
        failures += unexplained(counts)
        print(f"{name}: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count))
        if not counts["fault"]:
            failures += 1
            print(f"{name}: no mutant was caught: the names of the runtime's functions have changed")
    if chosen.table:
        write_table(chosen.table, results)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
