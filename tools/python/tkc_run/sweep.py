"""sweep.py - Many shapes, several backends, one report.

Used by the programs in test/examples and by tools/demo. Says which backends are missing and why, prints a
line at least every few seconds, and for each failure the command that repeats it alone.
"""
import argparse
import os
import sys
import time

from . import builds, backends
from .gemm import Gemm


def parser(description, example="gemm"):
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--source", default=example_source(example), help="the .tk file")
    result.add_argument("--kernel", default=example, help="the C function")
    result.add_argument("--backends", default="", help="of reference,emulator,gpu; default: all there are")
    result.add_argument("--tkc", action="append", default=[], metavar="ARGUMENT",
                        help="hand an argument on to tkc, for example --tkc=-DX=1")
    result.add_argument("--emitted", help="a folder with the .cu and _reference.cpp, in place of tkc")
    result.add_argument("--seed", type=int, default=1)
    return result


FOLDERS = ("dsl-examples", os.path.join("test", "gallery", "Inputs"))


def example_source(name):
    """The .tk file of this name; where there is none, what it would be among the examples."""
    paths = [os.path.join(builds.toolchain.SOURCE, folder, name + ".tk") for folder in FOLDERS]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def open_backends(options):
    """Builds what was asked for. Missing backends are an error only if they were asked for by name."""
    found, missing = backends.available()
    names = options.backends.split(",") if options.backends else found
    for name in names:
        if name not in backends.NAMES:
            sys.exit(f"error: there is no backend '{name}'; use {', '.join(backends.NAMES)}")
        if name in missing:
            sys.exit(f"error: cannot run on the {name}: {missing[name]}")
    if not options.backends:
        for name, reason in missing.items():
            print(f"skipped: {name} ({reason})")
    kernels = builds.Kernels(options.source, options.tkc, options.emitted)
    result = []
    for name in names:
        start = time.monotonic()
        try:
            result.append(backends.Backend(name, kernels))
        except builds.BuildError as error:
            sys.exit(f"error: {error}")
        print(f"built the {name} in {time.monotonic() - start:.1f} s", flush=True)
    return result


LAUNCHES = {"gpu": 4}  # of each shape, where it is not said; one elsewhere


def check(problem, backend, kernel, launches):
    """The result of the first launch that is wrong, or of the last; all must leave the same bits."""
    buffers = {id(tensor.buffer): tensor.buffer for launch in problem.launches(kernel) for tensor in launch.tensors.values()}
    first = None
    for _ in range(launches):
        result = problem.check(backend, kernel)
        if result.problem or launches == 1:
            return result
        first = first or {key: buffer.copy() for key, buffer in buffers.items()}
        if differing := sum(int((buffer != first[key]).sum()) for key, buffer in buffers.items()):
            result.problem = f"launches differ in {differing} elements"
            return result
    return result


def sweep(options, shapes, timing=None, verbose=True, problem_of=Gemm, launches=None):
    """Checks every shape in every backend; the number of failures. timing(i) sets up the emulator, problem_of(shape, seed)
    makes what is checked, as many launches of which must leave the same bits."""
    opened = open_backends(options)
    failures, last = 0, time.monotonic()
    worst = {backend.name: 0.0 for backend in opened}
    for i, shape in enumerate(shapes):
        problem = problem_of(shape, options.seed)
        for backend in opened:
            if backend.name in builds.EMULATOR_FLAGS and timing:
                timing(i)
            result = check(problem, backend, options.kernel, launches or LAUNCHES.get(backend.name, 1))
            if result.comparison:
                worst[backend.name] = max(worst[backend.name], result.comparison.worst)
            if result.problem:
                failures += 1
                print(f"FAIL {shape} {backend.name}: {result.problem}")
                print(f"  again: {repeat_command(options, shape, backend.name)}", flush=True)
            elif verbose:
                print(f"ok   {shape} {backend.name}: error {result.comparison.worst:.2f} of what is allowed, "
                      f"{result.seconds:.3f} s", flush=True)
        if not verbose and time.monotonic() - last > 3:
            last = time.monotonic()
            print(f"{i + 1} of {len(shapes)} shapes, {failures} failures", flush=True)
    for name, value in worst.items():
        print(f"{name}: {len(shapes)} shapes, largest error {value:.2f} of what is allowed")
    print(f"{failures} failures")
    return failures


def repeat_command(options, shape, backend):
    environment = [f"{name}={os.environ[name]}"
                   for name in ("TK_EMULATOR_SEED", "TK_EMULATOR_POLICY") if backend in builds.EMULATOR_FLAGS and name in os.environ]
    if hasattr(options, "again"):
        return " ".join([*environment, options.again(shape), f"--backends={backend}", f"--seed={options.seed}",
                         *(f"--tkc='{a}'" for a in options.tkc)])
    arguments = [f"--backends={backend}", f"--seed={options.seed}", f"--kernel={options.kernel}",
                 f"--source={options.source}", *(f"--tkc='{a}'" for a in options.tkc)]
    return " ".join([*environment, f"python3 {os.path.relpath(sys.argv[0])}", *arguments, str(shape)])
