#!/usr/bin/env python3
"""What --profile costs on attention forward, and whether the phases that it measures are those of the static model.

In three steps, since tkc and the GPU may be on different machines:

    profile_bench.py emit FOLDER             with tkc: the kernel without records and with each kind of them, into FOLDER
    profile_bench.py run FOLDER OUT          on the GPU: results.json (times), attention.bin and tail.bin, into OUT
    profile_bench.py judge FOLDER OUT        with tkc: pages beside the .bin files, and the verdict as JSON

`run` compares the outputs of the kernels bit for bit. attention.bin is 16 heads of 4096 rows and keys, head size 128; tail.bin
is 133 tiles, one more than an H200 has SMs. `run --emulate` takes small shapes on the emulator and measures no time.

The model is that of the page's timeline: tkc --emit=html --trace compares the phases of an iteration.
"""

import argparse
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
from tkc_run import abi, builds, toolchain

KINDS = {"plain": [], "profiled": ["--profile"], "profiled_waits": ["--profile=waits"], "profiled_all": ["--profile=all"]}
KERNEL, SOURCE = "attention", os.path.join(ROOT, "dsl-examples", "attention.tk")
MOST_SLOWDOWN, MOST_DIFFERENCE = 0.05, 0.15
BUFFER_WORDS = 1 << 26  # 256 MiB
EMULATED_WORDS = 1 << 17
HEAD_SIZE = 128


def emit(options):
    # Other instances would only take time to build.
    os.makedirs(options.folder, exist_ok=True)
    source = os.path.join(options.folder, "attention.tk")
    with open(SOURCE) as original, open(source, "w") as copy:
        copy.writelines(line for line in original if not line.startswith("instantiate"))
    for name, flags in KINDS.items():
        folder = os.path.join(options.folder, name)
        os.makedirs(folder, exist_ok=True)
        output = os.path.join(folder, "attention.cu")
        subprocess.run([toolchain.find_tkc(), source, *flags, "-W", "no-tk-perf", "-o", output], check=True)


# ===-----------------------------------------------------------------------=== #
# Running
# ===-----------------------------------------------------------------------=== #


class OnGpu:
    """Tensors in torch, kernels from nvcc."""

    words = BUFFER_WORDS
    shapes = {"attention": (16, 4096, 4096), "tail": (133, 128, 4096)}  # heads, rows, keys

    def __init__(self, folder, out):
        import torch
        import bursts

        self.torch, self.bursts = torch, bursts
        sources = {name: os.path.join(folder, name, "attention.cu") for name in KINDS}
        self.libraries = bursts.build_all(sources, out)

    def zeros(self, *shape, dtype):
        return self.torch.full(shape, 0, device="cuda", dtype=getattr(self.torch, dtype))

    def random(self, *shape):
        return self.torch.randn(*shape, device="cuda").bfloat16()

    def view(self, tensor):
        return self.bursts.tensor_of(tensor)

    def stream(self):
        return ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)

    def data(self, tensor):
        self.torch.cuda.synchronize()
        return tensor.view(self.torch.uint8).cpu().numpy().tobytes()

    def times(self, calls):
        for call in calls.values():
            call()
        self.torch.cuda.synchronize()
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        calls["plain"]()
        end.record()
        self.torch.cuda.synchronize()
        lists = {name: [call] for name, call in calls.items()}
        found = self.bursts.time_in_turn(lists, max(start.elapsed_time(end), 1e-3), 15)
        return {name: statistics.median(samples) for name, samples in found.items()}

    def device(self):
        return self.bursts.device_line()


class OnEmulator:
    """Tensors in host memory, small ones, and no times."""

    words = EMULATED_WORDS
    shapes = {"attention": (1, 256, 512), "tail": (3, 128, 128)}
    sizes = {"bfloat16": (2, abi.BF16), "float32": (4, abi.F32), "int32": (4, abi.I32)}

    def __init__(self, folder, out):
        os.environ.setdefault("TK_EMULATOR_SMS", "2")
        self.libraries = {}
        for name in KINDS:
            library = os.path.join(out, name + ".so")
            subprocess.run(builds.compile_command("emulator", os.path.join(folder, name, "attention.cu"), library), check=True)
            self.libraries[name] = ctypes.CDLL(os.path.abspath(library))

    def zeros(self, *shape, dtype):
        size, number = self.sizes[dtype]
        count = size
        for extent in shape:
            count *= extent
        memory = (ctypes.c_uint8 * (count + 16))()
        return memory, -ctypes.addressof(memory) % 16, count, shape, number

    def random(self, *shape):
        import random

        tensor = self.zeros(*shape, dtype="bfloat16")
        rng = random.Random(0)
        for i in range(tensor[1] + 1, tensor[1] + tensor[2], 2):
            tensor[0][i] = rng.choice([0x3D, 0xBD])
        return tensor

    def view(self, tensor):
        memory, start, _, shape, number = tensor
        strides = [1] * len(shape)
        for i in range(len(shape) - 1, 0, -1):
            strides[i - 1] = strides[i] * shape[i]
        pad = (0,) * (4 - len(shape))
        return abi.Tensor(ctypes.addressof(memory) + start, number, len(shape), (*shape, *pad), (*strides, *pad))

    def stream(self):
        return None

    def data(self, tensor):
        memory, start, count, _, _ = tensor
        return bytes(memory)[start : start + count]

    def times(self, calls):
        return None

    def device(self):
        return "emulator"


