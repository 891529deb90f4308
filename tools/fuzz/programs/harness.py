"""harness.py - Many programs in one file: compiled, run on two backends, compared.

The reference of a program is the program itself as C++; its C functions are written here and not by
tkc, so that it needs nothing from the compiler under test. The other way is the emitted CUDA, on the
emulator or on a GPU. A batch runs in a process of its own, for what is wrong may crash.
"""
import ctypes
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import traceback
import zlib
from dataclasses import dataclass

import numpy as np

from tkc_run import abi, toolchain, unoptimized
from tkc_run.builds import EMULATOR_FLAGS, compile_command, emulator_library, flags, includes
from tkc_run.tensors import HostTensor
from tkc_run.backends import EMULATOR_TIMINGS, Backend, set_emulator

from . import bounds
from .tree import INITIAL

DTYPES = {"bf16": abi.BF16, "half": abi.F16, "float": abi.F32}
SCALARS = {"int": ctypes.c_int, "float": ctypes.c_float}
TIME_LIMIT = 600  # seconds for a batch; the emulator notices a deadlock at once
GPU_TIME_LIMIT = 60  # seconds for a program, which takes milliseconds
FLAGS = ["-std=c++20", "-O0", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-ffp-contract=off", "-w"]


@dataclass
class Outcome:
    """What became of a program: right, refused (by tkc, with a message), or a failure."""

    program: object
    kind: str  # right, refused, compiler, reference, build, status, wrong, crash
    detail: str = ""

    @property
    def failed(self):
        return self.kind not in ("right", "refused")


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIME_LIMIT)
    return done.returncode, done.stdout


def write(programs, folder):
    """The .tk file of a batch; its path."""
    path = os.path.join(folder, "batch.tk")
    with open(path, "w") as file:
        file.write("\n".join(program.text() for program in programs))
    return path


def reference_text(programs, source):
    """C functions that call the kernels as the C++ functions they are."""
    lines = ["#include <language/reference.h>", f'#include "{source}"']
    for program in programs:
        names = [tensor.name for tensor in program.tensors]
        parameters = [f"const tk_tensor *{name}" for name in names]
        parameters += [f"{kind} {name}" for kind, name, _ in program.scalars]
        arguments = [f"tk::reference::tensor({name})" for name in names] + [name for _, name, _ in program.scalars]
        lines.append(f'extern "C" tk_status reference_{program.name}({", ".join([*parameters, "tk_stream"])}) {{\n'
                     f'  {program.name}({", ".join(arguments)});\n  return {{}};\n}}')
    return "\n".join(lines) + "\n"


class Built:
    """The libraries of a batch, as a Backend wants them."""

    def __init__(self, folder):
        self.folder = folder

    def load(self, backend):
        return ctypes.CDLL(os.path.join(self.folder, backend + ".so"))


def compiler():
    return [unoptimized.compiler()] if unoptimized.is_built() else ["g++", "-fno-gnu-unique"]


def build(backend, source, output):
    if backend == "gpu":
        return run(compile_command(backend, source, output))
    if backend in EMULATOR_FLAGS and unoptimized.is_built():
        return run(unoptimized.command(backend, source, output, options=["-w", "-g0"]))
    command = [*compiler(), *FLAGS, *includes(backend)]
    if backend in EMULATOR_FLAGS:
        command += [*flags("emulator/kernel"), *flags(EMULATOR_FLAGS[backend]), "-x", "c++", source, "-x", "none",
                    emulator_library(), "-lboost_context"]
    else:
        command += [source]
    return run([*command, "-o", output])


def emit(source, output, kind="cuda"):
    tkc = os.path.join(toolchain.build_folder(), "bin", "tkc")
    return run([tkc, source, f"--emit={kind}", "-o", output])


def emit_alone(programs, folder, kind):
    """What tkc says to each program by itself, up to a stage: tk is the frontend, cuda all of it."""
    outcomes = []
    for program in programs:
        status, text = emit(write([program], folder), os.path.join(folder, "batch.out"), kind)
        outcomes.append(judged(program, status, text) if status else Outcome(program, "right"))
    return outcomes


def judged(program, status, text):
    """A refusal is status 1 with a message at a place of the program."""
    proper = status == 1 and "internal error" not in text and re.search(r"batch\.tk:\d+:\d+: error: ", text)
    return Outcome(program, "refused" if proper else "compiler", text)


