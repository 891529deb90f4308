"""choice.py FOLDER - The tuner predicts what the emitted launcher predicts, and the launcher looks measured extents up first.

The emulator stands in for GPUs with 4 and with 132 SMs.
"""
import json
import os
import random
import shutil
import sys

from tuning import EXAMPLES, HERE, behave, build_driver, expect, folder, prepare, run, tkc

sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "python"))
from tkc.tuner.expressions import predicted_cycles, values_of  # noqa: E402
from tkc_run import abi, builds  # noqa: E402
from tkc_run.choice import choose  # noqa: E402

folder(sys.argv[1])

# The same choice as the launcher's, for random shapes.
source = os.path.join(HERE, "..", "examples", "Inputs", "choice.tk")
plan = json.loads(tkc(source, "--emit=plan", "-o", "-")[1])
by_name = {function["name"]: function for function in plan["functions"]}
kernels = [by_name[name] for name in by_name["matmul"]["kernels"]]
library = builds.Kernels(source).load("emulator")
generator, seen = random.Random(7), set()
for _ in range(400):
    m, n, k = (int(2 ** generator.uniform(3, 14)) for _ in range(3))
    sms = generator.choice((4, 78, 132))
    os.environ["TK_EMULATOR_SMS"] = str(sms)
    status, wanted = choose(library, "matmul", m, n, k)
    assert status.code == abi.OK, status
    cycles = [predicted_cycles(kernel, values_of(kernel, by_name["matmul"]["arguments"], {"A": [m, k], "B": [k, n], "C": [m, n]}, {}),
                               sms) for kernel in kernels]
    found = cycles.index(min(cycles))
    assert found == wanted, (m, n, k, sms, found, wanted, cycles)
    seen.add(found)
assert len(seen) >= 4, f"only {seen} were chosen"

# Measured extents come first, on a device with as many SMs as the one that was measured.
build_driver()
shutil.copy(os.path.join(EXAMPLES, "gemm.tk"), "gemm.tk")
bundle = prepare("BM=64 BN=256", keep=1, source="gemm.tk")
status, said = run(behave(bundle, {0: "ms 0.010", 1: "ms 0.008"}, "timed.pyz"), "gemm.json")
assert status == 0, said
library = builds.Kernels("gemm.tk", ["--tuned=gemm.json"], folder=os.path.join(os.getcwd(), "kernels")).load("emulator")


def chosen(sms, *shape):
    os.environ["TK_EMULATOR_SMS"] = str(sms)
    status, number = choose(library, "gemm", *shape)
    assert status.code == abi.OK, status
    return number


assert chosen(132, 128, 256, 64) == 1 and chosen(132, 256, 64, 64) == 1, "the table was not looked up"
plan = json.loads(tkc("gemm.tk", "--tuned=gemm.json", "--emit=plan", "-o", "-")[1])
by_name = {function["name"]: function for function in plan["functions"]}
kernels = [by_name[name] for name in by_name["gemm"]["kernels"]]
for sms, shape in ((4, (128, 256, 64)), (132, (8192, 8192, 8192)), (132, (129, 256, 64))):
    m, n, k = shape
    cycles = [predicted_cycles(kernel, values_of(kernel, by_name["gemm"]["arguments"], {"A": [m, k], "B": [k, n], "C": [m, n]}, {}), sms)
              for kernel in kernels]
    assert chosen(sms, *shape) == cycles.index(min(cycles)), (sms, shape)
print("ok")
