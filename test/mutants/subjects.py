"""subjects.py - The kernels that are mutated, and on which arguments they run.

Each runs at several shapes, on one SM, which computes all tiles one after the other. The long one goes round each
ring more than twice for each tile, and ends inside a tile in all directions. In the short ones loops run once,
or a few times, so that the producer is tiles ahead of the consumers. There are so many tiles that an mbarrier which
expects an arrival too few falls behind by more than half of them. A mutant is wrong if its outputs differ from
those of the unmodified kernel, which other tests compare with the truth.
"""
import ctypes
import os
import re
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from tkc_run import abi, convolutions, gallery, matmuls, norms, rotary, sequences, tensors, toolchain
from tkc_run import attention as attentions
from tkc_run.attention_batches import Decode, Varlen
from tkc_run.cases import Case, Output
from tkc_run.gemm import Shape
from tkc_run.mla import Mla

ROOT = toolchain.SOURCE


# Beside a recurrence.
REDUNDANT_HANDED_OVER = {
    r"x_[01]_full\.wait\((x_[01]_)?use.*dropped": "the reducer's: the consumer has read x before it hands the states over, for which the reducer "
    "waits",
}
REDUNDANT_FEWER_STAGES = {
    r"(x_[01]|vectors)_empty\.(wait\(.*dropped|arrive\(.*the stage before)|(in_use\.advance\(\)|wgmma_commit\(\)); fence_proxy_async\(\) \| dropped":
    "B and C have two stages, for which the producer waits first: whoever has read x or vectors of four iterations before has begun a later "
    "iteration by then, after the fence of a store or a hand-over",
}


@dataclass(frozen=True)
class Subject:
    source: str  # the .tk, or an emitted .cu whose headers lie beside it
    function: str
    cases: tuple  # of functions, each of which makes a case of one call: what has a `check` as cases.Case has
    instances: tuple = ()  # of the .tk, beside those it asks for
    header: str = ""  # of the runtime, which is mutated instead of the kernel
    redundant: dict = field(default_factory=dict)  # beside REDUNDANT

    def reason(self, place):
        """Why a mutant at this Mutant.place may survive, or nothing."""
        patterns = {**REDUNDANT, **self.redundant}
        return next((why for pattern, why in patterns.items() if re.search(pattern, place)), "")


def example(name):
    return os.path.join(ROOT, "dsl-examples", name + ".tk")


