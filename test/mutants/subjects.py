"""subjects.py - The kernels that are mutated, and on which arguments they run.

A shape must fill each ring more than twice for each tile, give each of the emulator's multiprocessors at
least two tiles, and end inside a tile in all directions. A mutant is wrong if its outputs differ from
those of the unmodified kernel, which other tests compare with the truth.
"""
import os
from dataclasses import dataclass, field

from tkc_run import abi

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


@dataclass(frozen=True)
class Tensor:
    name: str
    extents: tuple
    dtype: int = abi.BF16
    padding: int = 0  # elements between its rows


@dataclass(frozen=True)
class Subject:
    source: str  # the emitted file; headers it includes lie beside it
    function: str
    tensors: tuple
    outputs: tuple  # names
    scalars: tuple = ()  # floats and ints, behind the tensors
    # Mutants that change nothing: a pattern of Mutant.where, and why the statement stays.
    redundant: dict = field(default_factory=lambda: REDUNDANT)


REDUNDANT = {
    "another barrier": "the same threads meet at a barrier id that nothing else uses: it changes nothing",
    "setmaxnreg_inc.*dropped": "host code counts no registers, so the emulator cannot see it; on the GPU the compiled "
    "code names registers that the thread would not own",
}

SUBJECTS = {
    "gemm": Subject(
        os.path.join(TEST, "golden", "gemm.cu"),
        "gemm",
        (Tensor("A", (300, 601), padding=8), Tensor("B", (601, 523), padding=8), Tensor("C", (300, 523), padding=8)),
        ("C",),
    ),
    "attention_by_hand": Subject(
        os.path.join(TEST, "runtime", "attention_by_hand.cu"),
        "attention",
        tuple(Tensor(name, (1, 2, rows, 128)) for name, rows in (("Q", 600), ("K", 700), ("V", 700), ("O", 600))),
        ("O",),
        (128**-0.5,),
    ),
}
