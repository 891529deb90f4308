"""search.py FOLDER - The search of a bundle, with a driver that keeps time as the test says."""
import os
import signal
import subprocess
import sys
import time

from tuning import behave, build_driver, environment, expect, folder, functions, prepare, read_json, run

folder(sys.argv[1])
build_driver()
bundle = prepare()
names = functions(bundle)
assert names[0] == "gemm<128, 256, 64>" and len(names) == 6, names
times = {0: "ms 0.010", 1: "ms 0.009", 2: "ms 0.008", 3: "ms 0.02", 4: "ms 0.012", 5: "ms 0.0101"}


def only_entry(path):
    (entry,) = read_json(path)["entries"]
    return entry


# The fastest is found, and the default's time stands beside it.
status, said = run(behave(bundle, times, "fine.pyz"), "fine.json")
assert status == 0, said
entry = only_entry("fine.json")
assert [shape["best"] for shape in entry["shapes"]] == [2, 2] and not os.path.exists("fine.json.part"), entry
assert all(abs(shape["ms"] - 0.008) < 1e-5 and abs(shape["default_ms"] - 0.01) < 1e-5 for shape in entry["shapes"])
assert entry["kept"] == [0, 2] and all(shape["chosen"] == 2 for shape in entry["shapes"]), entry["kept"]
expect(said, "1.250 times as fast as the default", names[2])

# What is not faster than the default is not chosen.
status, said = run(behave(bundle, times | {1: "ms 0.00999", 2: "ms 0.011"}, "slow.pyz"), "slow.json")
assert status == 0 and [shape["best"] for shape in only_entry("slow.json")["shapes"]] == [0, 0], said
assert only_entry("slow.json")["kept"] == [0]

# A wrong result is named and left out; the status says it. A candidate that hangs, or takes the process with it, costs itself.
status, said = run(behave(bundle, times | {1: "hang", 2: "wrong", 4: "die"}, "bad.pyz"), "bad.json", "--timeout", "1")
assert status == 1, said
entry = only_entry("bad.json")
assert [shape["best"] for shape in entry["shapes"]] == [0, 0] and set(entry["shapes"][0]["times"]) == {"0", "3", "5"}, entry["shapes"]
expect(said, f"{names[1]}: it did not end within 1 s", f"{names[2]}: wrong for A 128x64, B 64x256: 256 of 32768 elements of C",
       "row 3, column 0", f"{names[4]}: the process that runs kernels ended with status 7", f"{names[2]} computes something else")
assert {each["function"] for each in entry["refused"]} >= {names[1], names[2], names[4]}

# Killed at some moment, it goes on: nothing is measured twice, and the result is that of a run that was not killed.
slow = behave(bundle, times, "killed.pyz")
for wait in (0.4, 0.9, 1.3):
    for name in ("killed.json", "killed.json.part"):
        if os.path.exists(name):
            os.unlink(name)
    process = subprocess.Popen([sys.executable, slow, "run", "-o", "killed.json"], stderr=subprocess.DEVNULL, env=environment(),
                               start_new_session=True)
    time.sleep(wait)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    journal = open("killed.json.part").read().splitlines() if os.path.exists("killed.json.part") else []
    status, said = run(slow, "killed.json")
    assert status == 0, said
    done, wanted = only_entry("killed.json"), only_entry("fine.json")
    assert [shape["best"] for shape in done["shapes"]] == [2, 2] and done["kept"] == wanted["kept"], done
    for mine, other in zip(done["shapes"], wanted["shapes"]):
        assert mine["times"].keys() == other["times"].keys()
        assert all(abs(mine["times"][each] - other["times"][each]) < 2e-5 for each in mine["times"]), (mine, other)
    print(f"killed after {wait} s with {len(journal)} lines of journal")

# What is measured is not measured again, and another device's measurements are not mixed with these.
status, said = run("fine.pyz", "fine.json")
assert status == 0, said
expect(said, "2 of 2 shapes are measured already")
status, said = run("fine.pyz", "fine.json", TEST_DEVICE="Other GPU")
assert status == 1, said
expect(said, "on Test GPU when this GPU is Other GPU; write to another file and merge them")

# Shapes that the kernel refuses, or that do not fit.
with open("refused.json", "w") as file:
    file.write('[{"A": [128, 64], "B": [128, 64]}]')
status, said = run("fine.pyz", "x.json", "--shapes", "refused.json")
assert status == 1 and not os.path.exists("x.json"), said
expect(said, "the kernel refuses the shape", "dimension 1 of A is 64 when it should equal dimension 0 of B, which is 128")
with open("large.json", "w") as file:
    file.write('[{"A": [65536, 4096], "B": [4096, 64]}]')
status, said = run("fine.pyz", "x.json", "--shapes", "large.json")
assert status == 1 and not os.path.exists("x.json"), said
expect(said, "GiB of the GPU's memory", "no shape could be measured")

# Damaged bundles.
data = open("fine.pyz", "rb").read()
place = data.index(b"ms 0.0101")
with open("damaged.pyz", "wb") as file:
    file.write(data[:place] + b"XX" + data[place + 2:])
status, said = run("damaged.pyz", "x.json")
assert status == 1, said
expect(said, "damaged.pyz is damaged: the checksum of 5.cubin is wrong")
with open("cut.pyz", "wb") as file:
    file.write(data[:len(data) // 2])
status, said = run("cut.pyz", "x.json")
assert status != 0 and not os.path.exists("x.json"), said
with open("fine.json.broken", "w") as file:
    file.write('{"format": 3, "what": "tkc tune", "entries": [{"kernel": 3}]}')
status, said = run("fine.pyz", "fine.json.broken")
assert status == 1, said
expect(said, "is damaged")
print("ok")
