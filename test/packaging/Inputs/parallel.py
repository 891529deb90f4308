"""Fifty libraries of one source, at once."""
import os
import sys

import package

folder = package.fresh(sys.argv[1])
prefix = package.install(folder)
body = """set(all)
foreach(i RANGE 1 50)
  tkc_add_library(k${i} SOURCES one.tk DEFINITIONS NUMBER=${i} BACKEND EMULATOR)
  list(APPEND all k${i}_tkc)
endforeach()
add_custom_target(every DEPENDS ${all})
"""
for generator in package.GENERATORS:
    source, built = os.path.join(folder, "source"), os.path.join(folder, "built " + generator[0])
    package.write(source, {**package.KERNELS, **package.project(body)})
    package.configure(source, built, prefix, generator)
    package.build(built, "--target", "every", "-j16")
    texts = set()
    for i in range(1, 51):
        with open(os.path.join(built, f"k{i}.tkc", "one.cu")) as file:
            texts.add(file.read())
    print(generator, len(texts), "text, ends whole:", texts.pop().endswith("}\n"))
