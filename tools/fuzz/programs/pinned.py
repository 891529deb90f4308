"""pinned.py - Programs kept as files: what once failed, with the tensors it failed on.

A file is the program's text below a comment that names its parameters:

    // What it once found.
    // tensor X1 half 1x63x24 top 8 unit 0.5 padding 8
    // tensor Y2 float 1x127x63 error 0
    // scalar int p1 3

Inputs hold multiples of `unit` up to `top`; of an output, `error` is how far from the true result a right one
may be.
"""
import os
import re
from dataclasses import dataclass, field

from .bounds import Bound
from .tree import Tensor


@dataclass
class Pinned:
    """What the harness needs of a program."""

    name: str
    code: str
    tensors: list = field(default_factory=list)
    scalars: list = field(default_factory=list)
    errors: dict = field(default_factory=dict)

    def text(self):
        return self.code

    def bounds(self):
        return {name: Bound(0, 0, None, error) for name, error in self.errors.items()}


def line_of(tensor, bounds):
    extents = "x".join(map(str, tensor.extents))
    padding = f" padding {tensor.padding}" if tensor.padding else ""
    if tensor.output:
        return f"// tensor {tensor.name} {tensor.element} {extents} error {bounds[tensor.name].error:g}{padding}"
    return f"// tensor {tensor.name} {tensor.element} {extents} top {tensor.top:g} unit {tensor.unit:g}{padding}"


def save(program, why, path):
    bounds = program.bounds()
    lines = [f"// {why}"]
    lines += [line_of(tensor, bounds) for tensor in program.tensors]
    lines += [f"// scalar {kind} {name} {value}" for kind, name, value in program.scalars]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n" + program.text())


def load(path):
    with open(path) as file:
        text = file.read()
    code = "".join(line + "\n" for line in text.splitlines() if not line.startswith("//"))
    result = Pinned(re.search(r"^kernel (\w+)", code, re.M)[1], code)
    for kind, rest in re.findall(r"^// (tensor|scalar) (.*)", text, re.M):
        words = rest.split()
        if kind == "scalar":
            result.scalars.append((words[0], words[1], {"int": int, "float": float}[words[0]](words[2])))
            continue
        name, element, extents, *more = words
        numbers = {key: float(value) for key, value in zip(more[::2], more[1::2])}
        output = "error" in numbers
        result.tensors.append(Tensor(name, element, tuple(map(int, extents.split("x"))), numbers.get("top", 0.0),
                                     numbers.get("unit", 1.0), output, padding=int(numbers.get("padding", 0))))
        if output:
            result.errors[name] = numbers["error"]
    return result


def load_all(folder):
    return [load(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".tk")]
