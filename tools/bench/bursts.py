"""bursts.py - Building emitted kernels on a machine with a GPU, and timing them beside others.

A large matmul on this chip runs into its power limit and the clock then falls, so compute-bound kernels are timed in
bursts. Each sample is 120 ms of idling, about 3 ms untimed and about 8 ms timed; the kernels alternate, and the median
of the samples counts. A spinning kernel in front hides the launches.
"""

import concurrent.futures
import ctypes
import json
import os
import subprocess
import sys
import time

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
from tkc_run import abi

DTYPES = {torch.bfloat16: abi.BF16, torch.float16: abi.F16, torch.float32: abi.F32,
          torch.float8_e4m3fn: abi.E4M3, torch.float8_e5m2: abi.E5M2, torch.int32: abi.I32}


def device_line():
    device = torch.cuda.get_device_properties(0)
    return f"{device.name}, {device.multi_processor_count} SMs, torch {torch.__version__}"


def tensor_of(view):
    """The tk_tensor of a torch tensor on the GPU."""
    pad = (0,) * (4 - view.dim())
    extents, strides = (ctypes.c_int64 * 4)(*view.shape, *pad), (ctypes.c_int64 * 4)(*view.stride(), *pad)
    return abi.Tensor(view.data_ptr(), DTYPES[view.dtype], view.dim(), extents, strides)


def build(source, folder, label):
    """The library of an emitted .cu file; prints what ptxas says of its kernels."""
    library = os.path.join(folder, label + ".so")
    command = ["nvcc", "-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-shared", "-Xcompiler", "-fPIC"]
    command += ["-I", os.path.join(ROOT, "runtime", "hopper"), "-I", os.path.join(ROOT, "runtime")]
    command += ["-I", os.path.join(ROOT, "test", "golden"), "-Xptxas", "-v", source, "-o", library]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    report = [line for line in done.stderr.splitlines() if "registers" in line or "spill" in line or "C75" in line]
    print(f"{label}: " + "; ".join(line.replace("ptxas info    : ", "").strip() for line in report), flush=True)
    return ctypes.CDLL(library)


def build_all(sources, folder, suffix=""):
    """The libraries of several files, label by label, compiled side by side."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return dict(zip(sources, pool.map(lambda item: build(item[1], folder, item[0] + suffix), sources.items())))


def save(result, path):
    """Writes the result as JSON, if there is a path."""
    if path:
        with open(path, "w") as file:
            json.dump(result, file, indent=1)


def relative(found, truth):
    """The relative error of the norm."""
    return float((found.double() - truth).norm() / truth.norm())


def copies(size):
    """A copy that moves `size` bytes, in and out."""
    half = [torch.empty(size // 2, dtype=torch.uint8, device="cuda") for _ in range(3)]
    return [lambda source=source: half[2].copy_(source) for source in half[:2]]


def burst(calls, estimate, idle):
    """Milliseconds of one call, in one burst; `calls` are taken one after the other, `estimate` is about what one takes."""
    untimed = min(max(1, round(3.0 / estimate)), 150)
    timed = min(max(2, round(8.0 / estimate)), 500)
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    time.sleep(idle)
    torch.cuda._sleep(int(2e6 + 40e3 * (untimed + timed)))  # about 1 ms and 20 us per launch
    for i in range(untimed):
        calls[i % len(calls)]()
    start.record()
    for i in range(untimed, untimed + timed):
        calls[i % len(calls)]()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / timed


def time_in_turn(calls, estimates, samples, idle=0.12):
    """The milliseconds of every sample, for each label of `calls`, which holds lists of calls; `estimates` are of one call of each,
    or one for all."""
    estimates = estimates if isinstance(estimates, dict) else dict.fromkeys(calls, estimates)
    times = {label: [] for label in calls}
    for sample in range(samples + 1):  # the first warms up
        for label, list_of_calls in calls.items():
            once = burst(list_of_calls, estimates[label], idle if estimates[label] > 0.02 else 0.02)
            if sample:
                times[label].append(once)
    return times


def sustained(calls, estimate):
    """Milliseconds of one call at the power limit: after 280 ms of the same work, the best of five chunks of 40 ms."""
    count = max(1, round(40.0 / estimate))
    events = [torch.cuda.Event(enable_timing=True) for _ in range(6)]
    torch.cuda.synchronize()
    for i in range(7 * count):
        calls[i % len(calls)]()
    events[0].record()
    for event in events[1:]:
        for i in range(count):
            calls[i % len(calls)]()
        event.record()
    torch.cuda.synchronize()
    return min(first.elapsed_time(second) for first, second in zip(events, events[1:])) / count
