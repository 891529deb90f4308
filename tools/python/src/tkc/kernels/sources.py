"""sources.py - The examples that the functions are made of.

Operators are defined from the plans when a module of this package is imported, so that torch.compile finds them; machine code
is made, or found in the cache, at the first call.
"""
import functools
import os

from .. import locate, torch as operators
from ..compiler import Source
from ..library import Library

NAMESPACE = "tkc"
_FOLDERS = ("dsl-examples", os.path.join("test", "gallery", "Inputs"))


def path(name):
    if locate.is_installed():
        return os.path.join(locate.PACKAGE, "data", "share", "tkc", "examples", name)
    return next(file for folder in _FOLDERS if os.path.exists(file := os.path.join(locate.CHECKOUT, folder, name)))


@functools.cache
def library(name):
    return Library(Source(path(name)))


def define(name, functions):
    """The operators of some functions of an example, by name."""
    source = library(name)
    return {each: operators.define(NAMESPACE, getattr(source, each)) for each in functions}
