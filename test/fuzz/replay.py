"""replay.py - What the fuzzers found, and some of what they began with, through the tools as they are.

Each file must end with status 0 or 1, within its time, without an internal error; with 1 there is a message.
"""
import glob
import os
import subprocess
import sys

SECONDS = 90


def command(path, tkc, tk_opt):
    if not path.endswith(".mlir"):
        return [tkc, path, "-o", os.devnull]
    with open(path, errors="replace") as file:
        first = file.readline()
    names = first.removeprefix("// passes: ").strip() if first.startswith("// passes: ") else "tk-verify-layouts"
    return [tk_opt, path, f"--pass-pipeline=builtin.module({names})"]


def problem(path, tools):
    """What a tool did wrong with one file, or nothing."""
    try:
        done = subprocess.run(command(path, *tools), capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"still running after {SECONDS} s"
    errors = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1):
        return f"status {done.returncode}: {errors[-400:]}"
    if "internal error: tkc" in errors:
        return errors[-400:]
    return "status 1 without a message" if done.returncode and "error" not in errors else ""


def main():
    *tools, corpus = sys.argv[1:]
    files = sorted(glob.glob(os.path.join(corpus, "*", "*")))
    wrong = 0
    for path in files:
        what = problem(path, tools)
        if what:
            wrong += 1
            print(f"{os.path.relpath(path, corpus)}: {what}")
    print(f"{len(files)} files, {wrong} wrong")
    return 1 if wrong or not files else 0


sys.exit(main())
