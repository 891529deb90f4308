#!/usr/bin/env python3
"""tutorial.py - Writes the parts of docs/tutorial that tkc decides: each step's source, plan, time and diff of the CUDA.

A page has them between two lines that name them, such as "<!-- plan: begin -->" and "<!-- plan: end -->":

    source      the step's .tk file
    plan        what --emit=report-json says of it, beside the step before, where the two differ
    diff        how the CUDA of the step differs from that of the step before, in the lines that DIFFS chooses
    measured    the times of tools/bench/tutorial.json, which tools/bench/tutorial_bench.py measures on an H200
    index       (README.md) all steps

Usage: tutorial.py [--check [PAGE]]    write the pages, or say that one is stale; PAGE is looked at in place of that of its name
       tutorial.py --diff STEP STEP    the whole difference of two steps' CUDA, for example --diff 2 3
"""
import difflib
import functools
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

from generated import ROOT, publish

sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
from tkc_run import toolchain

FOLDER = "docs/tutorial"
MEASURED = "tools/bench/tutorial.json"
STEPS = [
    ("1-one-tile", "one tile, one matmul"),
    ("2-loop", "a loop over K"),
    ("3-pipeline", "`pipeline`: what a ring is"),
    ("4-grid", "a grid, its edges, any size"),
    ("5-registers", "registers: why 128 x 256 and two consumers"),
    ("6-persistent", "persistent blocks, their order, and L2"),
    ("7-attention", "attention from two matmuls"),
    ("8-tuning", "reports, instances, tuning, calling"),
]
# Of the pages with a diff: the first line that is shown, and the first after it that is not.
DIFFS = {3: ("---- consumer", "C_staging"), 4: ("---- producer", None), 6: ("---- producer", None)}
BEFORE = {8: 6}  # steps whose times are compared with those of another step than the one before
MOST_LINES = 120
PEAK = 989  # TFLOP/s of bf16 that NVIDIA states for an H200


def path_of(name):
    return os.path.join(ROOT, FOLDER, name)


