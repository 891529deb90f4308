"""comments.py EXAMPLES: looks at the comments of the CUDA that tkc writes for each .tk file of the folder EXAMPLES."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run.builds import Kernels

LAST_COLUMN = 120
SOURCE_LINE = re.compile(r"^ *// [\w.]+\.tk:\d+ \| (.*)")
ACCUMULATOR = re.compile(r"^ *(?:warp_)?rt<[^>]*> (\w+);.*// uninitialised")
UNNAMED = {"accumulator"}  # in the source, an operand of a call

# Names that say nothing, unless the user chose them.
EMPTY_NAMES = re.compile(r"(value|tile|vector|condition|number|outer|computed|scalar|tmp|temp)(_\d+)?")
# A suffix says what a second variable is:
#   x_next                                  x of the next iteration, which a loop computes beside x
#   x_columns_32, x_rows_64, x_at_64_32     the part of x that begins there
#   x_0, x_1, ...                           the elements of the user's array x
#   x_2, x_3, ...                           the second and third x: copies of an unrolled statement or of an inlined
#                                           function, or another variable that the user calls x
PLACES = re.compile(r"(.*)_(?:columns|rows)_\d+|(.*)_at_\d+_\d+")
DECLARED = re.compile(r"^ *(?:const )?(?:auto|int|bool|float|(?:warp_)?(?:rt|col_vec)<[^;=]*?>|row_vec<[^;=]*?>) &?(\w+)(?: = |;)")
STAGED_STORE = re.compile(
    r"bulk_wait_read<\d>\(\);[^\n]*\n *(?:named_barrier_sync|__syncwarp)\([^\n]*\n *store\([^;]*;\s*fence_proxy_async\(\);[^\n]*\n"
    r" *(?:named_barrier_sync|__syncwarp)\([^\n]*\n *if \(leader\) \{\n(?: *//[^\n]*\n)* *(tma_store\w*\(\w+)")


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


def kernels(text):
    """The text of each kernel."""
    for part in re.split(r"^__global__", text, flags=re.M)[1:]:
        yield part[: part.index("\n}\n")]


def repeated_stores(text):
    """Statements of the source whose staged store a kernel has twice, and functions that are called once."""
    for kernel in kernels(text):
        starts = {kernel.count("\n", 0, match.start()): match[1] for match in STAGED_STORE.finditer(kernel)}
        above, function, seen = "", "", set()
        for number, line in enumerate(kernel.splitlines()):
            if match := SOURCE_LINE.match(line):
                above = line.strip()
            if match := re.match(r" *const auto (store_\w+) = \[&\]\(", line):
                function = match[1]
                if len(re.findall(rf"\b{function}\(", kernel)) < 2:
                    yield f" {function} is called less than twice"
            elif number in starts and not function:
                if (starts[number], above) in seen:
                    yield f" twice the text of a staged store, {starts[number]}, {above}"
                seen.add((starts[number], above))
            elif re.match(r" *};", line):
                function = ""


def poor_names(text, source):
    for kernel in kernels(text):
        names = {match[1] for line in kernel.splitlines() if (match := DECLARED.match(line))}
        for name in sorted(names):
            if EMPTY_NAMES.fullmatch(name) and not re.search(rf"\b{re.sub('_[0-9]+$', '', name)}\b", source):
                yield f" '{name}' does not say what it is"
            if PLACES.fullmatch(name) or not (match := re.fullmatch(r"(.*)_(\d+)", name)):
                continue
            base, number = match[1], int(match[2])
            is_element = f"{base}_0" in names or re.search(rf"\b{re.sub('(_[0-9]+)+$', '', base)}\[", source)
            if not is_element and (number < 2 or not re.search(rf"\b{base}\b", kernel)):
                yield f" '{name}': there is no {base} that it is the second one of"


def too_long(lines):
    for number, line in enumerate(lines, 1):
        if len(line) > LAST_COLUMN:
            yield f"{number}: {len(line)} columns: {line.strip()}"


def main():
    [folder] = sys.argv[1:]
    count = errors = stores = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.tk"))):
        text = Kernels(path).read()
        lines = text.splitlines()
        count += sum(bool(ACCUMULATOR.match(line)) for line in lines)
        with open(path) as file:
            source = file.read()
        stores += len(STAGED_STORE.findall(text))
        for error in [*wrong_accumulators(lines), *wrapped_rows(lines), *unnamed_by_fence(lines), *too_long(lines),
                      *repeated_stores(text), *poor_names(text, source)]:
            print(f"{os.path.basename(path)}:{error}")
            errors += 1
    if errors or not count or not stores:
        sys.exit(f"{errors} errors, {count} accumulators, {stores} staged stores")


main()