def run(options):
    os.makedirs(options.out, exist_ok=True)
    machine = (OnEmulator if options.emulate else OnGpu)(options.folder, options.out)
    results = {"device": machine.device()}
    for name, (heads, rows, keys) in machine.shapes.items():
        q = machine.random(1, heads, rows, HEAD_SIZE)
        k, v = (machine.random(1, heads, keys, HEAD_SIZE) for _ in range(2))
        records = machine.zeros(machine.words, dtype="int32")
        calls, outputs = {}, {}
        for which, library in machine.libraries.items():
            o, l = machine.zeros(1, heads, rows, HEAD_SIZE, dtype="bfloat16"), machine.zeros(1, heads, rows, dtype="float32")
            function = getattr(library, KERNEL)
            function.restype = abi.Status
            views = [machine.view(tensor) for tensor in (q, k, v, o, l)]
            more = [] if which == "plain" else [machine.view(records)]

            def call(function=function, views=views, more=more, kept=(o, l)):
                scalars = [ctypes.c_float(HEAD_SIZE**-0.5)]
                status = function(*map(ctypes.byref, views), *scalars, *map(ctypes.byref, more), machine.stream())
                if status.code:
                    sys.exit(f"{KERNEL}: {status}")

            call()
            calls[which], outputs[which] = call, machine.data(o) + machine.data(l)
        times = machine.times(calls)
        calls["profiled"]()  # what the file has is a launch like any other
        data = machine.data(records)
        with open(os.path.join(options.out, name + ".bin"), "wb") as file:
            file.write(data)
        results[name] = {"heads": heads, "rows": rows, "keys": keys, "equal": len(set(outputs.values())) == 1}
        if times:
            results[name]["milliseconds"] = times
            results[name]["slowdown"] = times["profiled"] / times["plain"] - 1
            for more in ("waits", "all"):
                results[name]["slowdown_" + more] = times["profiled_" + more] / times["plain"] - 1
    with open(os.path.join(options.out, "results.json"), "w") as file:
        json.dump(results, file, indent=1)
    print(json.dumps(results, indent=1))


# ===-----------------------------------------------------------------------=== #
# Judging
# ===-----------------------------------------------------------------------=== #


def phases_of(page):
    """The rows of the page's table: phase, cycles measured and modelled, their difference and whether it is small enough.

    What a wait differs by is a part of the iteration, of other phases one of the phase itself.
    """
    rows, iteration = [], None
    for phase, measured, model in re.findall(r'data-phase="([^"]*)" data-measured="(\d+)" data-model="(\d+)"', page):
        measured, model = int(measured), int(model)
        iteration = iteration or model
        difference = (measured - model) / (iteration if phase.startswith("wait") else max(model, 1))
        verdict = "pass" if abs(difference) <= MOST_DIFFERENCE else "fail"
        rows.append({"phase": phase, "measured_cycles": measured, "model_cycles": model, "difference": difference, "verdict": verdict})
    return rows


def judge(options):
    with open(os.path.join(options.out, "results.json")) as file:
        results = json.load(file)
    source, pages = os.path.join(options.folder, "attention.tk"), {}
    for name in ("attention", "tail"):
        run_path, output = (os.path.join(options.out, name + ending) for ending in (".bin", ".html"))
        command = [toolchain.find_tkc(), source, "--emit=html", "--trace", run_path, "-W", "no-tk-perf", "-o", output]
        subprocess.run(command, check=True)
        with open(output) as file:
            pages[name] = file.read()
    blocks, time, busy = re.search(r"<p>(\d+) blocks in ([\d.]+) us.*?less than (\d+) %", pages["tail"]).groups()
    verdict = {
        "device": results["device"],
        "outputs_equal": all(results[name]["equal"] for name in pages),
        "phases": phases_of(pages["attention"]),
        "tail": {"blocks": int(blocks), "microseconds": float(time), "median_busy": int(busy) / 100},
    }
    if "slowdown" in results["attention"]:
        slowdown = results["attention"]["slowdown"]
        verdict.update({key: value for key, value in results["attention"].items() if key.startswith("slowdown")})
        verdict["slowdown_verdict"] = "pass" if slowdown < MOST_SLOWDOWN else "fail"
    print(json.dumps(verdict, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    for name, function in (("emit", emit), ("run", run), ("judge", judge)):
        step = steps.add_parser(name)
        step.set_defaults(function=function)
        step.add_argument("folder")
        if function is not emit:
            step.add_argument("out")
        if function is run:
            step.add_argument("--emulate", action="store_true")
    options = parser.parse_args()
    options.function(options)


main()
