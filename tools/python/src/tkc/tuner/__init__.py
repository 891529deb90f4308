"""Tuning: the fastest instances of a kernel for the shapes that matter. docs/tuner.md."""
import os
import subprocess
import sys
import tempfile


def default_space(parameters):
    """Half of each integer, itself, and twice as much. Switches may mean another result, so they stay."""
    numbers = {name: int(value) for name, value in parameters.items() if value.isdigit() and int(value) > 0}
    return " ".join(f"{name}={','.join(str(n) for n in dict.fromkeys((value // 2 or 1, value, 2 * value)))}"
                    for name, value in numbers.items())


def _extents(value):
    """Of a tensor or a sequence; what a shape says otherwise is as it is."""
    return value if isinstance(value, (int, float, dict)) else [int(extent) for extent in getattr(value, "shape", value)]


def tune(kernel, shapes, space=None, output=None, seconds=60, keep=24):
    """The same function, choosing among the instances that are the fastest on this machine's GPU.

    kernel   a function of a compiled source: tkc.compile("gemm.tk").gemm
    shapes   a list of {"A": [4096, 1024], "B": [1024, 512]}: extents of tensors, values of numbers; tensors will do
    space    "BM=64,128,256 BN=64:256:32": values of the template's parameters; without it, of each integer half and twice
    output   the database, by default one in the cache; what is in it is not measured again
    seconds  of the GPU, for all shapes
    """
    from . import prepare as preparing
    from .progress import Progress
    from .space import split_parameters
    from .. import cache, driver, plan as plans
    from ..errors import LaunchError
    from ..library import Library

    driver.load()  # or nothing can be measured
    given = [{name: _extents(value) for name, value in shape.items()} for shape in shapes]
    library, name = kernel.library, kernel.plan["name"]
    default = plans.kernels_of(library.plan, kernel.plan)[0]
    space = space or default_space(split_parameters(default["parameters_of_template"]))
    if output is None:
        folder = os.path.join(cache.path(), "tuned")
        os.makedirs(folder, exist_ok=True)
        output = os.path.join(folder, cache.key("tuned", library.source.read(), repr(library.source.arguments()), name) + ".json")
    with tempfile.TemporaryDirectory(prefix="tkc-") as folder:
        bundle = os.path.join(folder, "kernel.pyz")
        preparing.prepare(library.source, name, space, given, bundle, keep, progress=Progress())
        done = subprocess.run([sys.executable, bundle, "run", "--time", str(seconds), "-o", os.fspath(output)])
    if not os.path.exists(output):
        raise LaunchError(f"tuning {name} ended with status {done.returncode} and without a measurement")
    return getattr(Library(library.source.with_tuned(output), library.cpu), name)
