"""demo.py - One example, from source to a checked result, told as it happens.

tools/demo runs this once everything is built. Compiles dsl-examples/gemm.tk, shows the loop of the
emitted kernel that does the work, runs it and the reference, and prints a table against float64.
"""
import os
import sys
import threading
import time

from . import builds, toolchain, ways
from .gemm import Gemm, Shape

SMALL = [Shape(128, 256, 64), Shape(1, 1, 1), Shape(129, 257, 65), Shape(200, 300, 100), Shape(251, 509, 193, 8)]
LARGE = [Shape(2048, 2048, 2048), Shape(4096, 4096, 1024)]


class Waiting:
    """Prints a line every few seconds while something slow runs in this thread."""

    def __init__(self, what):
        self.what, self.done = what, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        start = time.monotonic()
        while not self.done.wait(3):
            print(f"  {time.monotonic() - start:.0f} s  {self.what}", flush=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


def heading(text):
    print(f"\n== {text}", flush=True)


def work_loop(cuda):
    """The lines of the emitted text that multiply: the loop around the product, as it stands."""
    lines = cuda.splitlines()
    product = next(i for i, line in enumerate(lines) if line.lstrip().startswith("mma_"))
    first = next(i for i in range(product, 0, -1) if lines[i].lstrip().startswith("for ("))
    indent = len(lines[first]) - len(lines[first].lstrip())
    last = next(i for i in range(product, len(lines)) if lines[i] == " " * indent + "}")
    while lines[first - 1].lstrip().startswith(("//", "#pragma")):
        first -= 1
    # A #pragma stands at the left edge, whatever is around it.
    return first + 1, "\n".join(line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[first : last + 1])


def show(text):
    print("\n".join("  | " + line for line in text.splitlines()))


def table(opened, shapes):
    """Runs every shape in every way and prints a line for each; the number of wrong results."""
    print(f"{'M x N x K':>18}  {'way':<9}  {'max error':>9}  {'allowed':>8}  {'time':>9}")
    wrong = 0
    for shape in shapes:
        with Waiting(f"computing {shape} in float64"):
            problem = Gemm(shape, seed=1)
        for way in opened:
            with Waiting(f"{shape} on the {way.name}"):
                result = problem.check(way)
            size = f"{shape.m} x {shape.n} x {shape.k}"
            if result.problem:
                wrong += 1
                print(f"{size:>18}  {way.name:<9}  WRONG: {result.problem}", flush=True)
                continue
            seconds = result.seconds
            duration = f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
            allowed = float(problem.product.allowed.max())
            print(f"{size:>18}  {way.name:<9}  {result.comparison.largest:>9.4f}  {allowed:>8.4f}  {duration:>9}",
                  flush=True)
    return wrong


def main():
    source = os.path.join(toolchain.SOURCE, "dsl-examples", "gemm.tk")
    folder = os.path.join(toolchain.build_folder(), "demo")
    os.makedirs(folder, exist_ok=True)
    output = os.path.join(folder, "gemm.cu")

    heading("The source: dsl-examples/gemm.tk")
    with open(source) as file:
        show(file.read())

    heading("tkc gemm.tk -o gemm.cu")
    start = time.monotonic()
    builds.run([os.path.join(toolchain.build_folder(), "bin", "tkc"), source, "-o", output], "tkc")
    elapsed = time.monotonic() - start
    with open(output) as file:
        cuda = file.read()
    relative = os.path.relpath(output, toolchain.SOURCE)
    print(f"{relative}: {len(cuda.splitlines())} lines of CUDA, in {elapsed * 1e3:.0f} ms. The loop that multiplies:")
    number, loop = work_loop(cuda)
    show(loop)
    print(f"({relative}, line {number})")

    found, missing = ways.available()
    fast = "gpu" if "gpu" in found else "emulator"
    heading(f"It runs on the {'GPU' if fast == 'gpu' else 'emulator, on this CPU'}")
    for name, reason in missing.items():
        print(f"not on the {name}: {reason}")
    kernels, opened = builds.Kernels(source), []
    for name in ("reference", fast):
        with Waiting(f"building the {name}"):
            opened.append(ways.Way(name, kernels))
    print("Largest error against float64, beside what rounding to bf16 and adding in fp32 may cost:")
    wrong = table(opened, SMALL)
    if fast == "gpu":
        wrong += table(opened[1:], LARGE)
    print()
    if wrong:
        print(f"{wrong} results are wrong.")
        return 1
    print(f"All match. Change {os.path.relpath(source, toolchain.SOURCE)} and run tools/demo again; every test: tools/check")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except builds.BuildError as error:
        sys.exit(f"demo: error: {error}")
