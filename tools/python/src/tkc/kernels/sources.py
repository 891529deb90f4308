"""sources.py - The kernels that the functions are made of, and operators made of them.

Operators are defined from the plans when a module of this package is imported, so that torch.compile finds them; machine code
is made, or found in the cache, at the first call.
"""
import functools
import os
import warnings

import torch

from .. import emulator, locate, torch as operators
from ..compiler import Source
from ..errors import PerformanceWarning
from ..library import Library

NAMESPACE = "tkc"
_HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    """Of a source beside this file, or of an example."""
    if os.path.exists(os.path.join(_HERE, name)):
        return os.path.join(_HERE, name)
    if locate.is_installed():
        return os.path.join(locate.PACKAGE, "data", "share", "tkc", "examples", name)
    return os.path.join(locate.CHECKOUT, "dsl-examples", name)


@functools.cache
def library(name):
    with warnings.catch_warnings():  # what the compiler says of the package's own sources is not for its users
        warnings.simplefilter("ignore", PerformanceWarning)
        return Library(Source(path(name)), emulator.chosen(None))


def instance(name, template, **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        return library(name).instance(template, **arguments)


def on_cpu():
    """Whether kernels run on tensors of the CPU, too."""
    return emulator.chosen(None) is not None


class Operator:
    """An operator of torch, which an eager call goes past: the dispatcher costs more than the launch. What is traced, or has
    no memory, goes through it."""

    def __init__(self, op, direct):
        self.op, self.direct = op, direct

    def __call__(self, first, *rest):
        if torch.compiler.is_compiling() or type(first) not in (torch.Tensor, torch.nn.Parameter):
            return self.op(first, *rest)
        return self.direct(first, *rest)


def define(name, functions):
    """The operators of some functions of a source, by name."""
    source = library(name)
    return {each: Operator(operators.define(NAMESPACE, getattr(source, each)), getattr(source, each).below_autograd)
            for each in functions}


def composite(name, signature, implementation, fake):
    """An operator of several launches. None of its results is one of its arguments, so that torch.compile sees a function:
    what is added to is made, and zeroed, inside."""
    return Operator(operators.define_composite(NAMESPACE, name, signature, implementation, fake), implementation)