# Mutants of any kernel that change nothing: a pattern of their place, which is "the statement before; the statement |
# what was changed", and why the statement stays.
NO_FENCE = "PTX asks for no fence here, because the one before the MMA in front covers these registers too; "
OTHER_CODE = (
    "but where other code stands between two MMAs, ptxas injects a fence of its own with a warning (C7519), unless there is one "
    "(written by tk-insert-waits)"
)
REDUNDANT = {
    "another barrier": "the same threads meet at a barrier id that nothing else uses: it changes nothing",
    r"(_full\.wait\(.*|store\(scratch_\w*tile, .*\)); wgmma_fence\(\) \| dropped": NO_FENCE + OTHER_CODE,
    r"(rt<float, \w+, \w+> \w+|const auto \w+ = \w+\[0\]); wgmma_fence\(\) \| dropped": NO_FENCE + "tk-insert-waits "
    "counts a tile that begins here as touched, which costs nothing: the fence waits for nothing",
    r"wgmma_commit\(\) \| dropped": "no wait tells this group from the next one, which its MMAs would join; each has "
    "a group of its own so that waits can",
    r"setmaxnreg_dec<24>.*\| 8 registers more": "the block's pool has 8 registers per thread more than the roles ask for",
    r"setmaxnreg_dec.*\| ": "a block of two warpgroups starts with all registers that its threads can have, so nobody waits for "
    "those that the producer gives back; tk-allocate-registers writes the same for blocks of every size",
    r"named_barrier_sync\(ping_pong_barrier \+ .*\| (dropped|arrives only)|named_barrier_sync\(ping_pong_barrier, .*\| arrives only": "ping-pong "
    "makes consumers start their MMAs one after the other, which makes them faster and changes no result",
    r"setmaxnreg_inc.*dropped": "host code counts no registers, so the emulator cannot see it; on the GPU the compiled "
    "code names registers that the thread would not own",
    r"tma_prefetch\(.*; if \(.*\| from the first on": "how many tiles are prefetched: it changes no result",
    r"if \(attempts_left > 0\)": "whether warps vote this time, on exponentials that they would compute anyway: it changes no result",
}
# A block of one tile whose warps each load and store their own.
REDUNDANT_OWN_STORES = {
    r"bulk_commit\(\) \| dropped": "the store joins the next one's group, and nothing waits for one without the other",
    r"^(?!.*fence_proxy).*; __syncwarp\(\) \| dropped": "the warp waits at the barriers of its loads; threads that come there together "
    "wait once",
}
REDUNDANT_SCALE = {
    r"Scale_tile_empty.*(one arrival fewer|dropped)|Scale_tile\[.*; fence_proxy_async\(\) \| dropped": "R's ring has no more stages than a tile has parts, so that the producer is "
    "never two tiles ahead of the consumers; the scales' ring of two tiles does not count on that",
}
AHEAD = "the consumer has waited for this phase before, when it released the other one; the second wait returns at once"
REDUNDANT_PARTS_AHEAD = {
    r"R_tile_full\.wait\(R_tile_use": AHEAD,
    r"R_tile_full\.wait\(R_tile_ahead": "the producer loads the parts of a tile in order, so the wait for the last one implies that the phases "
    "before these were over; only that one is needed",
    r"(R|Scale)_tile_empty\.wait.*the stage before": "the consumers read the stages in order, so the stage before this one is read later: the "
    "producer waits longer than it must, but not for itself",
}
# The staging of stores lies over q, which has one stage.
REDUNDANT_OVER_Q = {
    r"tiles\.init\(.*one arrival fewer": "q has one stage, which all warps give back at the end of a tile: the producer writes a slot of the "
    "scheduler anew only after that",
    r"bulk_wait_read<0>\(\); named_barrier_sync\(warpgroup_barrier .*\| (dropped|arrives only)": "each warp gives q back after its own reads of the "
    "staging, the leader's after the stores have read it: the producer waits for all of them",
}
REDUNDANT_SPLIT = {
    r"if \(count > 0\) \{ \| from the first on": "the loop that the producer skips runs `count` times, which is none",
}
REDUNDANT_AHEAD = {r"Bias_tile_full\.wait\(Bias_tile_use.*dropped": AHEAD}
RING_IMPLIED = (
    "the rings are as deep, and the wait before this one is for a stage that is given back at the same place or later, so it implies "
    "this one; they are two rings so that MMAs start before all has landed"
)
REDUNDANT_RINGS = {r"(v|in)_empty\.wait.*dropped": RING_IMPLIED}
REDUNDANT_GRADIENTS = {
    r"d_empty\.(wait.*dropped|init.*one arrival fewer)": RING_IMPLIED,
    r"wgmma_wait<0>\(dk\); q_empty\.arrive\(q_release\.stage\) \| dropped": "in a tile's last iteration: a block of one tile loads "
    "nothing after it",
    r"k_full\.wait\((k_)?use.*dropped": "the reducer's: consumers have waited for k before they write ds, for which the reducer waits",
    **REDUNDANT_OWN_STORES,
}

# Where the reducer loads: its rings have four stages, and it loads iteration j + 3 once it has dS of iteration j.
LOADED_LATER = "once dS of an iteration is there, all consumers have given back the stages of the one before, so the reducer never waits"
REDUNDANT_WITH_LOADS = {
    **REDUNDANT_GRADIENTS,
    r"q_empty\.(wait.*dropped|init.*one arrival fewer)": LOADED_LATER,
    r"(q|d)_full\.wait\(.*dropped": "in an iteration that a warpgroup skips it reads nothing of the stage; the other warpgroups wait for it "
    "before they give it back",
    r"ds_empty\.wait\(.*dropped": "in a skipped iteration: its stage of q is there, so the reducer has read dS of four iterations before",
}

