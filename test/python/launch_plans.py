#!/usr/bin/env python3
"""launch_plans.py - The native module and the emitted launcher do the same.

Usage: launch_plans.py [--sets 1000] [--seed 1] [FILE.tk ...]
Each C function of each file is called with random arguments, good and bad, twice: the emitted launcher, compiled by g++ against
a CUDA runtime that records, and tkc._launch against a driver that records. The status, the sentence, the grid, block, shared
memory and attributes, and the bytes of every kernel argument must be the same. No memory is touched: addresses are numbers.
"""
import argparse
import collections
import copy
import ctypes
import glob
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import ROOT, load_recorder
import tkc
from tkc import compiler, locate, plan as plans
from tkc_run import abi

RECORDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorder")
CODES = {"bf16": (4, 16), "f16": (2, 16), "f32": (2, 32), "e4m3": (10, 8), "e5m2": (12, 8), "i8": (0, 8), "i32": (0, 32)}
LARGEST = 2**31 - 65536
NUM_SMS, SM_SHARED_BYTES, MOST_BLOCKS = 132, 233472, 32  # of an SM: CUDA programming guide, compute capability 9.0


recorder = load_recorder()
KINDS = itertools.cycle((recorder.Tensor, recorder.TorchTensor))  # read by the exchange table, and by torch's own functions


class Record(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint64), ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3),
                ("shared_bytes", ctypes.c_uint32), ("attribute_count", ctypes.c_uint32),
                ("attributes", ctypes.c_uint32 * 8), ("stream", ctypes.c_uint64), ("argument_count", ctypes.c_uint32),
                ("sizes", ctypes.c_uint32 * 128), ("kernel", ctypes.c_char * 256), ("arguments", ctypes.c_ubyte * 8192)]


