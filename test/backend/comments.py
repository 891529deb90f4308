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


def main():
    tkc, folder = sys.argv[1:]
    count = errors = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.tk"))):
        text = subprocess.run([tkc, path, "-W", "no-tk-perf", "-o", "-"], capture_output=True, text=True, check=True).stdout
        lines = text.splitlines()
        count += sum(bool(ACCUMULATOR.match(line)) for line in lines)
        for error in [*wrong_accumulators(lines), *wrapped_rows(lines)]:
            print(f"{os.path.basename(path)}:{error}")
            errors += 1
    if errors or not count:
        sys.exit(f"{errors} errors, {count} accumulators")


main()
