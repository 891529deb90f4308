"""lines.py - Whether a line table is true of the CUDA and the source it is about.

Usage: lines.py TABLE CUDA SOURCE [FOLDER]     other files that the table names are looked for in FOLDER
"""
import json
import os
import re
import sys

table_path, cuda_path, source_path = sys.argv[1:4]
table = json.load(open(table_path))
cuda = open(cuda_path).read().splitlines()
assert table["format"] == 1 and table["source"] == os.path.basename(source_path)
assert table["cuda"] == os.path.basename(cuda_path), table["cuda"]
assert [line["line"] for line in table["lines"]] == list(range(1, len(cuda) + 1)), "a line is missing"

sources = {table["source"]: open(source_path).read().splitlines()}
statements, used = {}, set()
for line, text in zip(table["lines"], cuda):
    where = f"{cuda_path}:{line['line']}: {line} is said of {text!r}"
    assert (line["kind"] == "blank") == (text == ""), where
    assert (line["kind"] in ("comment", "reason", "source")) == text.lstrip().startswith("//"), where
    reason = table["reasons"].get(line.get("reason", ""), "")
    used.add(line.get("reason"))
    # What trails a line or stands above it is its reason, to the letter.
    trailing = re.search(r";\s+// (.*)$", text)
    if trailing and line["kind"] not in ("launcher", "source"):
        assert trailing[1] == reason, where
    if line["kind"] == "reason":
        assert text.strip()[3:] in reason, where
    if line["kind"] in ("wait", "sync", "fence", "arrive", "release", "setmaxnreg", "barrier init"):
        assert reason, where
    # A barrier is named in the code that waits for it or arrives at it.
    if line.get("signal") and line["kind"] in ("wait", "arrive", "release", "load") and "(" in text:
        multi_line = line["kind"] == "load" or text.rstrip().endswith("{") or text.lstrip().startswith("if (")
        assert multi_line or line["barrier"] in text, where
    place = line.get("source")
    if place and place["file"] in sources:
        token = sources[place["file"]][place["line"] - 1][place["column"] - 1 : place["end"] - 1]
        assert token and not token.isspace(), where
        if line["kind"] == "source":
            assert f"{place['file']}:{place['line']} | " in text, where
    if "statement" in line:
        key = (line["kernel"], line["statement"])
        same = statements.setdefault(key, (line["role"], place))
        assert same == (line["role"], place), where
assert used - {None} == set(table["reasons"]), "a reason has no place"
assert statements
