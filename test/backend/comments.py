"""comments.py TKC EXAMPLES: looks at the comments of the CUDA that TKC writes for each .tk file of the folder EXAMPLES."""
import glob
import os
import re
import subprocess
import sys

LAST_COLUMN = 120
SOURCE_LINE = re.compile(r"^ *// [\w.]+\.tk:\d+ \| (.*)")
ACCUMULATOR = re.compile(r"^ *(?:warp_)?rt<[^>]*> (\w+);.*// uninitialised")
UNNAMED = {"tile"}  # in the source, an operand of a call


def plain(name):
    """The user's name of an emitted variable."""
    return re.sub(r"(_next|_\d+)+$", "", name)


def wrong_accumulators(lines):
    above = ""
    for number, line in enumerate(lines, 1):
        if match := SOURCE_LINE.match(line):
            above = match[1]
        if match := ACCUMULATOR.match(line):
            name = plain(match[1])
            if name not in UNNAMED and not re.search(rf"\b{name}\b", above):
                yield f"{number}: {match[1]} stands below the line: {above}"


def wrapped_rows(lines):
    in_table = False
    for number, line in enumerate(lines, 1):
        in_table = line.startswith(("//   warpgroup  role", "//   barrier ")) or (in_table and line.startswith("// "))
        if in_table and (not line.startswith("//   ") or len(line) > LAST_COLUMN):
            yield f"{number}: this row of a table is wrapped or too long: {line}"


def unnamed_by_fence(lines):
    """Accumulators that the fence before their first MMA does not name as they are declared."""
    named = set()
    for number, line in enumerate(lines, 1):
        if match := re.match(r" *(?:wgmma_fence\(.*\); *)?// (.*) pass(?:es)? from this thread's code", line):
            named = set(re.split(r", | and ", match[1]))
        if match := re.match(r" *mma_A\w+\((\w+), ", line):
            is_named = match[1] in named or (plain(match[1]) in UNNAMED and "the accumulator" in named)
            if named and not is_named:
                yield f"{number}: the fence names {sorted(named)}, not {match[1]}: {line.strip()}"
            named = set()


def too_long(lines):
    for number, line in enumerate(lines, 1):
        if len(line) > LAST_COLUMN:
            yield f"{number}: {len(line)} columns: {line.strip()}"


def main():
    tkc, folder = sys.argv[1:]
    count = errors = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.tk"))):
        text = subprocess.run([tkc, path, "-W", "no-tk-perf", "-o", "-"], capture_output=True, text=True, check=True).stdout
        lines = text.splitlines()
        count += sum(bool(ACCUMULATOR.match(line)) for line in lines)
        for error in [*wrong_accumulators(lines), *wrapped_rows(lines), *unnamed_by_fence(lines), *too_long(lines)]:
            print(f"{os.path.basename(path)}:{error}")
            errors += 1
    if errors or not count:
        sys.exit(f"{errors} errors, {count} accumulators")


main()
