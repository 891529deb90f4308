"""emulate.py - `tkc run --emulate` as a function.

    verdict = emulate("gemm.tk", seeds=20, shapes=["A=300x200,B=200x100"])
    for problem in verdict.problems:
        print(problem.problem, problem.report, problem.again)

tkc does all the work, in processes of its own; see `tkc run --help` and docs/emulator.md.
"""
import json
import os
import subprocess
from dataclasses import dataclass

from . import toolchain


class EmulateError(RuntimeError):
    """tkc could not run the kernels at all; the text is what it said."""


@dataclass(frozen=True)
class Problem:
    """A run that went wrong, and how to repeat it."""

    kernel: str
    shape: str
    seed: int
    policy: str  # empty if the reference or the call itself failed
    problem: str  # in a sentence
    report: str  # the emulator's, if it found a fault
    again: str  # the command


@dataclass(frozen=True)
class Verdict:
    runs: dict  # of each kernel, how many
    problems: list  # of Problem
    seconds: float


def emulate(source, *, arguments=(), kernels=(), emitted=None, shapes=(), scalars=None, seeds=None, seed=None,
            policies=(), reference=True, keep_going=False, jobs=None):
    """Runs the kernels of a .tk file under the emulator's schedulers and compares them with the reference.

    arguments   handed on to tkc: --instantiate=..., -D...
    emitted     a .cu that runs in place of what tkc would write
    shapes      texts like "A=129x65,B=65x257"; none: those around the kernels' tiles
    scalars     values by name
    seeds, seed how many, or the only one
    """
    options = [f"--kernel={name}" for name in kernels] + [f"--shape={shape}" for shape in shapes]
    options += [f"--set={name}={value}" for name, value in (scalars or {}).items()]
    options += [f"--policy={policy}" for policy in policies]
    for name, value in (("emitted", emitted), ("seeds", seeds), ("seed", seed), ("jobs", jobs)):
        if value is not None:
            options.append(f"--{name}={value}")
    options += ["--no-reference"] * (not reference) + ["--keep-going"] * keep_going
    done = subprocess.run([toolchain.find_tkc(), "run", "--emulate", "--json", source, *arguments, *options],
                          capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise EmulateError(done.stderr.strip() or f"tkc ended with status {done.returncode}") from None
    return Verdict({kernel["name"]: kernel["runs"] for kernel in answer["kernels"]},
                   [Problem(**problem) for problem in answer["problems"]], answer["seconds"])