@functools.cache
def emitted(source):
    """The report and the CUDA of a .tk file."""
    tkc = toolchain.find_tkc()
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "kernel.cu")
        flags = ["-W", "no-tk-perf", "-o"]
        subprocess.run([tkc, source, *flags, output], check=True)
        with open(output) as file:
            cuda = file.read()
    report = subprocess.run([tkc, source, "--emit=report-json", *flags, "-"], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(report.stdout)["kernels"], cuda


def step_of(number):
    return emitted(path_of(STEPS[number - 1][0] + ".tk"))


def counted(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


# ---- the plan


def tiles(buffers):
    """Name, stages and size of each, where there are several of a name, how many."""
    texts = [f"{buffer['name']}: {buffer['stages']} x {buffer['stage_bytes']} bytes" for buffer in buffers]
    times = {text: texts.count(text) for text in texts}
    return "; ".join(text if count == 1 else f"{text}, {count} times" for text, count in times.items())


def plan(kernel, cuda):
    """The rows of the table: what, and how it is in this kernel."""
    roles = {role["kind"]: role for role in kernel["roles"]}
    consumer, producer = roles["consumer"], roles["producer"]
    specialized = producer["registers"] > 0
    staging = [buffer for buffer in kernel["buffers"] if buffer["name"].endswith("_staging")]
    limit = next(limit for limit in kernel["limits"] if limit["part"] == kernel["limiter"])
    registers = f", {consumer['registers']} registers a thread" if specialized else ""
    persistent = "// Persistent: " in cuda.split(f"// {kernel['kernel']}", 1)[1].split("namespace", 1)[0]
    return {
        "a block computes": "one tile after another" if persistent else "one tile",
        "threads of a block": str(kernel["threads"]),
        "producer": f"a warpgroup, {producer['registers']} registers a thread" if specialized else "one thread of the consumer",
        "consumers": f"{counted(consumer['warpgroups'], 'warpgroup')}{registers}",
        "registers of tiles": f"{consumer['tile_registers']} a thread",
        "loaded tiles": tiles(buffer for buffer in kernel["buffers"] if buffer not in staging),
        "staging of stores": tiles(staging),
        "mbarriers": str(sum(barrier["stages"] for barrier in kernel["barriers"])),
        "shared memory": f"{kernel['shared_bytes']} of {kernel['shared_budget']} bytes",
        "waits, fences, barriers": str(len(kernel["waits"])),
        "limiter": f"{kernel['limiter']}, {limit['cycles']:.0f} cycles {'an iteration' if kernel.get('limit_line') else 'a tile'}",
        "optimisations": ", ".join(dict.fromkeys(remark["pass"] for remark in kernel["done"])) or "none",
    }


def plan_table(number):
    """What changed since the step before; of the first step all, of several instances what they differ in."""
    kernels, cuda = step_of(number)
    columns = {kernel["kernel"]: plan(kernel, cuda) for kernel in kernels}
    if len(columns) == 1:
        columns = {f"step {number}": plan(kernels[0], cuda)}
        if number > 1:
            before, cuda_before = step_of(number - 1)
            columns = {f"step {number - 1}": plan(before[0], cuda_before)} | columns
    rows = {what: [column[what] for column in columns.values()] for what in next(iter(columns.values()))}
    changed = {what: how for what, how in rows.items() if len(set(how)) > 1 or number == 1 and how != ["none"]}
    if not changed:
        return [f"The report says the same as that of step {number - 1}."]
    head = [f"| plan | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    return head + [f"| {what} | {' | '.join(how)} |" for what, how in changed.items()]


# ---- the difference of the CUDA


def body(number, first="---- producer", last=None):
    """The lines of the roles, without the comments that quote the source, whose line numbers differ."""
    lines = step_of(number)[1].split("static const", 1)[0].rstrip().splitlines()
    at = next(i for i, line in enumerate(lines) if first in line)
    end = next((i for i in range(at, len(lines)) if last and last in lines[i]), len(lines))
    return [line.rstrip(" -") for line in lines[at:end] if line and not re.match(r" *// \d-[a-z-]+\.tk:\d+ \| ", line)]


def difference(before, after, first="---- producer", last=None):
    """What `after` has in place of lines of `before`. Indentation alone is no difference."""
    old, new = (body(number, first, last) for number in (before, after))
    indent = min(len(line) - len(line.lstrip()) for line in old + new if line[:1] == " ")
    left = lambda line: line if line[:1] == "#" else line[indent:]
    words = [[" ".join(line.split()) for line in lines] for lines in (old, new)]
    matcher = difflib.SequenceMatcher(None, *words, autojunk=False)
    shown = []
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag != "equal":
            shown += ["- " + left(line) for line in old[i:i_end]] + ["+ " + left(line) for line in new[j:j_end]]
        elif shown and i_end < len(old):
            shown += ["  " + left(new[j])] if j_end == j + 1 else ["  ..."]
    return shown


def shortened(lines):
    """Of more than five lines in a row that are gone, three and the last one."""
    for gone, run in itertools.groupby(lines, lambda line: line.startswith("-")):
        run = list(run)
        yield from [*run[:3], "- ...", run[-1]] if gone and len(run) > 5 else run


def diff_block(number):
    return ["```diff", *shortened(difference(number - 1, number, *DIFFS[number])), "```"]


# ---- the times


def load_measured():
    with open(os.path.join(ROOT, MEASURED)) as file:
        return json.load(file)


def measured_table(number):
    result = load_measured()
    rows = [row for row in result["rows"] if row["step"] == number]
    if not rows:
        return [f"Not measured yet: `tools/bench/tutorial_bench.py` measures all steps on an H200 for `{MEASURED}`."]
    other = BEFORE.get(number, number - 1)
    before = {row["shape"]: row["ms"] for row in result["rows"] if row["step"] == other}
    compares = any(row["shape"] in before for row in rows)
    rate = "[TFLOP/s](../glossary.md#the-machine)"
    head = [f"shape, on an {result['device']}, {result['date']}", "ms", rate, f"of {PEAK}"]
    head += [f"step {other}, ms"] * compares
    table = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in rows:
        rate = row["flops"] / row["ms"] * 1e-9
        cells = [row["shape"], f"{row['ms']:.4f}", f"{rate:.3g}", f"{100 * rate / PEAK:.2g} %"]
        cells += [f"{before[row['shape']]:.4f}" if row["shape"] in before else ""] * compares
        table.append(f"| {' | '.join(cells)} |")
    return table


# ---- the pages


def source_block(number):
    with open(path_of(STEPS[number - 1][0] + ".tk")) as file:
        return ["```cpp tk", *file.read().splitlines(), "```"]


def index_table():
    rows = [f"| [{number}]({name}.md) | {title} | [{name}.tk]({name}.tk) |" for number, (name, title) in enumerate(STEPS, 1)]
    return ["| step | what it adds | program |", "|---|---|---|", *rows]


PARTS = {"source": source_block, "plan": plan_table, "diff": diff_block, "measured": measured_table}


def filled(text, number):
    """The page with its parts as they are now."""

    def part(match):
        lines = index_table() if match["name"] == "index" else PARTS[match["name"]](number)
        return "\n".join([match["begin"], *lines, match["end"]])

    pattern = r"(?P<begin><!-- (?P<name>[a-z]+): begin -->)\n.*?(?P<end><!-- (?P=name): end -->)"
    return re.sub(pattern, part, text, flags=re.S)


def pages():
    for number, (name, _) in enumerate([("README", ""), *STEPS]):
        relative = f"{FOLDER}/{name}.md"
        with open(os.path.join(ROOT, relative)) as file:
            text = filled(file.read(), number)
        if number and not 60 <= text.count("\n") <= MOST_LINES:
            sys.exit(f"{relative}: {text.count(chr(10))} lines; a page has 60 to {MOST_LINES}")
        yield relative, text


def check(path):
    """Whether a copy of a page says what its parts are now."""
    number = [name for name, _ in STEPS].index(os.path.basename(path)[:-3]) + 1
    with open(path) as file:
        text = file.read()
    now = filled(text, number)
    print(*difflib.unified_diff(text.splitlines(), now.splitlines(), lineterm="", n=0), sep="\n")
    return int(text != now)


def main():
    if sys.argv[1:2] == ["--diff"]:
        print("\n".join(difference(*map(int, sys.argv[2:4]))))
        return 0
    if sys.argv[1:2] == ["--check"] and sys.argv[2:]:
        return check(sys.argv[2])
    return publish(dict(pages()), "tools/docs/tutorial.py")


if __name__ == "__main__":
    sys.exit(main())
