#!/usr/bin/env python3
"""seeded_bugs.py - A mistake of each kind, seeded by hand into an emitted kernel, is reported at its line.

Usage: seeded_bugs.py KERNEL.tk EMITTED.cu [NAME ...]
A mistake is an edit of the emitted CUDA: each text to replace must stand there exactly once, so that a mistake whose
place has changed is noticed. The edited file runs as a user would run it, `tkc run --emulate --emitted`, and the
emulator's report must say what is wrong, at which line of the CUDA and of the .tk, and name the access or the state it
conflicts with.
"""
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python"))
from tkc_run import unoptimized
from tkc_run.emulate import emulate


@dataclass(frozen=True)
class Mistake:
    kind: str
    edits: tuple  # (old text, new text)
    says: str  # somewhere in the report's first line
    at: str  # how the line of the edited file that is reported begins; empty: it depends on the timing
    tk: int = 0  # the line of the .tk that is reported; 0: it depends on the timing, or there is none
    also: str = ""  # further down: the other access, or the state
    shape: str = "A=300x200,B=200x300"  # several tiles and k-steps, all with ragged ends


# Lines of the golden GEMM that mistakes are seeded at, and what stands there in the .tk.
FULL_WAIT = "        full.wait(use.stage, use.phase); // a and b of this stage have landed\n"
EMPTY_WAIT = "          empty.wait(fill.stage, fill.phase ^ 1); // the consumers have read the stage's old tiles\n"
LAST_WAIT = "      wgmma_wait<0>(acc); // acc is read on line 12\n"
STORE = "        store(staging, acc.columns<64>(slice * 64));\n"
TAIL_COLUMNS = "        store_tail_columns("

