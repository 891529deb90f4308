#!/usr/bin/env python3
"""results.py - Writes the measured results: the tables of docs/performance.md, docs/comparison.md and of all rows; charts.

Everything comes from tools/bench/results/*.json, one file for each family of kernels. After a new run, `tkc_bench record`
and this. Of a family:

    title, kernels, tool, date, timing    what ran, when, and how it was timed
    short, beside                         its line in the summary: a name, and the peers
    chart                                 tflops, share (of the floor) or ratio (to the best peer)
    floor, tflops, read_gbps, write_gbps  what the floor is, and the rates it follows from
    elsewhere                             where the times of peers come from that were not in this run
    details, why                          the experiment's page, and why weak rows are weak

Of a row (times in ms; a ratio of 1.1 says that the other takes 1.1 times as long as tkc's kernel):

    shape, ours_ms, page                  page: true if docs/performance.md shows it
    peers, elsewhere                      of this run, and of others: name, and ms, over_ours or both
    run, labels, floor_labels, of, times  what `tkc_bench record` finds the numbers by, see tools/bench/records.py
    floor_ms, floor_over_ours             if the floor was measured; otherwise flops, read_bytes and written_bytes
    sustained_ms, sustained_over_ours     after a second of launches
    note, date                            beside the numbers; the family's date if there is none

Usage: results.py [--check] [--results FOLDER]
"""

import argparse
import json
import math
import os
import sys

import charts
from generated import ROOT, publish

PAGE, COMPARISON = "docs/performance.md", "docs/comparison.md"
ALL_ROWS = "docs/design/experiments/all-rows.md"
CHARTS = "docs/charts"
MOST_LINES = 120
# In the order of the page.
FAMILIES = (
    "gemm",
    "gemm_types",
    "attention_forward",
    "attention_backward",
    "attention_decode",
    "mla_decode",
    "sequences",
    "rows",
    "gallery",
    "attention_variants",
    "attention_fp8",
)
# What docs/comparison.md compares with: how names of peers begin, and what it calls them.
PEERS = (
    ("ThunderKittens", "ThunderKittens"),
    ("Triton", "Triton"),
    ("fla ", "flash-linear-attention (Triton)"),
    ("mamba_ssm", "mamba_ssm (Triton)"),
    ("FlashAttention-3", "FlashAttention-3"),
    ("cuDNN", "cuDNN"),
    ("cuBLASLt", "cuBLASLt, the best of eight"),
)
# A row is weak if a peer needs less than this share of its time, or the floor does.
WEAK_PEER, WEAK_FLOOR = 0.97, 0.6


class Row:
    """One shape: recorded numbers, and those that follow from them."""

    def __init__(self, family, record):
        self.family, self.record = family, record
        self.shape, self.ours = record["shape"], record["ours_ms"]
        self.date = record.get("date", family["date"])
        for peer in record.get("peers", []):
            self.check(peer.get("ms"), peer.get("over_ours"))
        self.check(record.get("floor_ms"), record.get("floor_over_ours"))
        self.peer = min(record.get("peers", []), key=self.over_ours, default=None)
        self.elsewhere = min(record.get("elsewhere", []), key=self.over_ours, default=None)

    def over_ours(self, peer):
        return peer["over_ours"] if "over_ours" in peer else peer["ms"] / self.ours

    def check(self, time, ratio):
        """A recorded ratio must be that of the recorded times, which are rounded."""
        if time is None or ratio is None:
            return
        half = 0.00005
        least, most = (time - half) / (self.ours + half), (time + half) / (self.ours - half)
        if not least - 0.001 <= ratio <= most + 0.001:
            sys.exit(f"{self.family['title']}, {self.shape}: {time} over {self.ours} is not {ratio}")

    @property
    def ratios(self):
        return [self.over_ours(peer) for peer in (self.peer, self.elsewhere) if peer]

    @property
    def floor(self):
        """In ms: measured, or from the rates of the family."""
        if "floor_ms" in self.record:
            return self.record["floor_ms"]
        if "flops" not in self.record or "tflops" not in self.family:
            return None
        compute = self.record["flops"] / (self.family["tflops"] * 1e9)
        if "read_bytes" not in self.record:
            return compute
        memory = (
            self.record["read_bytes"] / self.family["read_gbps"]
            + self.record["written_bytes"] / self.family["write_gbps"]
        )
        return max(compute, memory / 1e6)

    @property
    def share(self):
        """Of the floor; recorded where the floor's own time is not."""
        if "floor_over_ours" in self.record:
            return self.record["floor_over_ours"]
        return self.floor / self.ours if self.floor else None


def load(folder):
    known = {name + ".json" for name in FAMILIES}
    if strange := set(os.listdir(folder)) ^ known:
        sys.exit(f"{folder}: {', '.join(sorted(strange))}: not the files that results.py names")
    families = []
    for name in FAMILIES:
        with open(os.path.join(folder, name + ".json")) as file:
            family = json.load(file)
        family["name"] = name
        family["rows"] = [Row(family, record) for record in family["rows"]]
        families.append(family)
    return families