def combines(text, tensor):
    """Whether stores combine what they write with what the tensor holds."""
    return re.search(rf"\b(store|scatter)_(add|max|min)\({tensor},", text) is not None


class Case:
    """The tensors of one program, and its run in one way."""

    def __init__(self, program):
        self.program = program
        # The same values whatever else is in the batch.
        rng = np.random.default_rng(zlib.crc32(program.text().encode()))
        self.tensors, self.values = [], []
        for tensor in program.tensors:
            host = HostTensor(tensor.extents, tensor.padding, DTYPES[tensor.element])
            begins = tensor.output and combines(program.text(), tensor.name)
            values = None
            if not tensor.output or begins:
                count = int(tensor.top / tensor.unit) if not tensor.output else INITIAL
                values = rng.integers(-count, count + 1, tensor.extents) * (tensor.unit if not tensor.output else 1.0)
            self.tensors.append(host)
            self.values.append(values)

    def run(self, backend, name):
        """The status, and a copy of every buffer."""
        for host, values in zip(self.tensors, self.values):
            host.poison()
            if values is not None:
                host.set(values)
        status = backend.call(name, self.tensors, [SCALARS[kind](value) for kind, _, value in self.program.scalars])
        return status, [host.buffer.copy() for host in self.tensors]

    def differences(self, expected, found):
        """Empty, or a sentence about the first tensor that is not as it should be."""
        known = self.program.bounds()
        for tensor, host, right, got in zip(self.program.tensors, self.tensors, expected, found):
            outside = right.copy()
            host.inside(outside)[...] = host.inside(got)
            if not np.array_equal(outside, got):
                return f"{tensor.name}: memory outside its elements was written to"
            if not tensor.output:
                if not np.array_equal(right, got):
                    return f"the input {tensor.name} was written to"
                continue
            allowed = 2 * known[tensor.name].error
            a = host.format.from_bits(host.inside(right)).astype(np.float64)
            b = host.format.from_bits(host.inside(got)).astype(np.float64)
            with np.errstate(invalid="ignore"):
                close = (a == b) | (np.abs(a - b) <= allowed) | (np.isnan(a) & np.isnan(b))
            if not close.all():
                at = tuple(int(i) for i in np.argwhere(~close)[0])
                return (f"{tensor.name}: {np.count_nonzero(~close)} of {close.size} elements are wrong, the first at "
                        f"{list(at)}: {b[at]:.8g} when it should be {a[at]:.8g} +- {allowed:.2g}")
        return ""


def run_programs(programs, folder, timing, backend):
    """Runs built programs in this process; writes an outcome for each to outcomes.json."""
    reference = Backend("reference", Built(folder))
    tested = Backend(backend, Built(folder)) if backend else None
    with open(os.path.join(folder, "outcomes.json"), "w") as file:
        for i, program in enumerate(programs):
            case = Case(program)
            _, expected = case.run(reference, "reference_" + program.name)
            kind, detail = "right", ""
            if tested:
                set_emulator(timing + i, EMULATOR_TIMINGS[(timing + i) % len(EMULATOR_TIMINGS)])
                signal.alarm(GPU_TIME_LIMIT if backend == "gpu" else 0)
                status, found = case.run(tested, program.name)
                if status.code:
                    kind, detail = "status", str(status)
                else:
                    detail = case.differences(expected, found)
                    kind = "wrong" if detail else "right"
            else:
                kind, detail = self_check(case, expected)
            file.write(json.dumps([kind, detail]) + "\n")
            file.flush()


def self_check(case, expected):
    """Without another way: the reference's results lie within the bounds that the program promises."""
    known = case.program.bounds()
    for tensor, host, right in zip(case.program.tensors, case.tensors, expected):
        if not tensor.output:
            continue
        bound = known[tensor.name]
        values = host.format.from_bits(host.inside(right)).astype(np.float64)
        written = values[~np.isnan(values)]
        slack = bound.error + 1e-3 * bound.largest if bound.finite else 0
        adds = INITIAL if combines(case.program.text(), tensor.name) else 0
        if np.isnan(host.format.from_bits(host.inside(right))).sum() != (host.inside(right) == host.format.poison).sum():
            return "reference", f"{tensor.name} has a NaN"
        if written.size and (written.min() < bound.lo - slack - adds or written.max() > bound.hi + slack + adds):
            return "reference", f"{tensor.name} is in [{written.min()}, {written.max()}], not within {bound}"
    return "right", ""


