#!/usr/bin/env python3
"""protected_outputs.py - An output that cannot be replaced keeps the others: protected_outputs.py TKC OLD NEW FOLDER"""
import os
import shutil
import subprocess
import sys
import tempfile

NOBODY = 65534


def compile_as(user, tkc, source, folder):
    return subprocess.run(
        [tkc, source, "-o", "kernel.cu", "-MD"],
        cwd=folder, capture_output=True, text=True, preexec_fn=(lambda: os.setuid(user)) if user else None,
    )  # fmt: skip


def contents(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        found[name] = open(path, "rb").read() if os.path.isfile(path) else None
    return found


def case(name, tkc, old, new, folder, protect, user=0):
    """`protect` makes one file unwritable; the message must name it, and nothing may change."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chmod(folder, 0o777)
    done = compile_as(user, tkc, old, folder)
    assert done.returncode == 0, done.stderr
    undo, protected = protect(folder)
    before = contents(folder)
    done = compile_as(user, tkc, new, folder)
    after = contents(folder)
    undo()
    if done.returncode == 1 and f"cannot write '{protected}'" in done.stderr and before == after:
        print(f"{name}: {done.stderr.strip()}")
        return 0
    changed = [key for key in set(before) | set(after) if before.get(key, 0) != after.get(key, 0)]
    print(f"FAIL {name}: status {done.returncode}, changed {changed}: {done.stderr}")
    return 1


def main():
    tkc, old, new, folder = sys.argv[1:]
    folder = os.path.abspath(folder)
    failures = 0

    def directory(name):
        def protect(folder):
            path = os.path.join(folder, name)
            os.remove(path)
            os.mkdir(path)
            return lambda: None, name

        return protect

    def immutable(folder):
        path = os.path.join(folder, "kernel.h")
        if subprocess.run(["chattr", "+i", path], capture_output=True).returncode != 0:
            return None
        return lambda: subprocess.run(["chattr", "-i", path], check=True), "kernel.h"

    def sticky(folder):
        os.chown(folder, 0, 0)
        os.chmod(folder, 0o1777)
        os.chown(os.path.join(folder, "kernel.h"), 0, 0)
        os.chmod(os.path.join(folder, "kernel.h"), 0o666)
        return lambda: None, "kernel.h"

    def write_protected(folder):
        os.chmod(os.path.join(folder, "kernel.d"), 0o444)
        return lambda: None, "kernel.d"

    for name in ("kernel.cu", "kernel.h", "kernel.d"):
        failures += case(f"{name} is a directory", tkc, old, new, folder, directory(name))
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, "kernel.h"), "a").close() if not os.path.isdir(os.path.join(folder, "kernel.h")) else None
    probe = immutable(folder)
    if probe:
        probe[0]()
        failures += case("kernel.h is immutable", tkc, old, new, folder, immutable)
    else:
        print("SKIPPED: no file can be made immutable here")
    if os.getuid() != 0:
        failures += case("kernel.d is write-protected", tkc, old, new, folder, write_protected)
        print("SKIPPED: only root can make files of another owner")
        return 1 if failures else 0
    # In a folder of its own, which others may reach; tkc too.
    with tempfile.TemporaryDirectory(dir="/tmp") as reachable:
        os.chmod(reachable, 0o777)
        tool = os.path.join(reachable, "bin", "tkc")
        os.mkdir(os.path.dirname(tool))
        os.chmod(os.path.dirname(tool), 0o755)
        shutil.copy(tkc, tool)
        sources = []
        for source in (old, new):
            sources.append(shutil.copy(source, reachable))
        inner = os.path.join(reachable, "out")
        failures += case("kernel.h is another's in a sticky folder", tool, *sources, inner, sticky, NOBODY)
        failures += case("kernel.d is write-protected", tool, *sources, inner, write_protected, NOBODY)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
