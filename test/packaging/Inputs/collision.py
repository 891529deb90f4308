"""Two libraries in one program, of all types: with kernels of their own, and with one of the same name."""
import os
import sys

import package

MAIN = """#include "one.h"
#include "two.h"
int main() { return one(nullptr, nullptr, nullptr, nullptr).code + two(nullptr, nullptr, nullptr, nullptr).code == 2 ? 0 : 1; }
"""
TYPES = ("STATIC STATIC", "SHARED SHARED", "STATIC SHARED", "SHARED STATIC", "OBJECT SHARED")
folder = package.fresh(sys.argv[1])
prefix = package.install(folder)
for name, sources in (("apart", "two.tk"), ("same", "one.tk two.tk")):
    source, built = os.path.join(folder, "source " + name), os.path.join(folder, "built " + name)
    body = ""
    for number, types in enumerate(TYPES):
        first, second = types.split()
        body += f"""tkc_add_library(first{number} {first} SOURCES one.tk BACKEND REFERENCE)
tkc_add_library(second{number} {second} SOURCES {sources} BACKEND EMULATOR)
add_executable(app{number} main.cpp)
target_link_libraries(app{number} PRIVATE first{number} second{number})
"""
    package.write(source, {**package.KERNELS, **package.project(body), "main.cpp": MAIN})
    package.configure(source, built, prefix)
    for number, types in enumerate(TYPES):
        output = package.build(built, "--target", f"app{number}", fails=name == "same")
        if name == "apart":
            package.run([os.path.join(built, f"app{number}")])
        lines = [line for line in output.splitlines() if "multiple definition" in line or "duplicate symbol" in line]
        print(types, name, *lines[-1:])
