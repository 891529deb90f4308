"""Projects that are wrong, and what they are told."""
import os
import re
import sys

import package

folder = package.fresh(sys.argv[1])
prefix = package.install(folder)
count = 0


def place(files):
    global count
    count += 1
    source, built = os.path.join(folder, f"source{count}"), os.path.join(folder, f"built{count}")
    package.write(source, {**package.KERNELS, **files})
    return source, built


def say(what, output):
    """The message, on one line."""
    text = re.sub(r"\s+", " ", output)
    print(f"{what}: {text[text.find('rror'):][:700]}")


def configured(what, body, **arguments):
    source, built = place(package.project(body, **arguments))
    say(what, package.configure(source, built, prefix, fails=True))


configured("no CUDA", "tkc_add_library(k SOURCES one.tk)")
configured("no CXX", "tkc_add_library(k SOURCES one.tk BACKEND EMULATOR)", languages="C")
configured("missing", "tkc_add_library(k SOURCES three.tk BACKEND EMULATOR)")
configured("twice", "tkc_add_library(k SOURCES one.tk ./one.tk BACKEND EMULATOR)")
configured("backend", "tkc_add_library(k SOURCES one.tk BACKEND CPU)")
configured("no sources", "tkc_add_library(k one.tk)")
configured("empty", "tkc_add_library(k BACKEND EMULATOR)")
configured("unknown", "tkc_add_library(k SOURCES one.tk TILES 3 BACKEND EMULATOR)")
configured("two types", "tkc_add_library(k STATIC SHARED SOURCES one.tk BACKEND EMULATOR)")
configured("instance of none", "tkc_add_library(k SOURCES one.tk two.tk INSTANTIATE three<64> BACKEND EMULATOR)")
configured("tuned", "tkc_add_library(k SOURCES one.tk TUNED none.json BACKEND EMULATOR)")
configured("version", "", package="find_package(tkc 99.0 REQUIRED)")

source, built = place(package.project("tkc_add_library(k SOURCES one.tk INSTANTIATE three<64> BACKEND EMULATOR)"))
package.configure(source, built, prefix)
say("instance", package.build(built, fails=True))

# A .tk that no longer compiles: what was compiled before is not compiled again, nor linked as if it were new.
for generator in package.GENERATORS:
    source, built = place(package.project("tkc_add_library(k SOURCES two.tk BACKEND REFERENCE)"))
    package.configure(source, built, prefix, generator)
    package.build(built)
    library = os.path.join(built, "libk.a")
    before = os.stat(library).st_mtime_ns
    package.write(source, {"two.tk": package.KERNELS["two.tk"].replace("acc = 0", "acc = bad")})
    package.build(built, fails=True)
    say("stale", package.build(built, fails=True))
    assert os.stat(library).st_mtime_ns == before
    package.write(source, {"two.tk": package.KERNELS["two.tk"]})
    package.build(built)

# Nothing is written beside the sources.
source, built = place(package.project("tkc_add_library(k SOURCES one.tk BACKEND REFERENCE EMITTED files)\n"
                                      "message(STATUS \"emitted: ${files}\")"))
before = sorted(os.listdir(source))
for name in before:
    os.chmod(os.path.join(source, name), 0o444)
os.chmod(source, 0o555)
print(next(line for line in package.configure(source, built, prefix).splitlines() if "emitted" in line))
package.build(built)
assert sorted(os.listdir(source)) == before
os.chmod(source, 0o755)
