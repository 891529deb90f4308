"""same_bytes.py - A command prints the same every time.

Usage: same_bytes.py TIMES COMMAND...
"""
import subprocess
import sys

times, *command = sys.argv[1:]
printed = set()
for _ in range(int(times)):
    done = subprocess.run(command, capture_output=True)
    printed.add((done.returncode, done.stdout, done.stderr))
print(f"{len(printed)} different outputs in {times} runs")
sys.exit(len(printed) != 1 or not done.stdout + done.stderr)
