"""plots.py - What `tkc_bench plot` does: a chart of one run, the speed of each kernel beside its peers."""
import json
import sys

import charts


def group(row):
    """A row as charts.bars takes it; the mark is the best peer's speed."""
    amount, unit = (row["flops"] * 1e-9, "TFLOP/s") if row["flops"] else (row["bytes"] * 1e-6, "GB/s")
    speeds = {label: amount / each["ms"] for label, each in row["times"].items()}
    shown = [(f"{speeds[label]:.0f} {label}", speeds[label], "ours" if label == "tkc" else "peer") for label in speeds]
    best = max((speed for label, speed in speeds.items() if label != "tkc"), default=speeds["tkc"])
    return f"{row['kernel']} {row['shape']}, {unit}", shown, best


def write(source, output):
    with open(source) as file:
        result = json.load(file)
    if not result["rows"]:
        sys.exit(f"error: {source} holds no rows; 'tkc_bench time --json' writes some")
    text = charts.bars(result["device"], "speed; red: the best peer", [group(row) for row in result["rows"]])
    with open(output, "w") as file:
        file.write(text)
    print(f"{output}: {len(result['rows'])} rows")
    return 0
