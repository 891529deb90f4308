"""families.py - What tests, mutants and the bench know of a family of kernels, in one file for each.

A family's module makes problems: tensors, what the result must be, and how far it may be from that. At its end stands
FAMILY, which names the kernels, the shapes at which they go wrong, the shapes that are timed, and the peers. A new kernel
needs its .tk and such a file; `tools/bench/tkc_bench`, test/examples and the emulator's runs then know it.

A problem has

    check(backend, kernel)   runs the kernel and judges every element of its outputs, see cases.py
    launches(kernel)         the calls that make the result, each a Launch
    flops(kernel)            floating-point operations, or 0 if memory is what takes the time
    bytes(kernel)            that have to be read and written; not asked where there are FLOPs
    prediction(kernel)       a kernel, the text of a shape, and the share of its time there that this one should take; None, or not
                             there, where no kernel predicts another

Truths are computed when they are first asked for, so that a problem that is only timed costs none.
"""
import argparse
import fnmatch
import functools
import importlib
import os
import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Launch:
    kernel: str
    tensors: dict  # in the order of the parameters
    scalars: list = field(default_factory=list)


def call_each(backend, launches):
    """Calls kernels one after the other, until one refuses: the last status, and the seconds of all."""
    seconds = 0.0
    for launch in launches:
        status = backend.call(launch.kernel, list(launch.tensors.values()), launch.scalars)
        seconds += backend.seconds
        if status.code:
            break
    return status, seconds


@dataclass(frozen=True)
class Family:
    name: str
    kernels: tuple  # C functions
    example: callable  # of a kernel: the stem of its .tk file in dsl-examples or test/gallery/Inputs
    problem: callable  # of a shape, a seed and a kernel
    shapes: callable  # of a kernel: the edges of its tiles, as parse gives them
    parse: callable  # a shape of a text; a ValueError says that it is none
    more: callable = lambda kernel: []  # further shapes, which take long
    adds_in_any_order: tuple = ()  # kernels of which launches may differ in the last bits
    emulated: dict = field(default_factory=dict)  # of an example: values of scalars for `tkc run`, as its arguments
    rows: tuple = ()  # (kernel, text of a shape): what the bench times
    # Of a problem, a kernel and its tensors as torch's, by name: {label: a call that does the same work}.
    peers: callable = lambda problem, kernel, tensors: {}


def argument(description):
    """Gives a function that reads a shape the sentence with which a text that is none is refused."""

    def decorate(read):
        @functools.wraps(read)
        def checked(text):
            try:
                return read(text)
            except ValueError:
                raise argparse.ArgumentTypeError(f"'{text}' is not a shape {description}") from None

        return checked

    return decorate


def matching(pattern, description):
    """Reads shapes that stay texts."""

    def parse(text):
        if not re.fullmatch(pattern, text):
            raise ValueError
        return text

    return argument(description)(parse)


def modules():
    """The files of this folder that end with a family."""
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name)) as file:
                if re.search(r"^FAMIL(Y|IES) = ", file.read(), re.MULTILINE):
                    yield importlib.import_module(f"{__package__}.{name[:-3]}")


@functools.cache
def all_families():
    found = []
    for module in modules():
        found += getattr(module, "FAMILIES", None) or [module.FAMILY]
    return found


def emulation_arguments(example):
    """What `tkc run` is told beside the file dsl-examples/EXAMPLE.tk."""
    return [argument for family in all_families() for argument in family.emulated.get(example, [])]


def find(kernel):
    """The family of a kernel, or None."""
    return next((family for family in all_families() if kernel in family.kernels), None)


def select(names):
    """(family, kernel) of the kernels that are named: by a pattern, by their example's file, or by their family; all if none
    is. Where a kernel and a family have one name, it is the kernel's."""
    every = [(family, kernel) for family in all_families() for kernel in family.kernels]
    wanted = set() if names else {kernel for _, kernel in every}
    for name in names:
        found = {kernel for _, kernel in every if fnmatch.fnmatchcase(kernel, name)}
        found = found or {kernel for family, kernel in every if name in (family.example(kernel) + ".tk", family.name)}
        if not found:
            raise KeyError(name)
        wanted |= found
    return [(family, kernel) for family, kernel in every if kernel in wanted]