MISTAKES = [
    # ---- Waiting for what never comes. The report tells who waits for what, and who has ended.
    Mistake("deadlock: a stage is never given back", (("          empty.arrive(release.stage);\n", ""),),
            "deadlock: thread", "empty.wait(", 7, "wait for full[0] to complete phase 1: 0 of 1 arrivals have come"),
    Mistake("deadlock: the wrong phase", (("fill.phase ^ 1)", "fill.phase)"),),
            "waits for empty[0] to complete phase 0: 0 of 8 arrivals have come", "empty.wait(", 7,
            "threads 128-383 wait for full[0]"),
    Mistake("deadlock: more bytes than come", (("stage_bytes)", "stage_bytes + 16)"),),
            "1 of 1 arrivals have come, 49152 of 49168 expected bytes have landed", "full.wait(", 7, "waits for empty["),
    Mistake("deadlock: an arrival too few", (("empty.init(8)", "empty.init(9)"),),
            "deadlock: thread", "empty.wait(", 7, "waits for empty[0] to complete phase 0: 8 of 9 arrivals have come"),
    Mistake("starvation: more registers than the pool has", (("inc<232>()", "inc<240>()"),),
            "wait for 240 registers per thread: they have 168, and the block's pool has 56 left", "setmaxnreg_inc", 0,
            "(consumers)"),
    Mistake("an endless loop", ((FULL_WAIT, "        for (volatile int i = 0; k > 0;) i = 1 - i;\n" + FULL_WAIT),),
            "an endless loop", "for (volatile", 7),
    # ---- Too early
    Mistake("read before arrival", ((FULL_WAIT, ""),),
            "before the TMA load into it is known to have landed", "mma_AB(", 10,
            "at gemm.cu:84 | tma_load(a[fill.stage], A_map, {m * BM, k * BK}, full[fill.stage]);, from gemm.tk:8"),
    Mistake("overwrite in flight: by the next load of the stage", ((EMPTY_WAIT, ""),),
            "full[0] gets more than the 1 arrivals of its phase", "full.arrive_expect(", 7, "bytes are still to land"),
    Mistake("overwrite in flight: of what an MMA reads", (("wgmma_wait<1>();", "wgmma_wait<2>();"),),
            "TMA load overwrites shared byte", "tma_load(", 0, "| mma_AB(acc, a[use.stage]"),
    Mistake("overwrite in flight: of what a store reads", (("bulk_wait_read<1>();", ";"),),
            "while it may still be read by TMA store", "store(staging", 12, "at gemm.cu:134 | tma_store("),
    Mistake("wrong bytes: the phase completes too early", (("stage_bytes)", "32768)"),),
            "completed before all of its TMA loads had landed", "tma_load(", 0, "this load brings 8192 bytes"),
    Mistake("arrivals: too many for the count", (("empty.init(8)", "empty.init(7)"),),
            "may complete a phase before thread", "full.wait(", 7, "let what completes this phase come after that wait",
            "A=129x2000,B=2000x257"),
    # ---- Races and fences
    Mistake("race: a barrier of threads is missing",
            (("        named_barrier_sync(warpgroup_barrier + consumer, 128); // all of the buffer is written\n", ""),),
            "while another thread may still write it: a race", "tma_store(", 12, "at gemm.cu:129 | store(staging"),
    Mistake("race: two warpgroups share a barrier",
            (("named_barrier_sync(warpgroup_barrier + consumer, 128); // the", "named_barrier_sync(warpgroup_barrier, 128); // the"),),
            "", "", 12, "(consumers)"),
    Mistake("race: an mbarrier is used before it is initialised", (("  __syncthreads();", "  ;"),),
            "without knowing that it is initialised", "", 0, "| full.init(1);"),
    Mistake("race: another stage than the one that has landed", (("b[use.stage], /*acc", "b[release.stage], /*acc"),),
            "TMA load overwrites shared byte", "tma_load(b", 9, "b[release.stage]"),
    Mistake("proxy: written by threads, read by TMA", (("fence_proxy_async(); ", ";"),),
            "executed no fence_proxy_async after the write", "tma_store(", 12, "at gemm.cu:129 | store(staging"),
    Mistake("proxy: read by threads, overwritten by TMA",
            ((FULL_WAIT, FULL_WAIT + "        load<rt<bf16, 64, 64>>(a[use.stage].rows<64>(consumer * 64));\n"),),
            "executed no fence_proxy_async after the read", "tma_load(a", 8, "| load<rt<bf16, 64, 64>>(a["),
    Mistake("proxy: a barrier that TMA may not see initialised", (("fence_mbarrier_init();", ";"),),
            "no fence_mbarrier_init by the thread that initialised it is known", "tma_load(a", 8, "| full.init(1);"),
    Mistake("dependent launch: without waiting for the kernel before", (("griddepcontrol_wait();", ";"),),
            "accesses global memory before griddepcontrol.wait", "tma_load(a", 8, "call griddepcontrol_wait first"),
    # ---- Registers
    Mistake("registers: read while an MMA owns them", ((LAST_WAIT, ""), (STORE, STORE + LAST_WAIT)),
            "reads a register that an MMA in flight has yet to write", "store(staging", 12, "", "A=128x200,B=200x256"),
    Mistake("registers: written while an MMA owns them",
            (("        wgmma_commit();\n", "        wgmma_commit();\n        acc.values[0][5] = 0.0f;\n"),),
            "register 5 of an accumulator was written while its MMA was in flight", "wgmma_wait<", 10, "| mma_AB("),
    Mistake("registers: no fence before the MMA", (("wgmma_fence();", ";"),),
            "no wgmma_fence has handed to the tensor cores", "mma_AB(", 10, "call wgmma_fence before the first MMA"),
    Mistake("registers: without a value", (("/*accumulate=*/k > 0", "/*accumulate=*/true"),),
            "wgmma reads a register that nothing has been written to", "mma_AB(", 10),
    # ---- Memory
    Mistake("shared memory: without a value", ((STORE, ""),),
            "TMA store reads shared byte", "tma_store(", 12, "which nothing has been written to"),
    Mistake("shared memory: out of bounds", (("shared_bytes = 229440", "shared_bytes = 229376"),),
            "accesses shared bytes 229376 to 229383, but the block has bytes 0 to 229375", "full.init(1)"),
    Mistake("shared memory: misaligned", (("C_staging_offset = 196608", "C_staging_offset = 196616"),),
            "takes shared addresses that are multiples of 16", "store(staging", 12, "is 8 off"),
    Mistake("shared memory: a misaligned TMA load", (("b_offset = 65536", "b_offset = 65552"),),
            "TMA load takes shared addresses that are multiples of 128", "tma_load(b", 9, "(b + 0) is 16 off"),
    Mistake("descriptor: after the ring", (("b[use.stage], /*acc", "b[use.stage + 5], /*acc"),),
            "wgmma touches shared byte 229376 (full + 0), where an mbarrier is", "mma_AB(", 10),
    Mistake("descriptor: not the same in all threads", (("(consumer * 64), b[", "(threadIdx.x / 64 * 32 - 64), b["),),
            "gives a wgmma another descriptor", "mma_AB(", 10),
    Mistake("global memory: out of bounds",
            ((TAIL_COLUMNS, "        st_global_b16(static_cast<uint16_t *>(C_map.data) - 1, 0);\n" + TAIL_COLUMNS),),
            "outside of all tensors of the launch: 2 bytes before the start of C", "st_global_b16(", 12),
    Mistake("global memory: misaligned",
            ((TAIL_COLUMNS, "        st_global_b16(static_cast<char *>(C_map.data) + 1, 0);\n" + TAIL_COLUMNS),),
            "which is not a multiple of 2", "st_global_b16(", 12),
    Mistake("global memory: a coordinate that the GPU traps on",
            (("tma_store(C_map, {m * BM + consumer * 64,", "tma_store(C_map, {m * BM + consumer * 64 - 1,"),),
            "coordinate 1 of a TMA store is -1: the GPU traps", "tma_store(", 12),
    # ---- Together, and at the end
    Mistake("named barrier: two counts",
            (("named_barrier_sync(warpgroup_barrier + consumer, 128); // all", "named_barrier_sync(warpgroup_barrier + consumer, leader ? 96 : 128); // all"),),
            "is given", "named_barrier_sync(warpgroup_barrier + consumer, leader", 12, "by another thread that is already there"),
    Mistake("a warpgroup's instruction, by some of its threads",
            (("        wgmma_commit();\n", "        if (leader)\n          wgmma_commit();\n"),),
            "must be executed together by 128 threads", "", 10, "wgmma_wait<1>();"),
    Mistake("exit with work pending: a store",
            (("    if (leader)\n      bulk_wait_read<0>(); // shared memory must outlive the stores that read it\n", ""),),
            "a thread ends while its bulk stores may still read shared memory", "tma_store(", 12, "(consumers)"),
    Mistake("exit with work pending: a load",
            (("k < ceil_div(A_cols, BK); ++k) {\n          empty", "k < ceil_div(A_cols, BK) + (m + n == 0); ++k) {\n          empty"),),
            "the block ends without any thread having waited for the last TMA load on full[", "tma_load(b", 9, "(producer)"),
]


