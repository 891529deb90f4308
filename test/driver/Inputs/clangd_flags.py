"""clangd_flags.py - The flags that .clangd names are those of tkc, but for where the header is.

Where clangd is installed, it reads an example with them and must find nothing wrong.
"""
import os
import shutil
import subprocess
import sys


def main():
    printed, root = sys.argv[1], os.path.realpath(sys.argv[2])
    folder = os.path.join(root, "runtime", "language")
    with open(printed) as file:
        expected = [os.path.relpath(f, folder) if f.startswith("/") else f for f in file.read().split()]
    with open(os.path.join(folder, "compile_flags.txt")) as file:
        found = [flag for flag in file.read().split() if flag != "-I."]
    if expected != found:
        print(f"compile_flags.txt has {found}, tkc prints {expected}")
        return 1
    with open(os.path.join(root, ".clangd")) as file:
        if "CompilationDatabase: runtime/language" not in file.read():
            print(".clangd does not name runtime/language")
            return 1
    clangd = shutil.which("clangd-19") or shutil.which("clangd")
    if clangd:
        example = os.path.join(root, "dsl-examples", "gemm.tk")
        done = subprocess.run([clangd, f"--check={example}", "--log=error"], capture_output=True, text=True)
        if done.returncode:
            print(done.stderr)
            return 1
    return 0


sys.exit(main())
