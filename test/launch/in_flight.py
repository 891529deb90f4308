#!/usr/bin/env python3
"""in_flight.py - Launches that meet on a GPU, and first calls while a stream is captured.

Usage: in_flight.py [--emitted FOLDER] [--rounds N] [--program-only] [--runtime FOLDER] [-j N]

Runs in_flight.cu, which says which launches meet; then calls every kernel of the examples in a process of its own, the
first call under a capture in global mode, and compares what the graph computes with an ordinary call; then measures
what a call costs the host. Prints one JSON object; the exit status is 0 if nothing is wrong.

FOLDER holds NAME.cu and NAME.h of the examples; without it tkc emits them. --program-only leaves the first calls out;
with --runtime, the headers of another version serve to measure against.
"""
import argparse
import concurrent.futures
import ctypes
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python"))
from tkc_run import abi, backends, builds, toolchain
from tkc_run.device import device

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(toolchain.SOURCE, "dsl-examples")
PROGRAM = ("attention", "gemm", "gemm_layouts")  # what in_flight.cu includes
BESIDE = ("attention_causal", "gemm")  # kernels whose first call is also made beside a capture of another thread

DIMENSIONS = ("batch", "depth", "rows", "cols")
EXTENTS = {"batch": 2, "depth": 2, "rows": 320, "cols": 256}  # where a header fixes none
DTYPES = {"bf16": abi.BF16, "f16": abi.F16, "float": abi.F32, "tf32": abi.F32, "e4m3": abi.E4M3, "e5m2": abi.E5M2,
          "int8": abi.I8, "int": abi.I32}
SCALARS = {"float": ctypes.c_float(0.125), "int": ctypes.c_int32(1), "bool": ctypes.c_bool(False)}


# ---------------------------------------------------------------------------------------------------------------------
# What a header says
# ---------------------------------------------------------------------------------------------------------------------


def read_header(path):
    """For each C function that launches: its arguments [(name, tensor or scalar type)] as (dtype, extents, access)."""
    functions, comment, described = {}, [], {}
    with open(path) as file:
        lines = file.read().splitlines()
    for line in lines:
        if line.startswith("//"):
            comment.append(line[2:])
        elif match := re.match(r"tk_status (\w+)\(", line):
            name = match[1]
            choice = next((m[1] for c in comment if (m := re.match(r"\s+0\s+(\w+)$", c))), None)
            if choice:
                functions[name] = described[choice]
            elif any(", rank " in c for c in comment):
                functions[name] = described[name] = describe(comment)
            comment = []
        elif not line.startswith(" "):
            comment = []
    return functions


def describe(comment):
    arguments = [m.groups() for line in comment if (m := re.match(r" {3}(\w+) +(\S.*)$", line))
                 and re.match(r"\w+(, rank \d|$)", m[2])]
    text = " ".join(line.strip() for line in comment)
    equal = re.search(r"Requires (.*?); rows may", text)
    same = [pair.split(" = ") for pair in equal[1].split(", ")] if equal else []

    extents, ranks = {}, {}
    for name, what in arguments:
        if match := re.search(r"rank (\d)", what):
            ranks[name] = int(match[1])
            for dimension in DIMENSIONS[-ranks[name]:]:
                fixed = re.search(rf"{dimension} = (\d+)", what)
                extents[f"{name}.{dimension}"] = int(fixed[1]) if fixed else None
    for _ in range(len(same) + 1):
        for left, right in same:
            known = extents[left] or extents[right]
            extents[left] = extents[right] = known
    # One choice for all that must be equal.
    for _ in range(len(same) + 1):
        for key in extents:
            if extents[key] is None:
                extents[key] = EXTENTS[key.split(".")[1]]
                for _ in range(len(same)):
                    for left, right in same:
                        extents[left] = extents[right] = extents[left] or extents[right]
    result = []
    for name, what in arguments:
        dtype = what.split(",")[0]
        if name in ranks:
            shape = [extents[f"{name}.{dimension}"] for dimension in DIMENSIONS[-ranks[name]:]]
            result.append((name, DTYPES[dtype], shape, "written" in what))
        else:
            result.append((name, SCALARS[dtype], None, False))
    return result


# ---------------------------------------------------------------------------------------------------------------------
# A first call, in a process of its own
# ---------------------------------------------------------------------------------------------------------------------

