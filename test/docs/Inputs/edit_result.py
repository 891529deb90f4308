"""edit_result.py FOLDER SHAPE BY - Adds BY to the time of a row of gemm.json."""
import json
import os
import sys

path = os.path.join(sys.argv[1], "gemm.json")
with open(path) as file:
    family = json.load(file)
row = next(row for row in family["rows"] if row["shape"] == sys.argv[2])
row["ours_ms"] = round(row["ours_ms"] + float(sys.argv[3]), 4)
with open(path, "w") as file:
    json.dump(family, file)