# A block with one tile, whose first iteration and last one stand outside of the loop.
REDUNDANT_ONE_TILE = {
    r"i \* share\}\); k_empty\.wait.* \| ": "all stages are empty when the block's only tile begins",
    r"(v_full.*; v_fill\.advance\(\)|wgmma_wait<0>\(o\); v_empty\.arrive.*|v_empty\.arrive.*; v_use\.advance\(\)) \| ": "nobody loads or reads a "
    "stage after the last iteration of the block's only tile",
}
AFTER_Q = "the wait before it is for q's stage, which is given back later"
# Q stays in shared memory until the last scores of a tile are there.
REDUNDANT_AFTER_Q = {r"q_fill\.advance\(\); k_empty\.wait.*dropped": AFTER_Q}
# Warpgroups with loops of their own, which hand weights over to each other in every iteration.
REDUNDANT_TURNS = {
    r"Q_tile_empty\w*\.wait.*dropped": AFTER_Q,
    r"Q_tile\w*\[.*; fence_proxy_async\(\) \| dropped": "each thread has a later fence before it gives q back, for which the producer waits, too",
    r"k_\d_columns_512_empty\.wait.*dropped": RING_IMPLIED,
    r"wgmma_wait<[12]>\(\) \| ": "the part is loaded anew when the other warpgroup has given it back, too, which waits for a signal that comes "
    "after these MMAs",
    r"k_(1_columns_0|0_columns_256)_full\.wait.*dropped": "the other warpgroup has waited for this part before the signal that came just before",
    r"totals_tile = .*; named_barrier_sync\(consumers_barrier, 256\) \| dropped": "the warpgroups have met in the loop since they read the sums "
    "of the tile before, if it has run",
    r"bulk_wait_read<0>\(\); named_barrier_sync\(warpgroup_barrier.*\| (dropped|arrives only)": "the stage is loaded anew when all warps have "
    "arrived, and the leader's does when its stores have read their buffers",
}


@dataclass(frozen=True)
class Tensor:
    name: str
    extents: tuple
    dtype: int = abi.BF16
    padding: int = 0  # elements between its rows


def random_case(parameters, outputs, scalars=()):
    """Normal numbers in all tensors but the outputs, which no truth is known of."""
    rng = np.random.default_rng(1)
    made = {}
    for tensor in parameters:
        host = tensors.HostTensor(tensor.extents, tensor.padding, tensor.dtype)
        host.set(rng.standard_normal(tensor.extents, dtype=np.float32))
        made[tensor.name] = Output(host, None, None) if tensor.name in outputs else host
    return Case(made, list(scalars))


def matmul(m, n, k, beside=()):
    """C = A B, with the tensors of `beside` in between."""
    a, b, c = (Tensor(name, extents, padding=8) for name, extents in (("A", (m, k)), ("B", (k, n)), ("C", (m, n))))
    return partial(random_case, (a, b, *beside, c), "C")


def gemm(function, source="gemm", instances=(), beside=(), redundant=None):
    """Tiles of all sizes end inside the tensors; 10 steps of 64 or one."""
    cases = tuple(matmul(300, 523, k, beside) for k in (50, 601))
    return Subject(example(source), function, cases, instances, redundant=redundant or {})