NUMPY = {abi.BF16: np.uint16, abi.F16: np.float16, abi.F32: np.float32, abi.E4M3: np.uint8, abi.E5M2: np.uint8,
         abi.I8: np.int8, abi.I32: np.int32}


ASCENDING = ("QueryStarts", "KeyStarts", "Lengths")  # integers that count; the others are indices


def values(rng, name, dtype, shape, written):
    if name in ASCENDING:
        return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    if written or dtype == abi.I32:
        return np.zeros(shape, NUMPY[dtype])
    if dtype in (abi.E4M3, abi.E5M2):
        return (rng.integers(0x28, 0x38, shape) | rng.choice([0, 0x80], shape)).astype(np.uint8)
    if dtype == abi.I8:
        return rng.integers(-8, 9, shape).astype(np.int8)
    numbers = rng.normal(0, 0.5, shape).astype(np.float32)
    if dtype == abi.BF16:
        return (numbers.view(np.uint32) >> 16).astype(np.uint16)
    return numbers.astype(NUMPY[dtype])


def numbers(array, dtype):
    return (array.astype(np.uint32) << 16).view(np.float32) if dtype == abi.BF16 else array.astype(np.float32)


class Call:
    """A kernel with its arguments on the device."""

    def __init__(self, library, kernel, arguments):
        rng = np.random.default_rng(1)
        self.gpu = device()
        self.outputs, given, scalars = [], [], []
        for name, kind, shape, written in arguments:
            if shape is None:
                scalars.append(kind)
                continue
            array = values(rng, name, kind, shape, written)
            address = self.gpu.upload(array)
            view = abi.Tensor(data=address.value, dtype=kind, rank=len(shape))
            stride = 1
            for i in reversed(range(len(shape))):
                view.extents[i], view.strides[i] = shape[i], stride
                stride *= shape[i]
            given.append(view)
            if written:
                self.outputs.append((address, array, kind))
        order, views, rest = [], iter(given), iter(scalars)
        for _, _, shape, _ in arguments:
            order.append(ctypes.byref(next(views)) if shape is not None else next(rest))
        self.kept, self.order = given, order
        self.function = getattr(library, kernel)
        self.function.restype = abi.Status

    def __call__(self, stream):
        return str(self.function(*self.order, stream))

    def results(self):
        """What the outputs hold; clears them."""
        self.gpu.synchronize()
        found = []
        for address, zeros, kind in self.outputs:
            array = np.empty_like(zeros)
            self.gpu.download(address, array)
            self.gpu.call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), ctypes.c_size_t(zeros.nbytes))
            found.append((array, kind))
        self.gpu.synchronize()
        return found


def differ(left, right):
    """How many elements; sums of several blocks may be rounded differently."""
    wrong = 0
    for (a, kind), (b, _) in zip(left, right):
        a, b = numbers(a, kind), numbers(b, kind)
        largest = np.abs(b[np.isfinite(b)]).max(initial=0)
        wrong += int(np.count_nonzero(~np.isclose(a, b, rtol=2e-2, atol=1e-2 * largest, equal_nan=True)))
    return wrong


class Capture:
    """A stream that is captured in global mode."""

    def __init__(self):
        self.gpu, self.stream = device(), ctypes.c_void_p()
        self.gpu.call("cuStreamCreate", ctypes.byref(self.stream), 1)
        self.gpu.call("cuStreamBeginCapture_v2", self.stream, 0)

    def end(self):
        graph = ctypes.c_void_p()
        self.gpu.call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        return graph

    def replay(self, graph):
        executable = ctypes.c_void_p()
        self.gpu.call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
        self.gpu.call("cuGraphLaunch", executable, self.stream)
        self.gpu.synchronize()


def first_call(path, header, kernel, beside):
    """What is wrong with the first call of a kernel, which is captured, or eager beside a capture."""
    library = ctypes.CDLL(path)
    call = Call(library, kernel, read_header(header)[kernel])
    call.gpu.synchronize()
    capture = Capture()
    if beside:  # the eager call comes from another thread
        said, stream = [], ctypes.c_void_p()
        call.gpu.call("cuStreamCreate", ctypes.byref(stream), 1)
        thread = threading.Thread(target=lambda: said.append(call(stream)))
        thread.start()
        thread.join()
        status = said[0]
    else:
        status = call(capture.stream)
    graph = capture.end()
    if status != "ok":
        return status
    if not beside:
        before = call.results()
        if any(np.any(array != 0) for array, _ in before):
            return "the call ran while its stream was captured"
        capture.replay(graph)
    found = call.results()
    status = call(None)
    if status != "ok":
        return f"the second call: {status}"
    expected = call.results()
    if not any(np.any(array != 0) for array, _ in expected):
        return "nothing is computed"
    wrong = differ(found, expected)
    return f"{wrong} elements differ" if wrong else "ok"