def on_page(family):
    """The rows of the page; the weakest one is always among them."""
    rows = [row for row in family["rows"] if row.record["page"]]
    compared = [row for row in family["rows"] if row.ratios]
    if rows and compared:
        weakest = min(compared, key=lambda row: min(row.ratios))
        if min(weakest.ratios) < min(min(row.ratios) for row in rows if row.ratios):
            sys.exit(f"{family['title']}: the weakest row, {weakest.shape}, is not on the page")
    return rows


# ---- tables


def decimals(values, least=2):
    """As many as the most exact of the recorded numbers has, at most three."""
    return max([least, *(len(repr(value).partition(".")[2]) for value in values)]) if values else 3


def others(row):
    """The peers of the run that were slower than the best one."""
    return [f"{peer['name']} {row.over_ours(peer):.2f}" for peer in row.record.get("peers", []) if peer is not row.peer]


def table(rows, notes=False):
    """The columns that some row has something in; with `notes`, all that is recorded beside the numbers, too."""
    recorded = [row.peer["over_ours"] for row in rows if row.peer and "over_ours" in row.peer]
    other = [row.elsewhere["over_ours"] for row in rows if row.elsewhere]
    digits, other_digits = min(3, decimals(recorded)), min(3, decimals(other))
    columns = [
        ("shape", [row.shape for row in rows]),
        ("floor, ms", [f"{row.floor:.4f}" if row.floor else "" for row in rows]),
        ("tkc, ms", [f"{row.ours:.4f}" for row in rows]),
        ("best peer of the run", [row.peer["name"] if row.peer else "" for row in rows]),
        ("its ms", [f"{row.peer['ms']:.4f}" if row.peer and "ms" in row.peer else "" for row in rows]),
        ("peer / tkc", [f"{row.over_ours(row.peer):.{digits}f}" if row.peer else "" for row in rows]),
        (
            "other run / tkc",
            [
                f"{row.elsewhere['name']} {row.elsewhere['over_ours']:.{other_digits}f}" if row.elsewhere else ""
                for row in rows
            ],
        ),
        ("share of the floor", [f"{row.share:.2f}" if row.share else "" for row in rows]),
        ("date", [row.date for row in rows]),
    ]
    if notes:
        columns.append(
            (
                "sustained / tkc",
                [
                    f"{row.record['sustained_over_ours']:.3f}" if "sustained_over_ours" in row.record else ""
                    for row in rows
                ],
            )
        )
        columns.append(
            ("other peers, note", [", ".join([*others(row), *filter(None, [row.record.get("note")])]) for row in rows])
        )
    columns = [(name, cells) for name, cells in columns if any(cells)]
    lines = ["| " + " | ".join(name for name, _ in columns) + " |", "|" + "---|" * len(columns)]
    return lines + ["| " + " | ".join(cells) + " |" for cells in zip(*(cells for _, cells in columns))]


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def best(family):
    """Of each row that has a peer: how many times as long the best one takes."""
    return [min(row.ratios) for row in family["rows"] if row.ratios]


def count(rows, among, words):
    return f"{len(rows)} of {len(among)} rows {'is' if len(rows) == 1 else 'are'} {words}, at worst "


def weak_rows(families):
    """A line for each family with rows that a peer beats by far, or that are far from their floor."""
    lines = []
    for family in families:
        compared = [row for row in family["rows"] if row.ratios]
        bounded = [row for row in family["rows"] if row.share]
        far_below = family.get("weak_floor", WEAK_FLOOR)
        parts = []
        if behind := [row for row in compared if min(row.ratios) < WEAK_PEER]:
            worst = min(behind, key=lambda row: min(row.ratios))
            peer = min((p for p in (worst.peer, worst.elsewhere) if p), key=worst.over_ours)
            parts.append(
                count(behind, compared, "slower than a peer")
                + f"{min(worst.ratios):.2f} of {peer['name']} ({worst.shape})"
            )
        if far := [row for row in bounded if row.share < far_below]:
            worst = min(far, key=lambda row: row.share)
            floor = family.get("floor_name", "the floor")
            parts.append(count(far, bounded, f"below {far_below:g} of {floor}") + f"{worst.share:.2f} ({worst.shape})")
        if parts:
            why = f": {family['why']}" if "why" in family else ""
            lines.append(
                f"- **{family['title']}.** {'; '.join(parts)}{why} ([experiment](design/experiments/{family['details']}))."
            )
    return lines


def page_section(families):
    lines = ["## Weak rows", *weak_rows(families), ""]
    for family in families:
        if rows := on_page(family):
            lines += [
                f"## {family['title']}",
                f"![{family['title']}: tkc beside the best peer](charts/{family['name']}.svg)",
                "",
                *table(rows),
                "",
            ]
    return lines[:-1]


