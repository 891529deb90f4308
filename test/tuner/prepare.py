"""prepare.py FOLDER - tkc tune prepare, merge and show: what they accept and what they refuse."""
import os
import sys

from tuning import EXAMPLES, SHAPES, behave, build_driver, expect, folder, functions, prepare, read_json, run, tkc, write_json

folder(sys.argv[1])
GEMM = os.path.join(EXAMPLES, "gemm.tk")
write_json("shapes.json", SHAPES)


def attempt(space="BM=64,128", kernel="gemm", shapes="shapes.json", source=GEMM, *more):
    return tkc("tune", "prepare", source, "--kernel", kernel, "--space", space, "--shapes", shapes, "-o", "x.pyz", *more)


def refuse(status, said, *parts):
    assert status == 1 and not os.path.exists("x.pyz"), (status, said)
    expect(said, "tkc tune: error: ", *parts)
    assert "Traceback" not in said, said


# Spaces.
refuse(*attempt(" "), "the space is empty")
refuse(*attempt("BM"), "'BM' of the space is no NAME=VALUES")
refuse(*attempt("BM=64 BM=128"), "the space names BM twice")
refuse(*attempt("BM=64;system(1)"), "is no value")
refuse(*attempt("BM=256:64:32"), "the range 256:64:32 of BM is empty")
refuse(*attempt("BM=0:99999999:1"), "has 100000000 values")
refuse(*attempt("BM=1:100:1 BN=1:100:1 BK=1:100:1"), "the space has 1000000 points; at most 4096 are compiled")
refuse(*attempt("BX=64"), "gemm has no template parameter 'BX'; it has BM, BN, BK")
refuse(*attempt("BM=17"), "none of the 1 candidates compiles; the first, gemm<17>: ")
refuse(*attempt("BM=64", "gem"), "gemm.tk has no function 'gem'; it has gemm")
refuse(*attempt(source="absent.tk"), "absent.tk")

# Shapes.
for shapes, reason in (([], "is no list of shapes"), ([[1]], "a shape is an object of extents"), ([{"A": [1, 2]}], "says nothing of 'B'"),
                       ([{"A": [64], "B": [64, 64]}], "'A' takes 2 extents of at least 1"),
                       ([{"A": [64, 0], "B": [64, 64]}], "'A' takes 2 extents of at least 1"),
                       ([{"A": [64, 64], "B": [32, 64]}], "the kernel refuses the shape"),
                       ([{"A": [64, 64], "B": [64, 64], "X": 1}], "gemm has no argument 'X'")):
    refuse(*attempt(shapes=write_json("bad.json", shapes)), reason)
refuse(*attempt(shapes="absent.json"), "cannot read 'absent.json'")
with open("no.json", "w") as file:
    file.write("{")
refuse(*attempt(shapes="no.json"), "'no.json' is no JSON")
refuse(*attempt("BM=64", "gemm", "shapes.json", GEMM, "--keep", "0"), "--keep is 0")
status, said = tkc("tune", "prepare", GEMM)
assert status == 2, said
status, said = tkc("tune")
assert status == 2, said

# What the compiler refuses is left out with its reason; the source's own instances are candidates; so many are kept.
bundle = prepare("BM=64,128 BN=128,256 BK=64,4096", keep=2)
assert len(functions(bundle)) == 3 and functions(bundle)[0] == "gemm<128, 256, 64>", functions(bundle)
first = open(bundle, "rb").read()
assert open(prepare("BM=64,128 BN=128,256 BK=64,4096", keep=2), "rb").read() == first, "not the same bytes of the same input"

