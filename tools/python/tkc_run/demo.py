"""demo.py - Two examples, from source to a checked result, told as it happens.

tools/demo runs this once everything is built. For each of dsl-examples/gemm.tk and attention.tk: compiles
it, shows the loop of the emitted kernel that does the work, runs it and the reference, and prints a table
against float64.
"""
import os
import sys
import threading
import time
from dataclasses import dataclass

from . import attention, builds, gemm, toolchain, backends


@dataclass(frozen=True)
class Example:
    name: str  # of the file and of its kernel
    problem_of: callable  # of a shape and a seed
    header: str
    small: list
    large: list  # where there is a GPU


EXAMPLES = [
    Example(
        "gemm",
        gemm.Gemm,
        "M x N x K",
        [gemm.Shape(128, 256, 64), gemm.Shape(1, 1, 1), gemm.Shape(129, 257, 65), gemm.Shape(251, 509, 193, 8)],
        [gemm.Shape(2048, 2048, 2048), gemm.Shape(4096, 4096, 1024)],
    ),
    Example(
        "attention",
        attention.Attention,
        "batch x heads x rows x keys",
        [attention.Shape(1, 1, 1, 128, 128), attention.Shape(1, 2, 1, 33, 257)],
        [attention.Shape(2, 8, 2, 2048, 2048), attention.Shape(1, 4, 4, 1000, 3000)],
    ),
]


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
    """The lines of the emitted text that multiply: the longest loop that holds a matmul and no other loop around
    one, as it stands."""
    lines = cuda.splitlines()
    indent_of = lambda line: len(line) - len(line.lstrip())
    loops = []
    for matmul in (i for i, line in enumerate(lines) if line.lstrip().startswith("mma_")):
        opened = (i for i in range(matmul, 0, -1)
                  if lines[i].lstrip().startswith("for (") and indent_of(lines[i]) < indent_of(lines[matmul]))
        first = next(opened)
        last = next(i for i in range(matmul, len(lines)) if lines[i] == " " * indent_of(lines[first]) + "}")
        if "pragma" in lines[first - 1]:  # the tile loop around it has none
            loops.append((last - first, first, last))
    _, first, last = max(loops)
    indent = indent_of(lines[first])
    while lines[first - 1].lstrip().startswith(("//", "#pragma")):
        first -= 1
    # A #pragma stands at the left edge, whatever is around it.
    return first + 1, "\n".join(line[min(indent, indent_of(line)) :] for line in lines[first : last + 1])


def show(text):
    print("\n".join("  | " + line for line in text.splitlines()))


def table(example, opened, shapes):
    """Runs every shape in every backend and prints a line for each; the number of wrong results."""
    print(f"{example.header:>28}  {'way':<9}  {'max error':>9}  {'of what is allowed':>18}  {'time':>9}")
    wrong = 0
    for shape in shapes:
        with Waiting(f"computing {shape} in float64"):
            problem = example.problem_of(shape, seed=1)
        for backend in opened:
            with Waiting(f"{shape} on the {backend.name}"):
                result = problem.check(backend)
            if result.problem:
                wrong += 1
                print(f"{str(shape):>28}  {backend.name:<9}  WRONG: {result.problem}", flush=True)
                continue
            seconds = result.seconds
            duration = f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
            compared = result.comparison
            print(f"{str(shape):>28}  {backend.name:<9}  {compared.largest:>9.4f}  {compared.worst:>18.2f}  {duration:>9}",
                  flush=True)
    return wrong


def show_example(example, found):
    """From the source to the table; the number of wrong results."""
    source = os.path.join(toolchain.SOURCE, "dsl-examples", example.name + ".tk")
    folder = os.path.join(toolchain.build_folder(), "demo")
    os.makedirs(folder, exist_ok=True)
    output = os.path.join(folder, example.name + ".cu")

    heading(f"The source: dsl-examples/{example.name}.tk")
    with open(source) as file:
        show(file.read())

    heading(f"tkc {example.name}.tk -o {example.name}.cu")
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

    fast = "gpu" if "gpu" in found else "emulator"
    heading(f"{example.name} runs on the {'GPU' if fast == 'gpu' else 'emulator, on this CPU'}")
    kernels, opened = builds.Kernels(source), []
    for name in ("reference", fast):
        with Waiting(f"building the {name}"):
            opened.append(backends.Backend(name, kernels))
    print("Largest error against float64, beside what rounding to bf16 and adding in fp32 may cost:")
    wrong = table(example, opened, example.small)
    if fast == "gpu":
        wrong += table(example, opened[1:], example.large)
    return wrong


def main():
    found, missing = backends.available()
    wrong = sum(show_example(example, found) for example in EXAMPLES)
    print()
    for name, reason in missing.items():
        print(f"not on the {name}: {reason}")
    if wrong:
        print(f"{wrong} results are wrong.")
        return 1
    print("All match. Change dsl-examples/gemm.tk or attention.tk and run tools/demo again; the tests: tools/check")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except builds.BuildError as error:
        sys.exit(f"demo: error: {error}")
