"""check_trace.py - Whether a trace is whole: check_trace.py TRACE TABLE KERNEL [ROLE/NAME=COUNT ...]

In each thread slices follow one another without a gap, within the slice of their tile; each number is one of the table, and
what is said of it is what the table says. A count is that of slices in each tile of each thread of the role.
"""
import collections
import json
import sys

trace_path, table_path, kernel_name, *counts = sys.argv[1:]
trace, table = json.load(open(trace_path)), json.load(open(table_path))
kernel = next(kernel for kernel in table["kernels"] if kernel["name"] == kernel_name)
points = {point["id"]: point for point in kernel["points"]}
assert trace["otherData"]["kernel"] == kernel_name

processes, threads, slices = {}, {}, collections.defaultdict(list)
for event in trace["traceEvents"]:
    if event["ph"] == "M":
        if event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        else:
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    else:
        slices[event["pid"], event["tid"]].append(event)
assert len(threads) == len(processes) * len(kernel["streams"]), threads
assert set(threads) == set(slices)

tiles = set()
for key, events in sorted(slices.items()):
    role = threads[key].split(",")[0]
    assert role == kernel["streams"][key[1]]["role"]
    parts = [event for event in events if event["cat"] != "tile"]
    assert parts, f"{threads[key]} has no records"
    end = parts[0]["ts"]
    for part in parts:
        assert abs(part["ts"] - end) < 1e-5 and part["dur"] > 0, (threads[key], part, end)
        end = part["ts"] + part["dur"]
        args = part["args"]
        point = points[args["id"]]
        assert point["name"] == part["name"] and point["role"] == role, (point, part)
        assert args.get("why") == point.get("reason"), part
        if "wait" in part["name"]:
            assert args["why"], part
        assert args["cuda"] == f"{table['cuda']}:{point['line']}"
    whole = [event for event in events if event["cat"] == "tile"]
    for number, tile in enumerate(whole):
        inner = [part for part in parts if part["args"]["tile"] == number and part["ts"] >= tile["ts"] - 1e-9]
        assert abs(sum(part["dur"] for part in inner) - tile["dur"]) < 1e-4, tile
        for count in counts:
            where, _, wanted = count.rpartition("=")
            of, _, name = where.partition("/")
            if of == role:
                found = [part for part in inner if part["name"] == name]
                assert len(found) == int(wanted), f"{threads[key]}, {tile['name']}: {len(found)} of {name}, not {wanted}"
                iterations = [part["args"]["iteration"] for part in found]
                assert iterations == sorted(iterations), iterations
    # All roles of a block have the same tiles.
    tiles.add((key[0], tuple(tile["name"] for tile in whole)))
assert len(tiles) == len(processes), tiles
assert len({name for _, names in tiles for name in names}) == sum(len(names) for _, names in tiles), "a tile is done twice"
print(f"{sum(len(names) for _, names in tiles)} tiles in {len(processes)} blocks, {sum(map(len, slices.values()))} slices")
