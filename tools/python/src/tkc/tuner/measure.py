"""measure.py - One shape on one GPU: whether candidates are right, and how long they take.

Bursts as in tools/bench/bursts.py: a large matmul runs into the power limit of the chip, so a sample is 120 ms of idling,
about 3 ms untimed and about 8 ms timed.
"""
import time

from .buffers import Buffers, Helpers
from .gpu import Gpu
from .launcher import LoadedKernel
from .shapes import Shape

SHORT_IDLE, SHORT_MS = 0.02, 0.02
MOST_UNTIMED, MOST_TIMED = 150, 500  # together less than what a stream queues


class Bench:
    """The GPU with a bundle's kernels, which are loaded when they are first used."""

    def __init__(self, bundle):
        self.bundle, self.gpu = bundle, Gpu()
        self.helpers = Helpers(self.gpu, bundle.read("helpers.cubin"))
        self.loaded, self.buffers, self.calls, self.estimates = {}, None, {}, {}

    def facts(self):
        return {"device": self.gpu.name, "sms": self.gpu.num_sms}

    def open(self, given):
        """Makes the tensors of a shape."""
        if self.buffers:
            self.buffers.free()
        self.buffers, self.calls, self.estimates = None, {}, {}
        self.buffers = Buffers(self.gpu, self.helpers, Shape(self.bundle.function, given))
        return {"sets": len(self.buffers.sets)}

    def _calls_of(self, number):
        if number not in self.calls:
            if number not in self.loaded:
                self.loaded[number] = LoadedKernel(self.gpu, self.bundle.candidates[number]["plan"],
                                                   self.bundle.read(f"{number}.cubin"))
            kernel, shape = self.loaded[number], self.buffers.shape
            self.calls[number] = [kernel.bind(self.bundle.function["arguments"], tensors, shape.scalars)
                                  for tensors in self.buffers.sets]
        return self.calls[number]

    def _run_once(self, number):
        self.buffers.reset()
        self._calls_of(number)[0]()
        self.gpu.synchronize()

    def reference(self, number):
        """Runs the default instance, whose outputs others are compared with."""
        self._run_once(number)
        self.buffers.keep()
        return {}

    def check(self, number):
        self._run_once(number)
        problem, worst = self.buffers.compare(self.buffers.tolerance())
        return {"problem": problem, "worst": worst}

    def _timed(self, calls, untimed, timed):
        gpu = self.gpu
        gpu.synchronize()
        gpu.close_gate()
        try:
            for i in range(untimed):
                calls[i % len(calls)]()
            gpu.record(0)
            for i in range(untimed, untimed + timed):
                calls[i % len(calls)]()
            gpu.record(1)
        finally:
            gpu.open_gate()
        return gpu.elapsed_ms() / timed

    def quick(self, number):
        """About how many milliseconds it takes: without idling, to tell the slow ones."""
        calls = self._calls_of(number)
        once = max(self._timed(calls, 1, 2), 0.001)
        self.estimates[number] = self._timed(calls, 1, min(MOST_UNTIMED, max(2, round(2 / once)))) if once < 2 else once
        return {"ms": self.estimates[number]}

    def burst(self, number, idle):
        calls, estimate = self._calls_of(number), self.estimates.get(number) or self.quick(number)["ms"]
        time.sleep(idle if estimate > SHORT_MS else min(idle, SHORT_IDLE))
        untimed = min(max(1, round(3 / estimate)), MOST_UNTIMED)
        return {"ms": self._timed(calls, untimed, min(max(2, round(8 / estimate)), MOST_TIMED))}