# A choice's instances are the source's own; what follows the space's last parameter takes its defaults anew.
with open("choice.tk", "w") as file:
    file.write("""template <int BM = 128, int BN = 128, int Group = 1024 / BM>
kernel product(gl<bf16> A, gl<bf16> B, gl<bf16> C) {
  for (auto [m, n] : grid(cdiv(C.rows(), BM), cdiv(C.cols(), BN)).swizzle(Group)) {
    rt<float, BM, BN> acc = 0;
    for (int k : pipeline(cdiv(A.cols(), 64))) {
      st<bf16, BM, 64> a = load(A, {m, k});
      st<bf16, 64, BN> b = load(B, {k, n});
      mma_AB(acc, a, b);
    }
    store(C, {m, n}, acc);
  }
}
instantiate(gemm, product<>, product<64>);
""")
bundle = prepare("BM=64,128,256 BN=64", source="choice.tk")
assert functions(bundle)[:2] == ["product<128, 128, 8>", "product<64, 128, 16>"], functions(bundle)
assert set(functions(bundle)[2:]) == {"product<64, 64, 16>", "product<128, 64, 8>", "product<256, 64, 4>"}, functions(bundle)

# Without a GPU the order by prediction is printed, and nothing is built.
status, said = tkc("tune", "prepare", GEMM, "--kernel", "gemm", "--space", "BM=64,128 BN=64,256", "--shapes", "shapes.json", "--predict",
                   "-o", "predicted.pyz")
assert status == 0 and not os.path.exists("predicted.pyz"), said
cycles = [float(line.split()[0]) for line in said.splitlines() if "cycles" in line]
assert len(cycles) == 8 and cycles[:4] == sorted(cycles[:4]) and cycles[4:] == sorted(cycles[4:]), said

# merge and show.
build_driver()
bundle = behave(bundle, {number: f"ms 0.01{number}" for number in range(5)}, "timed.pyz")
status, said = run(bundle, "a.json", TEST_DEVICE="GPU A")
assert status == 0, said
status, said = run(bundle, "b.json", TEST_DEVICE="GPU B")
assert status == 0, said
assert tkc("tune", "merge", "a.json", "b.json", "-o", "both.json")[0] == 0
assert [entry["device"] for entry in read_json("both.json")["entries"]] == ["GPU A", "GPU B"]
assert tkc("tune", "merge", "both.json", "-o", "b2.json", "--device", "GPU B")[0] == 0
assert read_json("b2.json") == read_json("b.json")
status, said = tkc("tune", "merge", "both.json", "-o", "c.json", "--device", "GPU C")
assert status == 1 and not os.path.exists("c.json"), said
expect(said, "nothing in both.json is of the device 'GPU C'")
# Two halves of the shapes are the whole.
halves = read_json("a.json"), read_json("a.json")
for number, half in enumerate(halves):
    half["entries"][0]["shapes"] = [half["entries"][0]["shapes"][number]]
    write_json(f"half{number}.json", half)
assert tkc("tune", "merge", "half1.json", "half0.json", "-o", "whole.json")[0] == 0
whole, a = read_json("whole.json")["entries"][0], read_json("a.json")["entries"][0]
assert sorted(map(str, whole["shapes"])) == sorted(map(str, a["shapes"])) and whole["kept"] == a["kept"]
status, said = tkc("tune", "show", "a.json", "--plot", "search.svg")
assert status == 0, said
expect(said, "gemm of choice.tk on GPU A (132 SMs)", "times as fast as the default, geometric mean of 2 shapes", "rank correlation")
svg = open("search.svg").read()
assert svg.startswith("<svg") and svg.count("<circle") > 8 and "product&lt;" in svg

# Databases that are none.
for text, reason in (("{", "is no database of tkc tune, or it is damaged"), ("[]", "is no database of tkc tune"),
                     ('{"what": "tkc tune", "format": 9, "entries": []}', "has format 9 when this tkc reads 3"),
                     ('{"what": "tkc tune", "format": 3, "entries": [{"kernel": 1}]}', "is damaged"),
                     ('{"what": "tkc tune", "format": 3}', "is damaged")):
    with open("bad.json", "w") as file:
        file.write(text)
    status, said = tkc("tune", "show", "bad.json")
    assert status == 1 and "Traceback" not in said, said
    expect(said, reason)
print("ok")