class Launcher:
    """The emitted launchers of one file."""

    def __init__(self, source, folder):
        made, header, _, _ = compiler.run(source, "cuda")
        # What the kernels do is no matter here, and takes g++ long.
        text, count = re.subn(r"(__global__ void [^;{]*\{)\n.*?\n\}\n", r"\1}\n", made.decode(), flags=re.DOTALL)
        assert count == text.count("__global__ void"), source.name
        for name, data in ((source.stem + ".h", header.decode()), ("launchers.cpp", text)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(data)
        output = os.path.join(folder, "launchers.so")
        runtime = locate.runtime()
        folders = [RECORDER, runtime, os.path.join(runtime, "emulator"), os.path.join(runtime, "hopper")]
        subprocess.run(["g++", "-std=c++20", "-O0", "-w", "-Wno-psabi", "-fPIC", "-shared", "-Wl,-Bsymbolic", *(f"-I{each}" for each in folders),
                        "-o", output, os.path.join(folder, "launchers.cpp")], check=True)
        self.library = ctypes.CDLL(output)
        self.record = Record.in_dll(self.library, "tk_test_record")


class Sets:
    """Random arguments of a function."""

    def __init__(self, function, rng):
        self.function, self.rng = function, rng
        self.leader, self.previous = {}, None
        self.addresses = [rng.randrange(1, 1 << 40) * 16 for _ in range(4)]  # few: what is cached must not be taken for others
        for required in function["requirements"]:
            if required["kind"] == "same_extent":
                self.leader[self.find((required["argument"], required["dimension"]))] = self.find(
                    (required["other"], required["other_dimension"]))

    def find(self, place):
        while self.leader.get(place, place) != place:
            place = self.leader[place]
        return place

    def extent(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.02:
            return 0
        if kind < 0.12:
            return 1
        if kind < 0.6:
            return max(1, rng.choice((16, 64, 128, 192, 256, 512)) * rng.randrange(1, 9) + rng.choice((-1, 0, 0, 0, 1)))
        if kind < 0.97:
            return rng.randrange(1, 5000)
        return rng.choice((100000, 1 << 20, LARGEST, LARGEST - 1))

    def make(self):
        """Tensors and numbers by argument. Now and then those before, which the module remembers: as they were, with other
        numbers, or with other strides."""
        rng = self.rng
        if self.previous and rng.random() < 0.3:
            tensors, values = copy.deepcopy(self.previous)
            change = rng.choice(("nothing", "numbers", "strides"))
            for tensor in filter(None, tensors):
                if change == "strides" and len(tensor["strides"]) > 1:
                    tensor["strides"][rng.randrange(len(tensor["strides"]) - 1)] += 128
            if change == "numbers":
                values = [fresh if rng.random() < 0.5 else value for fresh, value in zip(self.fresh()[1], values)]
        else:
            tensors, values = self.fresh()
        self.previous = copy.deepcopy((tensors, values))
        if rng.random() < 0.5:
            self.spoil([tensor for tensor in tensors if tensor])
        return tensors, values

    def fresh(self):
        rng, tensors, values, common = self.rng, [], [], {}
        for required in self.function["requirements"]:
            if required["kind"] == "extent":
                common[self.find((required["argument"], required["dimension"]))] = required["extent"]
        for number, argument in enumerate(self.function["arguments"]):
            if argument["kind"] == "scalar":
                values.append({"f32": rng.choice((0.0, -1.5, 0.125, rng.uniform(-9, 9))), "bool": rng.random() < 0.5,
                               "i32": rng.choice((1, 2, 7, 100, 1000, rng.randrange(1, 1 << 20), 2**31 - 1))}[argument["dtype"]])
                tensors.append(None)
                continue
            extents = [common.setdefault(self.find((number, dim)), self.extent()) for dim in range(argument["rank"])]
            unit = max(1, 128 // CODES[argument["dtype"]][1])
            strides, step = [1] * len(extents), -(-max(extents[-1], 1) // unit) * unit + unit * rng.choice((0, 0, 0, 1, 3))
            order = list(range(len(extents) - 1))
            if rng.random() < 0.2:
                rng.shuffle(order)
            for dim in reversed(order):
                strides[dim] = step
                step = min(step * max(extents[dim], 1), 1 << 60)
            data = rng.choice((*self.addresses, rng.randrange(1, 1 << 40) * 16))
            tensors.append({"data": data, "dtype": argument["dtype"], "extents": extents,
                            "strides": strides})
            values.append(None)
        return tensors, values

    def spoil(self, tensors):
        rng = self.rng
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            tensor = rng.choice(tensors)
            dim = rng.randrange(len(tensor["extents"]))
            kind = rng.randrange(9)
            if kind == 0:
                tensor["data"] = rng.choice((0, tensor["data"] + rng.randrange(1, 16)))
            elif kind == 1:
                tensor["dtype"] = rng.choice(list(CODES))
            elif kind == 2 and len(tensor["extents"]) < 4:
                tensor["extents"].insert(0, 1), tensor["strides"].insert(0, 16)
            elif kind == 3 and len(tensor["extents"]) > 1:
                del tensor["extents"][0], tensor["strides"][0]
            elif kind == 4:
                tensor["extents"][dim] = rng.choice((0, -1, 1, tensor["extents"][dim] + 1, LARGEST + 1, 1 << 40))
            elif kind in (5, 6):
                tensor["strides"][dim] = rng.choice((0, 1, -1, 2, 8, tensor["strides"][dim] + 1, 1 << 39, 1 << 40, 1 << 50))
            elif kind == 7:
                tensor["strides"].reverse()
            else:
                tensor["strides"][-1] = rng.choice((0, 2, 64))


def padding(function, sizes, kernels):
    """Offsets of bytes that hold nothing, in the arguments of the kernel that these sizes fit."""
    result = set()
    for kernel in kernels:
        if len(kernel["parameters"]) != len(sizes):
            continue
        start = 0
        for parameter, size in zip(kernel["parameters"], sizes):
            if parameter["kind"] == "tile_counter":
                result.update(range(start + 9, start + 16))
            elif parameter["kind"] == "view":
                rank = function["arguments"][parameter["argument"]]["rank"]
                result.update(range(start + 8 + 4 * rank, start + (8 + 4 * rank + 7) // 8 * 8))
            elif parameter["kind"] == "tensor_map" and parameter["output"]:
                result.update(range(start + 184, start + 192))
            start += size
    return result


class Comparison:
    def __init__(self, launcher, kernel, kernels):
        self.launcher, self.kernel, self.kernels = launcher, kernel, kernels
        self.function = kernel.plan
        scalars = [{"f32": ctypes.c_float, "i32": ctypes.c_int32, "bool": ctypes.c_bool}[argument["dtype"]]
                   for argument in self.function["arguments"] if argument["kind"] == "scalar"]
        self.entry = getattr(launcher.library, self.function["name"])
        self.entry.restype = abi.Status
        kinds = iter(scalars)
        self.entry.argtypes = [ctypes.POINTER(abi.Tensor) if argument["kind"] == "tensor" else next(kinds)
                               for argument in self.function["arguments"]] + [ctypes.c_void_p]

    def emitted(self, tensors, values, stream):
        given = []
        for tensor, value in zip(tensors, values):
            if tensor is None:
                given.append(value)
                continue
            rank = len(tensor["extents"])
            given.append(abi.Tensor(tensor["data"], plans.DTYPES[tensor["dtype"]], rank,
                                    (ctypes.c_int64 * 4)(*tensor["extents"]), (ctypes.c_int64 * 4)(*tensor["strides"])))
        status = self.entry(*given, stream)
        return status.code, status.message.decode()

    def native(self, tensors, values, stream):
        given = [value if tensor is None else
                 next(KINDS)(tensor["data"], 0, *CODES[tensor["dtype"]], tuple(tensor["extents"]), tuple(tensor["strides"]))
                 for tensor, value in zip(tensors, values)]
        recorder.set_stream(stream)
        try:
            self.kernel(*given)
        except tkc.LaunchError as error:
            return error.code, error.status
        return 0, ""

    def run(self, tensors, values, stream):
        """What differs, in words; and the status."""
        before = self.launcher.record.count, Record.from_buffer_copy(recorder.launch()).count
        expected = self.emitted(tensors, values, stream)
        here = self.launcher.record
        recorder.set_sizes(list(here.sizes[: here.argument_count]))
        found = self.native(tensors, values, stream)
        there = Record.from_buffer_copy(recorder.launch())
        launches = here.count - before[0], there.count - before[1]
        if expected != found:
            return f"the status is {found} when the emitted launcher says {expected}", expected[0]
        if launches[0] != launches[1]:
            return f"{launches[1]} launches when the emitted launcher makes {launches[0]}", expected[0]
        if not launches[0]:
            return "", expected[0]
        for name in ("grid", "block", "shared_bytes", "attribute_count", "attributes", "stream", "argument_count"):
            a, b = getattr(here, name), getattr(there, name)
            a, b = (list(x) if isinstance(x, ctypes.Array) else x for x in (a, b))
            if a != b:
                return f"{name} is {b} when the emitted launcher has {a}", 0
        if there.kernel.decode() not in here.kernel.decode():
            return f"kernel {there.kernel} is launched when the emitted launcher launches {here.kernel}", 0
        sizes = here.sizes[: here.argument_count]
        kernels = [kernel for kernel in self.kernels if kernel["symbol"] == there.kernel.decode()]
        if spread := self.spread(kernels[0]["launch"], there):
            return spread, 0
        holes = padding(self.function, sizes, kernels)
        a, b = bytes(here.arguments)[: sum(sizes)], bytes(there.arguments)[: sum(sizes)]
        wrong = [at for at in range(len(a)) if a[at] != b[at] and at not in holes]
        return (f"bytes {wrong[:8]} of the arguments differ" if wrong else ""), 0


    @staticmethod
    def spread(launch, there):
        """What is wrong with how the blocks share the SMs, in words: none has room for one more than its share of the grid."""
        blocks, shared = there.grid[0], there.shared_bytes
        if launch["cluster"] > 1 or (launch["persistent"] and launch.get("blocks_per_sm", 1) == 1):
            return "" if shared == launch["shared_bytes"] else f"{shared} bytes of shared memory instead of {launch['shared_bytes']}"
        room, share = SM_SHARED_BYTES // -(-(shared + 1024) // 128 * 128), -(-blocks // NUM_SMS)
        if room > share or (shared > launch["shared_bytes"] and room < min(share, MOST_BLOCKS)):
            return f"an SM has room for {room} blocks when its share of {blocks} is {share}"
        return ""


def compare(path, sets, seed, counts):
    """The first differences, in words."""
    source = compiler.Source(path)
    library = tkc.Library(source, None)
    rng = random.Random(f"{seed} {os.path.basename(path)}")
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        launcher = Launcher(source, folder)
        for kernel in library:
            kernels = plans.kernels_of(library.plan, kernel.plan)
            for number in range(len(kernels)):
                kernel.set_cubin(number, b"none")
            comparison, arguments = Comparison(launcher, kernel, kernels), Sets(kernel.plan, rng)
            for number in range(sets):
                tensors, values = arguments.make()
                stream = rng.choice((0, 1 << 12, 2 << 12, 3 << 12, (1 << 12) + 1))
                problem, code = comparison.run(tensors, values, stream)
                counts[code] += 1
                if problem:
                    wrong.append(f"{os.path.basename(path)}: {kernel.plan['name']}, set {number}: {problem}\n  {tensors} {values}")
                    break
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = options.files or sorted(glob.glob(os.path.join(ROOT, "dsl-examples", "*.tk")) +
                                    glob.glob(os.path.join(ROOT, "test", "gallery", "Inputs", "*.tk")))
    tkc.native.set_driver(recorder.driver())
    tkc.native.set_torch(*recorder.torch())
    tkc.native.set_hook("torch_types", (recorder.TorchTensor,))
    warnings.simplefilter("ignore", tkc.PerformanceWarning)
    counts, wrong, functions = collections.Counter(), [], 0
    for path in files:
        found = compare(path, options.sets, options.seed, counts)
        wrong += found
        print("\n".join(found) if found else f"{os.path.basename(path)}: the same", flush=True)
    launched = sum(counts.values())
    print(f"{len(files)} files, {launched} sets of arguments: {counts[0]} accepted, {launched - counts[0]} refused; "
          f"{len(wrong)} functions differ")
    assert recorder.read_by_torch()
    return 1 if wrong or not counts[0] or launched == counts[0] else 0


sys.exit(main())
