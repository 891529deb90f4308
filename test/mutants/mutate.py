"""mutate.py - Emitted CUDA with one thing wrong, of every kind that a kernel synchronises by.

A mutant changes one line of a kernel: a statement that waits, fences, arrives, meets, counts or hands on
registers is dropped, weakened or shifted. Only kernels are touched, not their launchers. Statements are
found by the names of the runtime's functions, one per line, as the backend prints them. A class of the runtime
that synchronises by itself is mutated in the same way.

A kernel takes seconds to compile, and has a hundred mutants. So all that change a statement as a whole
are compiled together: the line becomes a choice by a number that the environment gives, TK_MUTANT. The
others (a declaration, the head of a loop) are compiled by themselves.
"""
import re
from dataclasses import dataclass

SYNCHRONISES = re.compile(
    r"^\s*(?P<call>[\w.\[\]()]*(?:wait|fence|sync|barrier|arrive|commit|init|expect|setmaxnreg|advance|fill_ones)\w*(?:<[^;]*>)?\(.*\));"
)
# A line that is one statement, and declares nothing.
STATEMENT = re.compile(r"^(?P<indent>\s*)(?P<guard>if \([^{};]*\) )?(?P<text>(?!const\b|auto\b|if\b|for\b|else\b|return\b)[\w.\[\]:<>, ]+\(.*\);|\w+ [-+^]?= .*;)\s*$")


def predecessor(stage):
    """`use.stage` goes round the ring that the cursor `use` walks; a plain `stage` has `stages` of them."""
    cursor, dot, _ = stage.rpartition(".")
    stages = f"tk_stages({cursor})" if dot else "stages"
    return f"({stage} + {stages} - 1) % {stages}"


def single_stages(text):
    """The cursors that walk a ring of one stage, which is its own predecessor."""
    counts = dict(re.findall(r"constexpr int (\w+) = (\d+);", text))
    return {cursor for count, cursor in re.findall(r"ring_cursor<(\w+)> (\w+);", text) if counts.get(count, count) == "1"}


# What is weakened or shifted: a pattern in a line, what it becomes, and how the table calls it.
WEAKER = [
    (r"\b(\w*wait\w*)<(\d+)>", lambda m: f"{m[1]}<{int(m[2]) + 1}>", "one group fewer"),
    (r"((?:arrive_expect|expect_tx)\w*\(.*, )(\d+)\)", lambda m: f"{m[1]}{int(m[2]) - 16})", "16 bytes fewer"),
    (r"((?:arrive_expect|expect_tx)\w*\(.*, )(\d+)\)", lambda m: f"{m[1]}{int(m[2]) + 16})", "16 bytes more"),
    (r"(\binit\w*\((?:[^,()]*, )?)(\d+)\)", lambda m: f"{m[1]}{int(m[2]) + 1})", "one arrival more"),
    (r"(\binit\w*\((?:[^,()]*, )?)([2-9]|\d\d+)\)", lambda m: f"{m[1]}{int(m[2]) - 1})", "one arrival fewer"),
    (r"(\.wait\([^,]+, )([\w.]+)( \^ 1)\)", lambda m: f"{m[1]}{m[2]})", "the other phase"),
    (r"(\.wait\([^,]+, )([\w.]+)\)", lambda m: f"{m[1]}{m[2]} ^ 1)", "the other phase"),
    (r"(\.(?:wait|arrive|arrive_expect)\()([\w.]*stage)\b", lambda m: m[1] + predecessor(m[2]), "the stage before"),
    (r"([\w()]+\[)([\w.]*stage)(\])", lambda m: m[1] + predecessor(m[2]) + m[3], "the stage before"),
    (r"(named_barrier_\w+\()([^,]+)(, \d+\))", lambda m: f"{m[1]}{m[2]} ^ 8{m[3]}", "another barrier"),
    (r"(named_barrier_\w+\([^;]*, )(\d+)\)", lambda m: f"{m[1]}{int(m[2]) - 32})", "32 threads fewer"),
    (r"named_barrier_sync\(", lambda m: "named_barrier_arrive(", "arrives only"),
    (r"barrier_cluster_arrive\(", lambda m: "barrier_cluster_arrive_relaxed(", "relaxed"),
    (r"\bif \((\w+) > 0\)", lambda m: f"if ({m[1]} >= 0)", "from the first on"),
    (r"accumulate=\*/(\w+) > 0", lambda m: f"accumulate=*/{m[1]} >= 0", "accumulates from the first on"),
    (r"(\w+ % )2\b", lambda m: f"{m[1]}1", "one buffer"),
    (r"\bsetmaxnreg_inc<(\d+)>", lambda m: f"setmaxnreg_inc<{min(256, int(m[1]) + 8)}>", "8 registers more"),
    (r"\bsetmaxnreg_dec<(\d+)>", lambda m: f"setmaxnreg_dec<{min(256, int(m[1]) + 8)}>", "8 registers more"),
]