def blockwise(kernel, redundant=None):
    """In the last case a block's steps are no multiple of a ring's stages."""
    def case(k, rows=500, cols=300):
        blocks = (k + 127) // 128
        a, b = (Tensor(name, (extent, k), abi.E4M3, padding=16) for name, extent in (("A", rows), ("B", cols)))
        scales = Tensor("ScaleA", (blocks, rows), abi.F32), Tensor("ScaleB", ((cols + 127) // 128, blocks), abi.F32)
        return partial(random_case, (a, b, *scales, Tensor("C", (rows, cols), padding=8)), "C")

    return Subject(example("gemm_fp8"), kernel, (case(50), case(1201), case(1201, 250, 200)), redundant=redundant or {})


def attention(kernel, blocks, header="", redundant=None):
    """Three tiles of rows for each head. With as many blocks of keys as a ring has stages, each tile begins at the stage
    where the one before began: only then is a wait needed that others imply for all other numbers. In the last case
    the tiles of a causal kernel have different numbers of blocks (3, 2 and 1 for heads of 128; 9, 8 and 4 for heads of
    64), each three times, so that some of those tiles begin at another stage than the first one."""
    form = attentions.KERNELS[kernel]

    def case(keys, heads):
        return partial(attentions.Attention, attentions.Shape(1, heads, 1, 2 * form.rows + 4, keys), 1, kernel)

    cases = (case(100, 6), *(case(count * form.keys - 28, 2) for count in blocks), case(2 * form.rows + 2, 3))
    return Subject(example(form.example), kernel, cases, header=header, redundant=redundant or {})


def batches(source, kernel, make, texts, redundant=None):
    """Sequences of different lengths, each text of several."""
    cases = tuple(partial(make, text, 1, kernel) for text in texts)
    return Subject(example(source), kernel, cases, redundant=redundant or {})


def attention_join(rows, splits, heads):
    part, o = (Tensor(name, (rows, *extents, 128), dtype) for name, extents, dtype in (("Part", (heads, splits), abi.F32), ("O", (heads,), abi.BF16)))
    return partial(random_case, (part, Tensor("L", (rows, heads, splits), abi.F32), o, Tensor("Sums", (rows, heads, 1), abi.F32)), ("O", "Sums"))


def attention_by_hand(keys):
    parameters = [Tensor(name, (1, 2, 260 if name in "QO" else keys, 128)) for name in "QKVO"]
    return partial(random_case, parameters, "O", [ctypes.c_float(128**-0.5)])


def of_table(table, kernel, shapes, redundant=None):
    """A kernel of one of the tables of tkc_run, which know what values it takes."""
    source, make, form, _ = table.KERNELS[kernel]
    cases = tuple(partial(make, 1, kernel, shape, form) for shape in shapes)
    folder = os.path.join(ROOT, "test", "gallery", "Inputs")
    path = os.path.join(folder, source + ".tk") if table is gallery else example(source)
    return Subject(path, kernel, cases, redundant=redundant or {})


def backward(kernel, head, shapes, redundant):
    """Of the gradients' kernels the one in the middle, on numbers of any kernel. What it adds to is zero before; rows of
    tensors in fragment order are a multiple of 16."""
    def case(heads, key_heads, rows, keys):
        padded = -(-rows // 16) * 16
        tall, wide = (1, heads, rows, head), (1, key_heads, keys, head)
        vectors = [Tensor(name, (1, heads, padded), abi.F32) for name in ("Level", "Delta")]
        parameters = [Tensor("Q", tall), Tensor("K", wide), Tensor("V", wide), Tensor("dO", tall), *vectors,
                      Tensor("Sum", (1, heads, padded, head), abi.F32), Tensor("dK", wide), Tensor("dV", wide)]
        made = random_case(parameters, ("dK", "dV"), [ctypes.c_float(head**-0.5)])
        made.tensors["Sum"].set(np.zeros((1, heads, padded, head), np.float32))
        return made

    return Subject(example("attention_backward"), kernel, tuple(partial(case, *shape) for shape in shapes), redundant=redundant)


def other_gemm(kernel, shapes, redundant=None):
    source = next(example for example, kernels in matmuls.EXAMPLES.items() if kernel in kernels)
    cases = tuple(partial(matmuls.Problem, Shape(*shape, 8), 1, kernel) for shape in shapes)
    return Subject(example(source), kernel, cases, redundant=redundant or {})


VARLEN = ("5:7,0:3,128:130,9:0,300:500x4/2", "260:100,260:228,260:356,260:484,260:612x2")

OF_RESIDUAL = Tensor("Scale", (300,), abi.F32), Tensor("R", (300, 523), padding=8)
SUBJECTS = {
    "gemm": gemm("gemm"),
    "gemm_64_64_64": gemm("gemm_64_64_64", instances=("gemm<64, 64, 64>",)),
    "gemm_128_128_64": gemm("gemm_128_128_64", instances=("gemm<128, 128, 64>",)),
    "gemm_pingpong": gemm("gemm_nn_bm128_bn128_pingpong", "gemm_layouts"),
    "gemm_bias_pingpong": gemm(
        "gemm_bias_bn192_pingpong", "gemm_epilogue", (), (Tensor("Bias", (523,), abi.F32),), REDUNDANT_AHEAD
    ),
    "gemm_residual": gemm("gemm_residual_bn256", "gemm_epilogue", (), OF_RESIDUAL, REDUNDANT_SCALE),
    "gemm_residual_pingpong": gemm(
        "gemm_residual_bn192_pingpong", "gemm_epilogue", (), OF_RESIDUAL, REDUNDANT_SCALE | REDUNDANT_PARTS_AHEAD
    ),
    "gemm_blockwise": blockwise("gemm_blockwise_bm192_parts1"),
    "gemm_blockwise_parts": blockwise("gemm_blockwise_bm256_parts2", {r"a_empty\.wait.*dropped": RING_IMPLIED}),
    "gemm_batched": other_gemm("gemm_batched", [(300, 523, 51), (300, 524, 601), (300, 523, 601)]),
    "gemm_grouped": other_gemm("gemm_grouped", [(700, 523, 50), (700, 523, 601)]),
    "gemm_splitk": other_gemm("gemm_splitk", [(300, 523, 50), (300, 523, 1601)], REDUNDANT_SPLIT),
    "attention": attention("attention", (2, 3, 4, 5, 6)),
    "attention_causal": attention("attention_causal", (2, 3, 4, 5, 6)),
    "attention_64": attention("attention_64_bm256_bn64", (2, 3, 4, 5, 6)),
    "attention_64_causal": attention("attention_64_causal_bm256_bn64", (2, 3, 7, 8, 9)),
    "attention_64_wide": attention("attention_64_bm192_bn128", (2, 3, 4, 5, 6)),
    "attention_64_wide_causal": attention("attention_64_causal_bm192_bn128", (2, 3, 4, 5, 6)),
    # Of a kernel whose ring of queries has two stages: with one, its waits imply those for the scheduler's slots.
    "tile_scheduler": attention("attention_64_causal_bm192_bn128", (1, 2, 3), "tile/scheduler.h"),
    "attention_by_hand": Subject(
        os.path.join(ROOT, "test", "runtime", "attention_by_hand.cu"), "attention", (attention_by_hand(100), attention_by_hand(700))
    ),
    "attention_256": attention("attention_256", (2, 3, 4, 5, 6), redundant=REDUNDANT_AFTER_Q),
    "attention_256_causal": attention("attention_256_causal", (2, 3, 4, 5, 6), redundant=REDUNDANT_AFTER_Q),
    "attention_fp8": attention("attention_fp8", (2, 3, 4, 5, 6)),
    "attention_fp8_64_causal": attention("attention_fp8_64_causal", (2, 3, 7, 8, 9)),
    "attention_window": attention("attention_window", (2, 3, 4, 5, 6)),
    "attention_alibi": attention("attention_alibi", (2, 3, 4, 5, 6), redundant=REDUNDANT_AFTER_Q),
    "attention_softcap": attention("attention_softcap", (2, 3, 4, 5, 6)),
    "attention_softcap_small": attention("attention_softcap_small", (2, 3, 4, 5, 6)),
    "attention_document": attention("attention_document", (2, 3, 4, 5, 6)),
    "attention_varlen": batches("attention_varlen", "attention_varlen", Varlen, VARLEN),
    "attention_varlen_causal": batches("attention_varlen", "attention_varlen_causal", Varlen, VARLEN),
    # The last case of attention_whole: as many pages as a ring has stages, as in attention().
    "attention_split": batches("attention_decode", "attention_split", Decode, ("100,0,700x2x8/2", "1500,300,5x2x8/3"), REDUNDANT_ONE_TILE),
    "attention_whole": batches("attention_decode", "attention_whole", Decode, ("100,0,700x2x8", "1500,300,5x2x8", "256,200,256,150,256x2x8"),
                               REDUNDANT_ONE_TILE),
    "attention_join": Subject(example("attention_decode"), "attention_join", (attention_join(7, 1, 8), attention_join(3, 33, 8))),
    "mla_split_16": batches("mla_decode", "mla_split_16", Mla, ("100,0,500x16x1/2", "3,300,200x9x4/1")),
    "mla_rows_split": batches("mla_decode_rows", "mla_rows_split", Mla, ("100,0,500x64x1/2", "3,300,200x40x4/1"), REDUNDANT_TURNS),
    "mla_split_64": batches("mla_decode", "mla_split_64", Mla, ("100,0,500x64x1/2", "3,300,200x40x4/1", "3,70,5,130,64,66,1,9,100,77x37x1/1"), REDUNDANT_OVER_Q),
    # Tiles of fewer blocks of queries than the rings have stages, and of more.
    "attention_backward": backward("attention_backward", 128, [(2, 1, 100, 260), (1, 1, 420, 130)], REDUNDANT_GRADIENTS),
    "attention_backward_64_causal": backward("attention_backward_64_causal_bn192", 64, [(4, 1, 260, 400), (1, 1, 700, 400)], REDUNDANT_WITH_LOADS),
    "based": of_table(sequences, "based", [(1, 3, 65), (2, 5, 300)], REDUNDANT_RINGS),
    # More chunks than stages.
    "linear_attention": of_table(sequences, "linear_attention", [(1, 3, 65), (2, 2, 700)],
                                 {**REDUNDANT_RINGS, r"convert<bf16>\(s\); wgmma_fence\(\) \| dropped": NO_FENCE + OTHER_CODE}),
    "fading_attention_128": of_table(sequences, "fading_attention_128", [(1, 3, 65), (2, 2, 300)], REDUNDANT_RINGS),
    # Eight chunks: where a barrier counts one warp too few, a warpgroup is ahead after five.
    "hedgehog": of_table(sequences, "hedgehog", [(1, 1, 65), (1, 1, 500)],
                         {r"(k|k_before|v_before)_empty\.wait.*dropped": RING_IMPLIED,
                          r"store\(far_tile.*\); wgmma_fence\(\) \| dropped": NO_FENCE + OTHER_CODE}),
    # Enough chunks that a barrier which counts one warp too few is a phase ahead.
    "mamba2": of_table(sequences, "mamba2", [(1, 6, 2, 65), (2, 5, 1, 300), (1, 2, 1, 2240)], REDUNDANT_HANDED_OVER),
    "mamba2_128": of_table(sequences, "mamba2_128", [(1, 5, 1, 65), (1, 2, 1, 2240)], REDUNDANT_FEWER_STAGES),
    "rotary": of_table(rotary, "rotary", [(1, 3, 65), (2, 2, 300)], REDUNDANT_OWN_STORES),
    "layernorm": of_table(norms, "layernorm", [(7,), (61,)], REDUNDANT_OWN_STORES),
    "rmsnorm_4096": of_table(norms, "rmsnorm_4096", [(1,), (15,)]),
    "few_rows": of_table(gallery, "few_rows", [(16, 70, 260), (40, 700, 64)]),
    "few_rows_by_warps": of_table(gallery, "few_rows_by_warps", [(16, 70, 260), (40, 700, 64)]),
    "few_queries": of_table(gallery, "few_queries", [(16, 64), (250, 330)]),
    "fftconv": of_table(convolutions, "fftconv", [(3, 12, 1024), (17, 2, 4096)]),
}