def edited(text, mistake):
    for old, new in mistake.edits:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} stands {text.count(old)} times in the kernel")
        text = text.replace(old, new)
    return text


def problem_of(report, mistake, text):
    """Empty, or what is wrong with the report of the mistake in this text."""
    first = report.partition("\n")[0]
    if mistake.says not in first:
        return f"the first line should say '{mistake.says}'"
    if mistake.also not in report:
        return f"it should also say '{mistake.also}'"
    where = re.search(r"^  where +gemm\.cu:(\d+) \| (.*)$", report, re.MULTILINE)
    if not where:
        return "it names no line of the CUDA"
    if text.splitlines()[int(where[1]) - 1].strip() != where[2] or not where[2].startswith(mistake.at):
        return f"it should be at a line '{mistake.at}...'"
    origin = re.search(r"^  from +gemm\.tk:(\d+) \| ", report, re.MULTILINE)
    if mistake.tk and (not origin or int(origin[1]) != mistake.tk):
        return f"it should be from gemm.tk:{mistake.tk}"
    if not re.search(r"^  who +block \d+", report, re.MULTILINE):
        return "it does not name a block"
    if origin and not re.search(r"^  who .*\((producer|consumers)\)$", report, re.MULTILINE):
        return "it does not name a role"
    return ""


def host_compiler(mistake):
    """The emulator knows a register without a value by what GCC writes there."""
    return "g++" if mistake.kind == "registers: without a value" else unoptimized.host_compiler()


def check(mistake, source, emitted, folder):
    """The report, and what is wrong with it."""
    with open(emitted) as file:
        try:
            text = edited(file.read(), mistake)
        except ValueError as error:
            return "", str(error)
    os.mkdir(folder)
    shutil.copy(emitted.removesuffix(".cu") + ".h", folder)
    path = os.path.join(folder, os.path.basename(emitted))
    with open(path, "w") as file:
        file.write(text)
    problems = emulate(source, emitted=path, shapes=[mistake.shape], seed=0, reference=False, jobs=1,
                       arguments=[f"--host-compiler={host_compiler(mistake)}"]).problems
    if not problems:
        return "", "nothing was reported"
    return problems[0].report, problem_of(problems[0].report, mistake, text)


def main():
    source, emitted, *names = sys.argv[1:]
    chosen = [mistake for mistake in MISTAKES if not names or any(name in mistake.kind for name in names)]
    failures = 0
    os.environ["TK_EMULATOR_PATIENCE"] = "1"  # seconds, for an endless loop: five by default
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        checks = [pool.submit(check, mistake, source, emitted, os.path.join(folder, str(i)))
                  for i, mistake in enumerate(chosen)]
        for mistake, done in zip(chosen, checks):
            report, problem = done.result()
            failures += bool(problem)
            print(f"{'FAIL' if problem else 'ok  '} {mistake.kind}{': ' * bool(problem)}{problem}")
            if problem or names:
                print(report)
    print(f"{len(chosen)} mistakes, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