# Included before everything else.
SELECTOR = """#include <stdlib.h>
template <template <int> class cursor, int stages> constexpr int tk_stages(const cursor<stages> &) { return stages; }
static const int tk_mutant = getenv("TK_MUTANT") ? atoi(getenv("TK_MUTANT")) : 0;
"""


@dataclass(frozen=True)
class Mutant:
    line: int  # in the file, from 1
    change: str
    statement: str  # as it was
    before: str  # the statement before it
    new: str  # the whole line as it becomes
    together: bool  # whether it can be compiled with others

    @property
    def where(self):
        return f"{self.statement} | {self.change}"

    @property
    def place(self):
        return f"{self.before}; {self.where}"


def kernel_alone(text, kernel):
    """An emitted file without its other kernels, and without the functions that choose one; each begins with a ruled heading."""
    opening, *kernels = re.split(r"(?m)^(?=//===-+===//\n// \w+[<,])", text)
    return opening + "".join(part for part in kernels if re.search(rf"\b{kernel}_kernel\(", part))


def kernel_lines(lines):
    """The indices of the lines inside __global__ functions or, in a header of the runtime, classes."""
    inside = False
    for i, line in enumerate(lines):
        if line.startswith(("__global__", "class ")):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside:
            yield i


def once_each(pattern, change, code):
    """`code` with each occurrence changed one after the other."""
    for found in re.finditer(pattern, code):
        yield code[: found.start()] + change(found) + code[found.end() :]


def mutants(text):
    lines = text.splitlines()
    unchanged = {predecessor(cursor + ".stage") for cursor in single_stages(text)}
    statement = ""
    for i in kernel_lines(lines):
        code = lines[i].partition("//")[0].rstrip()
        if not code or code.startswith("#"):
            continue
        before = statement
        # The end of a statement that goes on from the line before is none by itself.
        together = bool(STATEMENT.match(code)) and code.count("(") == code.count(")")
        statement = code.strip().rstrip(";")
        dropped = SYNCHRONISES.match(code)
        if dropped:  # an empty statement, since it may be all that an `if` guards
            new = code[: dropped.start("call")] + code[dropped.end("call") :]
            yield Mutant(i + 1, "dropped", statement, before, new, together)
        seen = set()
        for pattern, change, name in WEAKER:
            for new in once_each(pattern, change, code):
                if new != code and new not in seen and not any(same in new for same in unchanged):
                    seen.add(new)
                    yield Mutant(i + 1, name, statement, before, new, together)


def with_one(text, mutant):
    lines = text.splitlines()
    lines[mutant.line - 1] = mutant.new
    return "\n".join(lines) + "\n"


def with_choice(text, chosen):
    """The text with all mutants of `chosen`, (number, mutant), one of which TK_MUTANT turns on."""
    lines = text.splitlines()
    by_line = {}
    for number, mutant in chosen:
        by_line.setdefault(mutant.line, []).append((number, mutant))
    for line, here in by_line.items():
        original = lines[line - 1].partition("//")[0].strip()
        choices = "".join(f"if (tk_mutant == {number}) {{ {mutant.new.strip()} }} else " for number, mutant in here)
        lines[line - 1] = f"{{ {choices}{{ {original} }} }}"
    return "\n".join(lines) + "\n"
