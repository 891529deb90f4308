"""mutate.py - Emitted CUDA with one thing wrong.

A mutant is the text of a kernel file in which a single synchronising statement is deleted or weakened.
Only the kernel is touched, not its launcher. Statements are found by the names of the runtime's
functions, one per line, as the backend prints them.
"""
import re
from dataclasses import dataclass

SYNCHRONISES = re.compile(
    r"^\s*(?P<call>[\w.]*(?:wait|fence|sync|barrier|arrive|commit|init|expect|setmaxnreg_dec)\w*(?:<\d+>)?\(.*\));"
)

# What is weakened: a pattern in a line, what it becomes, and how the table calls it. All occurrences in all lines.
WEAKER = [
    (r"\bwgmma_wait<(\d+)>", lambda m: f"wgmma_wait<{int(m[1]) + 1}>", "one group fewer"),
    (r"\bbulk_wait_read<(\d+)>", lambda m: f"bulk_wait_read<{int(m[1]) + 1}>", "one group fewer"),
    (r"(arrive_expect\([^,]+, )(\d+)\)", lambda m: f"{m[1]}{int(m[2]) - 1024})", "1024 bytes fewer"),
    (r"(arrive_expect\([^,]+, )(\d+)\)", lambda m: f"{m[1]}{int(m[2]) + 1024})", "1024 bytes more"),
    (r"(\.init\()(\d+)\)", lambda m: f"{m[1]}{int(m[2]) + 1})", "one arrival more"),
    (r"(\.init\()([2-9]|\d\d+)\)", lambda m: f"{m[1]}{int(m[2]) - 1})", "one arrival fewer"),
    (r"(\.wait\([^,]+, )([\w.]+)( \^ 1)\)", lambda m: f"{m[1]}{m[2]})", "the other phase"),
    (r"(\.wait\([^,]+, )([\w.]+)\)", lambda m: f"{m[1]}{m[2]} ^ 1)", "the other phase"),
    (r"(named_barrier_sync\([^;]*, )128\)", lambda m: f"{m[1]}96)", "96 threads"),
    (r"(\bk|slice) > 0\)", lambda m: f"{m[1]} >= 0)", "from the first on"),
    (r"slice % 2\b", lambda m: "0", "one staging buffer"),
    (r"\bsetmaxnreg_inc<(\d+)>", lambda m: f"setmaxnreg_inc<{int(m[1]) + 8}>", "8 registers more"),
]


@dataclass(frozen=True)
class Mutant:
    line: int  # in the file, from 1
    change: str
    statement: str
    text: str  # of the whole file


def kernel_lines(lines):
    """The indices of the lines inside __global__ functions."""
    inside = False
    for i, line in enumerate(lines):
        if line.startswith("__global__"):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside:
            yield i


def replaced(lines, i, new):
    return "\n".join(lines[:i] + [new] + lines[i + 1 :]) + "\n"


def deletions(text):
    lines = text.splitlines()
    for i in kernel_lines(lines):
        found = SYNCHRONISES.match(lines[i])
        if found:  # an empty statement, since it may be all that an `if` guards
            new = lines[i][: found.start("call")] + lines[i][found.end("call") :]
            yield Mutant(i + 1, "deleted", found["call"], replaced(lines, i, new))


def weakenings(text):
    lines = text.splitlines()
    for i in kernel_lines(lines):
        code, slashes, comment = lines[i].partition("//")
        for pattern, change, name in WEAKER:
            new = re.sub(pattern, change, code)
            if new != code:
                yield Mutant(i + 1, name, code.strip().rstrip(";"), replaced(lines, i, new + slashes + comment))