def in_own_process(programs, folder, timing, backend):
    """The outcomes; fewer than programs if the process died, with what it died of."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run_programs(programs, folder, timing, backend)
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    with open(os.path.join(folder, "outcomes.json")) as file:
        lines = [json.loads(line) for line in file]
    return lines, status


def run_batch(programs, folder, timing=0, backend="emulator"):
    """Compiles and runs programs; an Outcome for each, in order. Without a way the reference alone."""
    os.makedirs(folder, exist_ok=True)
    for name in ("emulator.so", "gpu.so", "batch.cu"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    source = write(programs, folder)
    if backend:
        status, text = emit(source, os.path.join(folder, "batch.cu"))
        if status:
            if len(programs) > 1:
                return by_parts(programs, text, folder, timing, backend)
            return [judged(programs[0], status, text)]
    status, text = build_batch(programs, folder, backend)
    if status:
        if len(programs) > 1:
            return each_alone(programs, folder, timing, backend)
        return [Outcome(programs[0], "build", text[:4000])]
    return run_built(programs, folder, timing, backend)


def build_batch(programs, folder, backend):
    """Makes the libraries of a batch whose text is there; a status and what the compilers say."""
    in_folder = lambda name: os.path.join(folder, name)
    with open(in_folder("reference.cpp"), "w") as file:
        file.write(reference_text(programs, os.path.abspath(in_folder("batch.tk"))))
    status, text = build("reference", in_folder("reference.cpp"), in_folder("reference.so"))
    if not status and backend:
        status, text = build(backend, in_folder("batch.cu"), in_folder(backend + ".so"))
    return status, text


def run_built(programs, folder, timing, backend):
    """An Outcome for each program of a batch that is built. What comes after one that crashes runs in a new process."""
    lines, status = in_own_process(programs, folder, timing, backend)
    outcomes = [Outcome(program, *line) for program, line in zip(programs, lines)]
    if len(outcomes) < len(programs):
        outcomes.append(Outcome(programs[len(outcomes)], "crash", f"wait status {status}"))
        rest = programs[len(outcomes):]
        if rest:
            outcomes += run_built(rest, folder, timing + len(outcomes), backend)
    return outcomes


def each_alone(programs, folder, timing, backend):
    return [run_batch([p], folder, timing + i, backend)[0] for i, p in enumerate(programs)]


def named_in(text, programs):
    """The programs of a batch at whose lines tkc has found an error; all of them if it names none."""
    starts = list(itertools.accumulate([program.text().count("\n") + 1 for program in programs], initial=1))
    lines = [int(line) for line in re.findall(r"batch\.tk:(\d+):\d+: error: ", text)]
    return [p for p, start, end in zip(programs, starts, starts[1:]) if any(start <= line < end for line in lines)] or programs


def refused_alone(programs, text, folder):
    """Of a batch to which tkc has said `text`: an Outcome for each program that it does not take by itself. Those are looked for
    among all of them where none has the error that was named."""
    named = named_in(text, programs)
    outcomes = [outcome for outcome in emit_alone(named, folder, "cuda") if outcome.kind != "right"]
    return outcomes if outcomes or named is programs else refused_alone(programs, "", folder)


def by_parts(programs, text, folder, timing, backend):
    """A batch of which tkc refuses something, with what it says: what it refuses alone, the rest together."""
    outcomes = {outcome.program.name: outcome for outcome in refused_alone(programs, text, folder)}
    rest = [program for program in programs if program.name not in outcomes]
    if not outcomes:  # refused together, not alone
        return [Outcome(program, "compiler", "refused in a batch, not alone") for program in programs]
    for outcome in run_batch(rest, folder, timing, backend) if rest else []:
        outcomes[outcome.program.name] = outcome
    return [outcomes[program.name] for program in programs]


def emit_batch(programs, folder):
    """Writes the text of a batch for another machine; an Outcome for each program that tkc does not take."""
    os.makedirs(folder, exist_ok=True)
    refused = []
    while programs:
        status, text = emit(write(programs, folder), os.path.join(folder, "batch.cu"))
        if not status:
            break
        found = refused_alone(programs, text, folder)
        if not found:
            return [Outcome(program, "compiler", text) for program in programs]
        refused += found
        names = {outcome.program.name for outcome in found}
        programs = [program for program in programs if program.name not in names]
    with open(os.path.join(folder, "programs.json"), "w") as file:
        json.dump([program.name for program in programs], file)
    return refused
