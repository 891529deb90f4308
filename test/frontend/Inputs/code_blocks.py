#!/usr/bin/env python3
"""code_blocks.py - Every C++ example of a page, as tkc and as a C++20 compiler see it."""
import os
import re
import subprocess
import sys

tkc, header, page, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
blocks = re.findall(r"^```cpp\n(.*?)^```$", open(page).read(), re.M | re.S)
failures = 0
for number, block in enumerate(blocks):
    path = os.path.join(folder, f"example{number}.tk")
    with open(path, "w") as file:
        file.write(block)
    plain = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Werror", "-include", header, "-x", "c++"]
    for command in ([tkc, "--emit=tk", path], plain + [path]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode or done.stderr:
            failures += 1
            print(f"FAIL {' '.join(command)}\n{done.stderr}")
print(f"{len(blocks)} examples, {failures} failures")
sys.exit(1 if failures or not blocks else 0)