def all_rows(families):
    lines = [
        "<!-- Written by tools/docs/results.py from tools/bench/results. -->",
        "# What did every shape measure?",
        "",
        "All recorded rows of the [results page](../../performance.md), family by family. `peer / tkc` is how many times as long the",
        "peer takes, `sustained / tkc` the same after a second of launches. A time that is not there was not recorded.",
    ]
    for family in families:
        lines += [
            "",
            f"## {family['title']}",
            "",
            f"{family['kernels']}. `{family['tool']}`, {family['date']}, {family['timing']}. Floor: {family['floor']}.",
        ]
        if "elsewhere" in family:
            lines.append(f"{family['elsewhere']}.")
        lines += ["", *table(family["rows"], notes=True)]
    return "\n".join(lines) + "\n"


def speeds(families):
    """What docs/comparison.md says of single peers: the range of ratios in each family that has them."""
    lines = ["| peer | family | peer / tkc | rows | |", "|---|---|---|---|---|"]
    for name, title in PEERS:
        for family in families:
            for key, where in (("peers", "the same run"), ("elsewhere", "another run")):
                rows = [
                    (row, peer)
                    for row in family["rows"]
                    for peer in row.record.get(key, [])
                    if peer["name"].startswith(name)
                ]
                found = [row.over_ours(peer) for row, peer in rows]
                if found and key == "peers":
                    dates = [row.record.get("date", family["date"]) for row, _ in rows]
                    where += ", " + " to ".join(sorted({min(dates), max(dates)}))
                if found:
                    ends = sorted({f"{min(found):.2f}", f"{max(found):.2f}"}, key=float)
                    lines.append(f"| {title} | {family['title']} | {' to '.join(ends)} | {len(found)} | {where} |")
    return lines


def between_marks(path, name, lines):
    """The page with `lines` between its marks."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    with open(os.path.join(ROOT, path)) as file:
        before, _, rest = file.read().partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{path} has no place for {name}: {begin.strip()} ... {end}")
    return before + begin + "\n".join(lines) + "\n" + end + after


def page(families):
    text = between_marks(PAGE, "results", page_section(families))
    if text.count("\n") > MOST_LINES:
        sys.exit(f"{PAGE} would have {text.count(chr(10))} lines; {MOST_LINES} are a page")
    return text


# ---- charts


def bars(family, row):
    """What a group of bars of the family's chart shows: name, value, kind."""
    value = {"tflops": lambda time: row.record["flops"] / time / 1e9, "share": lambda time: row.share * row.ours / time}
    if family["chart"] == "ratio":
        return [(f"{row.over_ours(row.peer):.2f} x {row.peer['name']}", row.over_ours(row.peer), "ours")]
    shown = value[family["chart"]]
    form = "{:.0f}" if family["chart"] == "tflops" else "{:.2f}"
    result = [(form.format(shown(row.ours)) + " tkc", shown(row.ours), "ours")]
    for peer, kind in ((row.peer, "peer"), (row.elsewhere, "elsewhere")):
        if peer:
            speed = shown(row.ours * row.over_ours(peer))
            result.append((form.format(speed) + f" {peer['name']}" + ("*" if kind == "elsewhere" else ""), speed, kind))
    return result


def family_chart(family):
    rows = [row for row in on_page(family) if family["chart"] != "ratio" or row.peer]
    mark = {
        "tflops": lambda row: row.record["flops"] / row.floor / 1e9,
        "share": lambda row: 1.0,
        "ratio": lambda row: 1.0,
    }[family["chart"]]
    unit = {
        "tflops": "TFLOP/s; red: the floor",
        "share": "share of the floor's speed; red: the floor",
        "ratio": "speed, times the best peer's; red: the peer",
    }[family["chart"]]
    note = "* from another run" if any(row.elsewhere for row in rows) and family["chart"] != "ratio" else ""
    return charts.bars(family["title"], unit, [(row.shape, bars(family, row), mark(row)) for row in rows], note)


def summary_chart(families):
    groups = []
    for family in families:
        ratios = best(family)
        if ratios and family.get("comparable", True) and any(row.record["page"] for row in family["rows"]):
            groups.append((family["short"], mean(ratios), min(ratios), max(ratios), family["beside"]))
    return charts.ranges(
        "tkc beside the best peer, one H200", "speed, times the best peer's (red): mean and range over shapes", groups
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument(
        "--results", default=os.path.join(ROOT, "tools/bench/results"), help="the folder of the JSON files"
    )
    families = load(parser.parse_args().results)
    pages = {PAGE: page(families), ALL_ROWS: all_rows(families), f"{CHARTS}/summary.svg": summary_chart(families)}
    pages[COMPARISON] = between_marks(COMPARISON, "speeds", speeds(families))
    for family in families:
        if on_page(family):
            pages[f"{CHARTS}/{family['name']}.svg"] = family_chart(family)
    return publish(pages, "tools/docs/results.py")


if __name__ == "__main__":
    sys.exit(main())
