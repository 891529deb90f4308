"""subjects.py - The kernels that are mutated, and on which arguments they run.

Each runs at several shapes, on one multiprocessor, which computes all tiles in turn. The long one goes round each
ring more than twice for each tile, and ends inside a tile in all directions. In the short ones loops run once,
or a few times, so that the producer is tiles ahead of the consumers. There are so many tiles that an mbarrier which
expects an arrival too few falls behind by more than half of them. A mutant is wrong if its outputs differ from
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
    cases: tuple  # of the tensors of one call
    outputs: tuple  # names
    scalars: tuple = ()  # floats and ints, behind the tensors
    instances: tuple = ()  # of the .tk, beside those it asks for
    header: str = ""  # of the runtime, which is mutated instead of the kernel
    # Mutants that change nothing: a pattern of Mutant.place, and why the statement stays.
    redundant: dict = field(default_factory=lambda: REDUNDANT)


# A place is "the statement before; the statement | what was changed".
REDUNDANT = {
    "another barrier": "the same threads meet at a barrier id that nothing else uses: it changes nothing",
    r"_full\.wait\(.*; wgmma_fence\(\) \| dropped": "PTX asks for no fence here, because the one before the product in front "
    "covers these registers too; but where a wait for an mbarrier stands between two products, ptxas injects a fence of "
    "its own with a warning (C7519), unless there is one (written by tk-insert-waits)",
    r"setmaxnreg_dec<24>.*\| 8 registers more": "the block's pool has 8 registers per thread more than the roles ask for",
    r"setmaxnreg_dec.*\| ": "a block of two warpgroups starts with all registers that its threads can have, so nobody waits for "
    "those that the producer gives back; tk-allocate-registers writes the same for blocks of every size",
    r"named_barrier_sync\(6 \+ .*\| (dropped|arrives only)|named_barrier_sync\(6, .*\| arrives only": "turns "
    "make consumers start their products one after the other, which makes them faster and changes no result",
    r"setmaxnreg_inc.*dropped": "host code counts no registers, so the emulator cannot see it; on the GPU the compiled "
    "code names registers that the thread would not own",
}



def gemm(function, *instances):
    """C = A B: 9 tiles of 128 x 256, 10 steps or one of 64."""

    def case(k):
        extents = {"A": (300, k), "B": (k, 523), "C": (300, 523)}
        return tuple(Tensor(name, extent, padding=8) for name, extent in extents.items())

    return Subject(os.path.join(ROOT, "dsl-examples", "gemm.tk"), function, (case(50), case(601)), ("C",), (), instances)


def attention(function, head, tile, block, blocks, header=""):
    """Three tiles of rows for each head. With as many blocks of keys as a ring has stages, each tile begins at the stage
    where the one before began: only then is a wait needed that others imply for all other numbers. In the last case
    the tiles of a causal kernel have different numbers of blocks (3, 2 and 1 for heads of 128; 9, 8 and 4 for heads of
    64), each three times, so that some of those tiles begin at another stage than the first one."""

    def case(keys, heads):
        q, k = (1, heads, 2 * tile + 4, head), (1, 1, keys, head)
        extents = {"Q": q, "K": k, "V": k, "O": q}
        return *(Tensor(name, extent) for name, extent in extents.items()), Tensor("L", q[:3], abi.F32)

    cases = (case(100, 6), *(case(count * block - 28, 2) for count in blocks), case(2 * tile + 2, 3))
    return Subject(os.path.join(ROOT, "dsl-examples", "attention.tk"), function, cases, ("O", "L"), (head**-0.5,), (), header)


SUBJECTS = {
    "gemm": gemm("gemm"),
    "gemm_64_64_64": gemm("gemm_64_64_64", "gemm<64, 64, 64>"),
    "gemm_128_128_64": gemm("gemm_128_128_64", "gemm<128, 128, 64>"),
    "attention": attention("attention", 128, 128, 128, (2, 3, 4, 5, 6)),
    "attention_causal": attention("attention_causal", 128, 128, 128, (2, 3, 4, 5, 6)),
    "attention_64": attention("attention_64_false_256_64", 64, 256, 64, (2, 3, 7, 8, 9)),
    "attention_64_causal": attention("attention_64_true", 64, 256, 64, (2, 3, 7, 8, 9)),
    "attention_64_wide": attention("attention_64_false_192_128", 64, 192, 128, (2, 3, 4, 5, 6)),
    "attention_64_wide_causal": attention("attention_64_true_192_128", 64, 192, 128, (2, 3, 4, 5, 6)),
    "tile_queue": attention("attention_causal", 128, 128, 128, (1, 2, 3), "tile/queue.h"),
    "attention_by_hand": Subject(
        os.path.join(ROOT, "test", "runtime", "attention_by_hand.cu"),
        "attention",
        tuple(tuple(Tensor(name, (1, 2, 260 if name in "QO" else keys, 128)) for name in "QKVO") for keys in (100, 700)),
        ("O",),
        (128**-0.5,),
    ),
}
