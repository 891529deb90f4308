#!/usr/bin/env python3
"""documented.py - Runs the code blocks of docs/python.md, in order, in one namespace.

Blocks that say gpu or nvrtc are run where there is one, and else compiled alone.
"""
import os
import re
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import EXAMPLES, ROOT
import tkc
from tkc import nvrtc


def have(need):
    if need == "nvrtc":
        try:
            nvrtc.version()
        except tkc.CompileError:
            return False
        return True
    try:
        import torch
    except ImportError:
        return False
    return need == "gpu" and torch.cuda.is_available()


def main():
    page = os.path.join(ROOT, "docs", "python.md")
    with open(page) as file:
        text = file.read()
    warnings.simplefilter("ignore", tkc.PerformanceWarning)
    namespace, counts = {}, {"run": 0, "compiled": 0}
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(EXAMPLES):
            if name.endswith(".tk"):
                os.symlink(os.path.join(EXAMPLES, name), os.path.join(folder, name))
        os.chdir(folder)
        for block in re.finditer(r"```python *(\w*?) *run by \S+\n(.*?)```", text, re.DOTALL):
            line = text.count("\n", 0, block.start()) + 1
            code = compile("\n" * line + block[2], page, "exec")
            runs = not block[1] or have(block[1])
            counts["run" if runs else "compiled"] += 1
            if runs:
                exec(code, namespace)
        os.chdir(ROOT)
    print(f"{counts['run']} blocks were run, {counts['compiled']} compiled alone")
    return 0 if counts["run"] else 1


sys.exit(main())
