#!/usr/bin/env python3
"""compile_time.py - tkc is quick, and always writes the same.

Usage: compile_time.py TKC FILE.tk MILLISECONDS
Compiles a few times; the best time counts, because other tests run beside this one, and every run
must print the same bytes.
"""
import subprocess
import sys
import time


def main():
    tkc, source, limit = sys.argv[1], sys.argv[2], float(sys.argv[3])
    best, texts = float("inf"), set()
    for attempt in range(25):
        start = time.perf_counter()
        done = subprocess.run([tkc, source, "-o", "-"], capture_output=True, check=True)
        best = min(best, (time.perf_counter() - start) * 1e3)
        texts.add(done.stdout)
        if attempt >= 4 and best < limit:
            break
    print(f"best of {attempt + 1}: {best:.0f} ms, when {limit:.0f} are allowed; {len(texts)} different outputs")
    return 0 if best < limit and len(texts) == 1 and len(done.stdout) > 1000 else 1


sys.exit(main())
