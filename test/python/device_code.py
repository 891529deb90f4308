#!/usr/bin/env python3
"""device_code.py - The kernels of .tk files as machine code, by NVRTC without any NVIDIA header.

Usage: device_code.py [--times] [FILE.tk ...]
Compiles each file (default: all examples) as tkc.compile does, with an empty cache; says how many kernels, what ptxas complains
of, and with --times how long the first compilation took and one from the cache in a fresh process.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import EXAMPLES
import tkc
from tkc import nvrtc

CACHED = """
import sys, time
sys.path[:0] = {path!r}
import tkc, warnings
warnings.simplefilter("ignore")
tkc.compile
start = time.perf_counter()
tkc.compile({file!r})
print(time.perf_counter() - start)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore", tkc.PerformanceWarning)
    nvrtc.version()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TKC_CACHE_DIR"] = folder
        for file in options.files or sorted(glob.glob(os.path.join(EXAMPLES, "*.tk"))):
            start = time.perf_counter()
            library = tkc.compile(file)
            seconds = time.perf_counter() - start
            logs = dict(zip((kernel["name"] for kernel in library._kernel_plans()), library._logs))
            line = f"{os.path.basename(file)}: {len(logs)} kernels"
            for kernel, code in zip(library._kernel_plans(), library._get_code()):
                if not code.startswith(b"\x7fELF") or kernel["symbol"].encode() not in code:
                    line += f"; {kernel['name']} has no machine code"
                    wrong += 1
            told = [f"{name}: {text}" for name, log in logs.items() for text in nvrtc.complaints(log)]
            if options.times:
                again = subprocess.run([sys.executable, "-c", CACHED.format(path=sys.path[:2], file=file)], capture_output=True,
                                       text=True, check=True).stdout
                line += f", {seconds:.2f} s, cached {1000 * float(again):.0f} ms"
            print("\n  ".join([line, *told]), flush=True)
    print(f"{wrong} kernels have no machine code")
    return 1 if wrong else 0


sys.exit(main())
