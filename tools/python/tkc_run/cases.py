"""cases.py - A call of a kernel whose right results are known.

A case names the kernel's tensors in the order of its parameters: inputs, and outputs with their truth and what each
element may differ from it. `check` runs one way, poisons the outputs first, and looks at every byte afterwards.
"""
from dataclasses import dataclass, field

import numpy as np

from .compare import Comparison
from .families import Family, Launch, argument
from .gemm import Result
from .tensors import HostTensor

FP32 = 2.0**-20  # what a few operations in fp32 round


@dataclass
class Output:
    tensor: HostTensor
    truth: np.ndarray = None
    allowed: np.ndarray = None  # of each element
    before: np.ndarray = None  # what the kernel reads there first, and changes

    def __post_init__(self):
        if self.before is not None:
            self.before = np.array(self.before)  # not where the tensor is
            self.reset()

    def reset(self):
        self.tensor.poison()
        if self.before is not None:
            self.tensor.set(self.before)

    def expect(self, truth, allowed):
        self.truth, self.allowed = truth.reshape(self.tensor.extents), allowed.reshape(self.tensor.extents)

    def compare(self, name):
        found = self.tensor.values().astype(np.float64)
        with np.errstate(invalid="ignore"):
            error = np.where(found == self.truth, 0.0, np.abs(found - self.truth))
        ratio = error / self.allowed
        wrong = ~(ratio <= 1)  # a NaN is wrong too
        problem = ""
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            problem = (f"{np.count_nonzero(wrong)} of {wrong.size} elements of {name} are wrong, the first at {list(at)}: "
                       f"{found[at]:.6g} when it should be {self.truth[at]:.6g} +- {self.allowed[at]:.2g}")
        return Comparison(float(np.nanmax(ratio)), float(np.nanmax(error)), float(np.linalg.norm(error)), problem)


@dataclass
class Case:
    tensors: dict  # name: HostTensor or Output
    scalars: list = field(default_factory=list)
    solve: callable = None  # tells the outputs what to expect, if they do not know it yet
    work: float = 0.0  # its FLOPs, if they are what takes the time
    calls: dict = None  # kernel: names of its tensors, of kernels that follow one another; the case's kernel takes all if None

    def launches(self, kernel):
        tensors = {name: value.tensor if isinstance(value, Output) else value for name, value in self.tensors.items()}
        calls = self.calls or {kernel: tensors}
        return [Launch(name, {key: tensors[key] for key in names}, self.scalars) for name, names in calls.items()]

    def flops(self, kernel):
        return self.work

    def bytes(self, kernel):
        """Each tensor moves once; a tensor that is read and written moves twice."""
        changed = [value.tensor for value in self.tensors.values() if isinstance(value, Output) and value.before is not None]
        tensors = [value.tensor if isinstance(value, Output) else value for value in self.tensors.values()]
        return sum(np.prod(t.extents) * t.buffer.itemsize for t in tensors + changed)

    def check(self, backend, kernel):
        if self.solve:
            self.solve()
            self.solve = None
        outputs = {name: value for name, value in self.tensors.items() if isinstance(value, Output)}
        inputs = {name: value for name, value in self.tensors.items() if name not in outputs}
        for output in outputs.values():
            output.reset()
        before = {name: tensor.buffer.copy() for name, tensor in inputs.items()}
        seconds = 0.0
        for launch in self.launches(kernel):
            status = backend.call(launch.kernel, list(launch.tensors.values()), launch.scalars)
            seconds += backend.seconds
            if status.code:
                return Result(None, seconds, str(status))
        for name, tensor in inputs.items():
            if not np.array_equal(tensor.buffer, before[name]):
                return Result(None, seconds, f"{name} was written to")
        worst = Comparison(0.0, 0.0, 0.0, "")
        for name, output in outputs.items():
            if stray := output.tensor.stray_writes():
                return Result(None, seconds, f"{stray} places outside the elements of {name} were written")
            if unwritten := output.tensor.unwritten():
                return Result(None, seconds, f"{unwritten} elements of {name} were never written")
            found = output.compare(name)
            worst = found if found.problem or found.worst > worst.worst and not worst.problem else worst
        return Result(worst, seconds, worst.problem)


def table_family(name, kernels, rows=(), peers=lambda problem, kernel, tensors: {}, emulated=None):
    """The family of a table {kernel: (example, what makes its cases, their form, shapes at the edges of its tiles)}."""

    def make(shape, seed, kernel):
        _, make_case, form, _ = kernels[kernel]
        return make_case(seed, kernel, shape, form)

    def parse(text):
        return tuple(int(extent) for extent in text.split("x"))

    return Family(
        name=name,
        kernels=tuple(kernels),
        example=lambda kernel: kernels[kernel][0],
        problem=make,
        parse=argument("of extents, AxBxC")(parse),
        shapes=lambda kernel: kernels[kernel][3],
        emulated=emulated or {},
        rows=tuple(rows),
        peers=peers,
    )
