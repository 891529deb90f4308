#!/usr/bin/env python3
"""speed.py - What a run on the emulator costs, and how it grows.

Usage: speed.py [SECONDS]
Prints the processor time of single runs of the emitted kernels under each timing; docs/emulator.md quotes it. With
SECONDS, fails if attention of 512 rows and keys, head size 128, one head, takes longer under any timing.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python"))
from tkc_run import attention, backends, builds, gemm, sweep

REQUIRED = "1x1/1x512x512"


class Timed:
    """A backend, and the processor time of its last call."""

    def __init__(self, name, example):
        self.backend = backends.Backend(name, builds.Kernels(sweep.example_source(example), is_optimized=True))

    def __getattr__(self, name):
        return getattr(self.backend, name)

    def call(self, *arguments):
        start = time.process_time()
        status = self.backend.call(*arguments)
        self.processor_seconds = time.process_time() - start
        return status


def measure(backend, problem):
    """The seconds of each timing."""
    result = []
    for timing in backends.EMULATOR_TIMINGS:
        backends.set_emulator(1, timing)
        if wrong := problem.check(backend).problem:
            sys.exit(f"error: {timing}: {wrong}")
        result.append(backend.processor_seconds)
    return result


def main():
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else None
    print(f"{'':28}" + "".join(f"{timing:>16}" for timing in backends.EMULATOR_TIMINGS) + "   ns per multiply-add, worst")
    slowest = {}
    attentions = [attention.Shape(1, 1, 1, n, n) for n in ([512] if limit else [128, 256, 512, 1024])]
    gemms = [] if limit else [gemm.Shape(n, n, n) for n in (128, 256, 512, 1024)]
    for name, shapes, problem_of, work_of in (
        ("attention", attentions, attention.Attention, lambda s: 2 * s.rows * s.keys * 128),
        ("gemm", gemms, gemm.Gemm, lambda s: s.m * s.n * s.k),
    ):
        backend = Timed("emulator", name) if shapes else None
        for shape in shapes:
            seconds = measure(backend, problem_of(shape, 1))
            slowest[str(shape)] = max(seconds)
            print(f"{name:10} {str(shape):17}" + "".join(f"{s:14.3f} s" for s in seconds)
                  + f"   {max(seconds) / work_of(shape) * 1e9:.2f}", flush=True)
    if limit and slowest[REQUIRED] > limit:
        print(f"FAIL attention {REQUIRED} takes {slowest[REQUIRED]:.1f} s when {limit:g} s are allowed")
        return 1
    return 0


sys.exit(main())
