"""What is compiled anew after which change."""
import os
import sys
import time

import package

CMAKE = """tkc_add_library(kernels SOURCES one.tk two.tk BACKEND EMULATOR)
"""

folder = package.fresh(sys.argv[1])
prefix = package.install(folder)
for generator in package.GENERATORS:
    source, built = (os.path.join(folder, name + generator[0]) for name in ("source ", "built "))
    package.write(source, {**package.KERNELS, **package.project(CMAKE)})
    package.configure(source, built, prefix, generator)
    package.build(built)

    def objects():
        """The times of the two objects."""
        place = os.path.join(built, "CMakeFiles", "kernels.dir", "kernels.tkc")
        return [os.stat(os.path.join(place, name + ".cu.o")).st_mtime_ns for name in ("one", "two")]

    def compiled_after(what, change):
        before = objects()
        time.sleep(1.1)  # Make compares seconds on some file systems
        change()
        output = package.build(built)
        after = objects()
        names = [name for name, old, new in zip(("one", "two"), before, after) if old != new]
        calls = sum("for kernels" in line for line in output.splitlines())
        print(f"{generator}, {what}: tkc runs {calls} times, compiled: {' '.join(names) or 'nothing'}")

    def edit(name, old, new):
        path = os.path.join(source, name)
        with open(path) as file:
            text = file.read()
        assert old in text
        package.write(source, {name: text.replace(old, new)})

    compiled_after("nothing", lambda: None)
    compiled_after("two.tk", lambda: edit("two.tk", "BM = 64", "BM = 128"))
    compiled_after("tile.h", lambda: edit("tile.h", "64", "128"))
    compiled_after("nothing again", lambda: None)
    compiled_after("tkc", lambda: os.utime(os.path.join(prefix, "bin", "tkc")))
