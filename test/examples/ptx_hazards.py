#!/usr/bin/env python3
"""ptx_hazards.py - What touches the registers of running products in a file of PTX.

Usage: ptx_hazards.py FILE.ptx
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "python"))
from tkc_run import ptx_hazards


def main():
    with open(sys.argv[1]) as file:
        kernels = ptx_hazards.check(file.read())
    for name, (products, wrong) in kernels.items():
        print(*wrong, sep="\n")
        print(f"{name}: {products} products, {len(wrong)} hazards")


main()