# ---------------------------------------------------------------------------------------------------------------------
# All of it
# ---------------------------------------------------------------------------------------------------------------------


def emit(name, emitted):
    """The folder that holds NAME.cu."""
    return emitted or builds.Kernels(os.path.join(EXAMPLES, name + ".tk")).text("cuda")


def build_program(folder, options):
    runtime = options.runtime or builds.RUNTIME
    includes = [part for inner in ("hopper", "") for part in ("-I", os.path.join(runtime, inner))]
    includes += [part for name in PROGRAM for part in ("-I", emit(name, options.emitted))]
    nvcc = [toolchain.find_nvcc(), *builds.NVCC_FLAGS, *includes]
    sources = [os.path.join(HERE, "in_flight.cu")]
    sources += [os.path.join(emit(name, options.emitted), name + ".cu") for name in PROGRAM]
    objects = [os.path.join(folder, f"{number}.o") for number in range(len(sources))]
    commands = [[*nvcc, "-c", source, "-o", output] for source, output in zip(sources, objects)]
    list(options.pool.map(lambda command: builds.run(command, "nvcc"), commands))
    program = os.path.join(folder, "in_flight")
    builds.run([*nvcc, *objects, "-o", program], "nvcc")
    return program


def run_program(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=600)
    try:
        return json.loads(done.stdout), done.returncode == 0
    except json.JSONDecodeError:
        return {"failed": done.returncode, "output": done.stdout[-2000:]}, False


def first_calls(options):
    names = sorted(os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(EXAMPLES, "*.tk")))

    def of_file(name):
        kernels = builds.Kernels(os.path.join(EXAMPLES, name + ".tk"), emitted=options.emitted, folder=options.folder)
        header = os.path.join(kernels.text("cuda"), name + ".h")
        path = kernels.build("gpu")
        return [(path, header, kernel, beside) for kernel in read_header(header)
                for beside in (False, True) if not beside or kernel in BESIDE]

    def of_kernel(job):
        command = [sys.executable, os.path.abspath(__file__), "--first-call", *job[:3]]
        command += ["--beside"] if job[3] else []
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        said = done.stdout.strip().splitlines()
        return job[2] + (" beside" if job[3] else ""), said[-1] if said else f"no answer, status {done.returncode}"

    jobs = [job for jobs in options.pool.map(of_file, names) for job in jobs]
    answers = dict(options.pool.map(of_kernel, jobs))
    return {"kernels": len(answers), "wrong": {name: said for name, said in answers.items() if said != "ok"}}


def torch_microseconds():
    """The host time of torch.mm of the size that in_flight.cu calls gemm with; None without torch."""
    try:
        import time

        import torch
    except ImportError:
        return None
    a, b = (torch.randn(*shape, device="cuda").bfloat16() for shape in ((128, 64), (64, 256)))
    c, each = a @ b, []
    for _ in range(41):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(400):
            torch.mm(a, b, out=c)
        each.append((time.perf_counter() - start) / 400 * 1e6)
    return round(sorted(each)[20], 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--emitted", type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--program-only", action="store_true")
    parser.add_argument("--runtime", type=os.path.abspath)
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--first-call", nargs=3, metavar=("LIBRARY", "HEADER", "KERNEL"))
    parser.add_argument("--beside", action="store_true")
    options = parser.parse_args()
    if options.first_call:
        print(first_call(*options.first_call, options.beside))
        return 0
    _, missing = backends.available()
    if "gpu" in missing:
        print(json.dumps({"skipped": missing["gpu"]}))
        return 0
    result = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.j) as options.pool:
        options.folder = folder
        program = build_program(folder, options)
        result["in flight"], right = run_program([program, str(options.rounds)])
        result["host microseconds"], measured = run_program([program, "--host-time"])
        result["host microseconds"]["torch.mm"] = torch_microseconds()
        if not options.program_only:
            result["first calls"] = first_calls(options)
            right &= not result["first calls"]["wrong"]
    print(json.dumps(result, indent=1))
    return 0 if right and measured else 1


if __name__ == "__main__":
    sys.exit(main())
