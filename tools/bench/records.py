"""records.py - What `tkc_bench record` does: brings what `tkc_bench time --json` measured into tools/bench/results.

A row of the results names the row of the run, "KERNEL SHAPE", under `run`; each of its peers says under `labels` what the run
calls it, the fastest of several; a peer of another run has its `ms` there, or how many `times` the time of a peer `of` this run
it takes. Its floor is a copy, or one of the labels that `floor_labels` names. Rows that the run does not have, or of which it
lacks a peer or the floor, stay as they are.
"""
import json
import os
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")


def ms_of(times, labels):
    found = [times[label]["ms"] for label in labels if label in times]
    return min(found) if found else None


def compare(peer, ms, ours):
    """The peer's time and how many times ours it is, as the pages round them."""
    peer |= {"ms": round(ms, 4), "over_ours": round(ms / ours, 3)}


def update(row, measured, date):
    """Why the row cannot be brought up to date, or nothing."""
    times = measured["times"]
    ours = times["tkc"]["ms"]
    floor = ms_of(times, row.get("floor_labels", ["copy"]))
    missing = [peer["name"] for peer in row.get("peers", []) if ms_of(times, peer.get("labels", [])) is None]
    missing += row["floor_labels"] if floor is None and "floor_labels" in row else []
    if missing:
        return f"the run lacks {', '.join(missing)}"
    row["ours_ms"], row["date"] = round(ours, 4), date
    for peer in row.get("peers", []):
        compare(peer, ms_of(times, peer["labels"]), ours)
    for peer in row.get("elsewhere", []):
        of = next((each["ms"] for each in row.get("peers", []) if each["name"] == peer.get("of")), None)
        if of or "ms" in peer:  # else the ratio itself was measured
            peer["over_ours"] = round((peer["times"] * of if of else peer["ms"]) / ours, 3)
    if floor is not None:
        row |= {"floor_ms": round(floor, 4), "floor_over_ours": round(floor / ours, 3)}
    if "copy" in times:
        row["note"] = f"{1e-6 * measured['bytes'] / ours:.0f} GB/s"
    for key in ("sustained_ms", "sustained_over_ours"):
        row.pop(key, None)
    slowed = [times[label]["sustained_ms"] for peer in row.get("peers", []) for label in peer["labels"] if "sustained_ms" in times.get(label, {})]
    if slowed and "sustained_ms" in times["tkc"]:
        own = times["tkc"]["sustained_ms"]
        row |= {"sustained_ms": round(own, 4), "sustained_over_ours": round(min(slowed) / own, 3)}
    return None


def record(files, date, folder=RESULTS):
    """Returns the exit status: 1 if a row of a run belongs to no result."""
    measured = {}
    for name in files:
        try:
            with open(name) as file:
                measured |= {f"{row['kernel']} {row['shape']}": row for row in json.load(file)["rows"]}
        except (OSError, ValueError, KeyError, TypeError):
            sys.exit(f"error: {name} is not what 'tkc_bench time --json' writes")
    if not os.path.isdir(folder):
        sys.exit(f"error: {folder} is no folder of results")
    unused = dict(measured)
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path) as file:
            family = json.load(file)
        done = 0
        for row in family["rows"]:
            found = measured.get(row.get("run"))
            unused.pop(row.get("run"), None)
            problem = update(row, found, date) if found else None
            done += found is not None and not problem
            if problem:
                print(f"{name}: '{row['shape']}' stays as it is: {problem}")
        if all(row.get("date") == date for row in family["rows"]):
            family["date"] = date
        if done:
            print(f"{name}: {done} of {len(family['rows'])} rows")
            with open(path, "w") as file:
                file.write(text_of(family))
    for name in unused:
        print(f"no result is of '{name[:80]}'")
    return 1 if measured and len(unused) == len(measured) else 0


def text_of(family):
    """JSON with a line for each row."""
    head = {key: value for key, value in family.items() if key != "rows"}
    line = lambda value: json.dumps(value, ensure_ascii=False)
    lines = [f"  {line(key)}: {line(value)}," for key, value in head.items()]
    rows = ",\n".join(f"    {line(row)}" for row in family["rows"])
    return "{\n" + "\n".join(lines) + '\n  "rows": [\n' + rows + "\n  ]\n}\n"
