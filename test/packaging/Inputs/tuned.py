"""A library with TUNED: it is made with the database, and made anew when that changes. The installed tkc has its tuner."""
import json
import os
import sys

import package

folder = package.fresh(sys.argv[1])
prefix = package.install(folder)
tkc = os.path.join(prefix, "bin", "tkc")
print(package.run([tkc, "tune", "--help"]).splitlines()[0])

source, built = os.path.join(folder, "source"), os.path.join(folder, "built")
package.write(source, {**package.KERNELS, **package.project("tkc_add_library(k SOURCES two.tk TUNED two.json BACKEND EMULATOR)")})
plan = json.loads(package.run([tkc, os.path.join(source, "two.tk"), "--instantiate", "two<128>", "--emit=plan", "-o", "-"]))
instances = [{"function": each["function"], "efficiency": 100} for each in plan["functions"]]


def write_database(fastest):
    shapes = [{"arguments": {"A": [512, 64], "B": [64, 512], "C": [512, 512]}, "chosen": fastest, "ms": 0.01, "default_ms": 0.02}]
    entry = {"kernel": "two", "source": "two.tk", "source_hash": plan["source_hash"], "tkc": plan["tkc"], "device": "a GPU", "sms": 132,
             "date": "2026-11-24", "instances": instances, "kept": [0, 1], "shapes": shapes}
    package.write(source, {"two.json": json.dumps({"format": 3, "what": "tkc tune", "entries": [entry]})})


def row():
    with open(os.path.join(built, "k.tkc", "two.cu")) as file:
        return next(line.strip() for line in file if "{{512, 64, 512}" in line)


write_database(1)
package.configure(source, built, prefix)
package.build(built)
print(row())
write_database(0)
package.build(built)
print(row())
