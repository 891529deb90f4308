"""tuned.py FOLDER - tkc --tuned: what it adds to a source, and which databases it does not use."""
import json
import os
import shutil
import sys

from tuning import EXAMPLES, behave, build_driver, expect, folder, prepare, read_json, run, tkc, write_json

folder(sys.argv[1])
build_driver()
shutil.copy(os.path.join(EXAMPLES, "gemm.tk"), "gemm.tk")
bundle = prepare("BM=64,128 BN=128,256", keep=3, source="gemm.tk")
status, said = run(behave(bundle, {0: "ms 0.010", 1: "ms 0.008", 2: "ms 0.009", 3: "ms 0.02"}, "timed.pyz"), "gemm.json")
assert status == 0, said
database = read_json("gemm.json")
(entry,) = database["entries"]
winner = entry["instances"][1]
assert entry["kept"] == [0, 1], entry["kept"]


def emit(*options, database="gemm.json"):
    if os.path.exists("out.cu"):
        os.unlink("out.cu")
    status, said = tkc("gemm.tk", "--tuned", database, "-o", "out.cu", *options)
    return status, said, open("out.cu").read() if os.path.exists("out.cu") else ""


# The function chooses between the source's instance and the winner, after the table.
status, said, cuda = emit()
assert status == 0 and not said, said
expect(cuda, f"// Measured with tkc tune on Test GPU (132 SMs) on {entry['date']}, gemm.json: {{A.rows, A.cols, B.cols}}",
       "static const host::measured<3> gemm_measured[] = {", "{{128, 64, 256}, 1},", "{{256, 64, 64}, 1},", "0.0080 ms, untuned 0.0100",
       "if (num_sms == 132 &&",
       "host::find_measured(gemm_measured, {A->extents[0], A->extents[1], B->extents[1]}, *choice))",
       'extern "C" tk_status gemm(const tk_tensor *A')
header = open("out.h").read()
expect(header, "gemm_choice", "gemm_as")
assert cuda.count("__global__") == 2
# The same input, the same bytes.
assert emit()[2] == cuda

# Efficiencies scale the prediction.
plan = json.loads(tkc("gemm.tk", "--tuned", "gemm.json", "--emit=plan", "-o", "-")[1])
kernels = {each.get("function"): each for each in plan["functions"]}
assert kernels[winner["function"]]["cost"]["efficiency"] == winner["efficiency"] != 100, winner
plain = json.loads(tkc("gemm.tk", "--emit=plan", "-o", "-")[1])
assert plain["source_hash"] == plan["source_hash"] == entry["source_hash"]
assert plan["functions"][-1]["measured"]["rows"] == [{"extents": [128, 64, 256], "kernel": 1}, {"extents": [256, 64, 64], "kernel": 1}]

# The dependency file names the database, and the database is protected as an input.
assert tkc("gemm.tk", "--tuned", "gemm.json", "-MD", "-MF", "d.d", "-o", "out.cu")[0] == 0
expect(open("d.d").read(), "gemm.json")
status, said = tkc("gemm.tk", "--tuned", "gemm.json", "-o", "gemm.json")
assert status == 1 and read_json("gemm.json") == database, said

# It runs: the emulator's device has another number of SMs or the same, and each instance computes the same.
status, said = tkc("run", "--emulate", "gemm.tk", "--tuned", "gemm.json", "--shape", "A=65x64,B=64x72")
assert status == 0, said

# A source that changed, a comment or an included file, is compiled as if there were no database.
untuned = tkc("gemm.tk", "-o", "-")[1]
with open("gemm.tk", "a") as file:
    file.write("// changed\n")
status, said, cuda = emit()
assert status == 0 and "gemm_measured" not in cuda and cuda.count("__global__") == 1, said
expect(said, "warning: 'gemm.json' is not used for gemm: gemm.tk has changed since it was measured on ")
shutil.copy(os.path.join(EXAMPLES, "gemm.tk"), "gemm.tk")
assert "gemm_measured" in emit()[2]
expect(emit("-DX=1")[1], "gemm.tk has changed")  # macros are part of it


# Other databases.
def with_entry(**changes):
    return write_json("other.json", database | {"entries": [entry | changes]})


status, said, cuda = emit(database=with_entry(tkc="0.0.9"))
assert status == 0 and "gemm_measured" not in cuda, said
expect(said, "tkc 0.0.9 was measured, this is 0.1.0")
status, said, cuda = emit(database=with_entry(source="other.tk"))
assert status == 0 and "gemm_measured" not in cuda, said
expect(said, "has no measurements of gemm.tk; nothing is tuned")
two = write_json("two.json", database | {"entries": [entry, entry | {"device": "Other GPU"}]})
status, said, cuda = emit(database=two)
assert status == 0 and "gemm_measured" in cuda, said
expect(said, "it has measurements of Test GPU, which are used, and of Other GPU; choose with tkc tune merge --device")
hostile = [dict(instance) for instance in entry["instances"]]
hostile[1]["function"] = 'gemm<64>); int x = system("id"); instantiate(y, gemm<64>'
for changes, reason in (({"instances": hostile}, "is not whole"), ({"kernel": "a b"}, "is not whole"), ({"kept": [99]}, "is not whole"),
                        ({"kept": []}, "is not whole"), ({"sms": "many"}, "it is damaged"), ({"shapes": [{"chosen": 0}]}, "it is damaged")):
    status, said, cuda = emit(database=with_entry(**changes))
    assert status == 1 and not cuda, (changes, said)
    expect(said, "cannot use 'other.json'", reason)
for text, reason in (("{", "it is no database of tkc tune"), ("[]", "it is no database of tkc tune"),
                     ('{"what": "tkc tune", "format": 7, "entries": []}', "it has format 7 when this tkc reads 3"),
                     ('{"what": "tkc tune", "format": 3}', "it is damaged")):
    with open("other.json", "w") as file:
        file.write(text)
    status, said, cuda = emit(database="other.json")
    assert status == 1 and not cuda, said
    expect(said, reason)
status, said, cuda = emit(database="absent.json")
assert status == 1 and not cuda, said
expect(said, "cannot read 'absent.json'")
print("ok")
