"""memory_bound.py - What the benches of kernels that mostly move memory share: how they check, time and report.

Checking: the relative error of the norm against float64. Timing: beside a copy that moves as many bytes. Such kernels
stay below the power limit, so samples need no idling between them: 20 ms of it let the queue run empty.
"""

import os
import statistics

import torch

from bursts import device_line, save, time_in_turn


def new_result():
    return {"device": device_line(), "checks": {}, "rows": []}


def like(x):
    """An output before the kernel has written it."""
    return torch.full_like(x, float("nan"))


def relative(found, truth):
    return float((found.double() - truth).norm() / truth.norm())


def sources_of(name, folders):
    """Of each folder, by its label, the emitted file of an example, where it is there."""
    files = {label: os.path.join(folder, name + ".cu") for label, folder in folders.items()}
    return {label: file for label, file in files.items() if os.path.exists(file)}


def copies(size):
    """A copy that moves `size` bytes, in and out."""
    half = [torch.empty(size // 2, dtype=torch.uint8, device="cuda") for _ in range(3)]
    return [lambda source=source: half[2].copy_(source) for source in half[:2]]


def report(result, name, shape, calls, size):
    """Times the calls, lists for each label, of which "tkc" is ours; `size` is the bytes that one moves."""
    calls["copy"] = copies(size)
    times = {label: statistics.median(v) for label, v in time_in_turn(calls, size / 2e9, 4, idle=0.02).items()}
    result["rows"].append({"kernel": name, "shape": shape, "bytes": size, **times})
    others = "  ".join(f"{label} {ms:.4f} ({ms / times['tkc']:.3f})" for label, ms in times.items() if label != "tkc")
    print(f"{name:>22} {shape!s:>22}  tkc {times['tkc']:.4f} ms, {1e-6 * size / times['tkc']:.0f} GB/s  {others}", flush=True)


def finish(result, allowed, path):
    """Says what is wrong, writes the result to the path if there is one, and returns the exit status."""
    checks = result["checks"]
    wrong = {name: error for name, error in checks.items() if not error < allowed}
    print(f"{len(checks)} checks, largest relative error {max(checks.values(), default=0):.2e}; wrong: {wrong or 'none'}")
    save(result, path)
    return 1 if wrong or not checks else 0
