"""Two libraries in one program: with kernels of their own, and with one of the same name."""
import os
import sys

import package

MAIN = """#include "one.h"
#include "two.h"
int main() { return one(nullptr, nullptr, nullptr, nullptr).code + two(nullptr, nullptr, nullptr, nullptr).code == 2 ? 0 : 1; }
"""
folder = package.fresh(sys.argv[1])
prefix = package.install(folder)
for name, sources in (("apart", "two.tk"), ("same", "one.tk two.tk")):
    source, built = os.path.join(folder, "source " + name), os.path.join(folder, "built " + name)
    body = f"""tkc_add_library(first SOURCES one.tk BACKEND REFERENCE)
tkc_add_library(second SOURCES {sources} BACKEND EMULATOR)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE first second)
tkc_add_library(third SHARED SOURCES two.tk BACKEND EMULATOR)
tkc_add_library(fourth OBJECT SOURCES one.tk BACKEND REFERENCE)
add_executable(other main.cpp)
target_link_libraries(other PRIVATE third fourth)
"""
    package.write(source, {**package.KERNELS, **package.project(body), "main.cpp": MAIN})
    package.configure(source, built, prefix)
    package.build(built, "--target", "other")
    package.run([os.path.join(built, "other")])
    output = package.build(built, "--target", "app", fails=name == "same")
    if name == "apart":
        package.run([os.path.join(built, "app")])
    print(name, *(line for line in output.splitlines() if "multiple definition" in line or "duplicate symbol" in line))
