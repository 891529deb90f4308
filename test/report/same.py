"""The JSON of a report parses and says what the text says; its parts are complete."""
import json
import sys

report = json.load(sys.stdin)
assert report["format"] == 1, report["format"]
(kernel,) = report["kernels"]
assert kernel["kernel"] == "gemm" and kernel["threads"] == 384, kernel
assert [role["registers"] for role in kernel["roles"]] == [40, 232]
assert max(point["registers"] for point in kernel["roles"][1]["curve"]) == kernel["roles"][1]["tile_registers"] == 128
assert sum(buffer["stages"] * buffer["stage_bytes"] for buffer in kernel["buffers"]) <= kernel["shared_bytes"]
assert all(wait["reason"] and wait["line"] for wait in kernel["waits"])
assert all(access["ways"] == 1 for access in kernel["accesses"]) and kernel["accesses"]
assert kernel["limiter"] == max(
    (limit for limit in kernel["limits"] if limit["part"] != "HBM"), key=lambda limit: limit["cycles"]
)["part"]
