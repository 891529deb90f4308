"""The example programs, as a project outside of the tree, with an installed tkc that was moved."""
import os
import shutil
import sys

import package

folder = package.fresh(sys.argv[1])
prefix = package.install(folder)
# Nothing of the build or of the first place is in what CMake, pkg-config, tkc and people read.
for base, _, names in os.walk(os.path.join(prefix, "lib")):
    for name in names:
        if not name.endswith(".a"):
            with open(os.path.join(base, name), "rb") as file:
                text = file.read()
            for place in ("first place", os.environ["TKC_BUILD"], package.SOURCE):
                assert place.encode() not in text, f"{name} names {place}"

shutil.copytree(os.path.join(prefix, "share", "doc", "tkc", "dsl-examples"), os.path.join(folder, "sources"))
for generator in package.GENERATORS:
    built = os.path.join(folder, "built by " + generator.split()[-1])
    package.configure(os.path.join(folder, "sources", "apps"), built, prefix, generator)
    package.build(built, "-j2")
    print(generator)
    for command in (["gemm_batch", "130x70x96", "40x20x9"], ["gemm_from_c"], ["generate", "3"]):
        print(package.run([os.path.join(built, command[0]), *command[1:]]), end="")
