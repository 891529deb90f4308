"""subjects.py - The kernels that are mutated, and on which arguments they run.

A shape must fill each ring more than twice for each tile, give each of the emulator's two multiprocessors
at least two tiles, and end inside a tile in all directions. A mutant is wrong if its outputs differ from
those of the unmodified kernel, which other tests compare with the truth.
"""
import os
from dataclasses import dataclass, field

from tkc_run import abi, toolchain

ROOT = toolchain.SOURCE


@dataclass(frozen=True)
class Tensor:
    name: str
    extents: tuple
    dtype: int = abi.BF16
    padding: int = 0  # elements between its rows


@dataclass(frozen=True)
class Subject:
    source: str  # the .tk, or an emitted .cu whose headers lie beside it
    function: str
    tensors: tuple
    outputs: tuple  # names
    scalars: tuple = ()  # floats and ints, behind the tensors
    instances: tuple = ()  # of the .tk, beside those it asks for
    # Mutants that change nothing: a pattern of Mutant.where, and why the statement stays.
    redundant: dict = field(default_factory=lambda: REDUNDANT)


REDUNDANT = {
    "another barrier": "the same threads meet at a barrier id that nothing else uses: it changes nothing",
    "setmaxnreg_inc.*dropped": "host code counts no registers, so the emulator cannot see it; on the GPU the compiled "
    "code names registers that the thread would not own",
}



def gemm(function, *instances):
    """C = A B. 9 tiles of 128 x 256 on two multiprocessors, 10 steps of 64."""
    extents = {"A": (300, 601), "B": (601, 523), "C": (300, 523)}
    return Subject(os.path.join(ROOT, "dsl-examples", "gemm.tk"), function,
                   tuple(Tensor(name, extent, padding=8) for name, extent in extents.items()), ("C",), (), instances)


def attention(function, head):
    """6 tiles of 128 rows, 6 blocks of 128 keys, two heads that share their keys."""
    extents = {"Q": (1, 2, 260, head), "K": (1, 1, 700, head), "V": (1, 1, 700, head), "O": (1, 2, 260, head)}
    tensors = [Tensor(name, extent) for name, extent in extents.items()] + [Tensor("L", (1, 2, 260), abi.F32)]
    return Subject(os.path.join(ROOT, "dsl-examples", "attention.tk"), function, tuple(tensors), ("O", "L"),
                   (head**-0.5,))


SUBJECTS = {
    "gemm": gemm("gemm"),
    "gemm_64_64_64": gemm("gemm_64_64_64", "gemm<64, 64, 64>"),
    "gemm_128_128_64": gemm("gemm_128_128_64", "gemm<128, 128, 64>"),
    "attention": attention("attention", 128),
    "attention_causal": attention("attention_causal", 128),
    "attention_64": attention("attention_64", 64),
    "attention_64_causal": attention("attention_64_causal", 64),
    "attention_by_hand": Subject(
        os.path.join(ROOT, "test", "runtime", "attention_by_hand.cu"),
        "attention",
        tuple(Tensor(name, (1, 2, rows, 128)) for name, rows in (("Q", 260), ("K", 700), ("V", 700), ("O", 260))),
        ("O",),
        (128**-0.5,),
    ),
}
