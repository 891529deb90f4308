#!/usr/bin/env python3
"""many_statements.py - A kernel of that many elementwise statements."""
import sys

print("kernel many(gl<bf16> X, gl<bf16> Y) {\n  for (int m : grid(cdiv(X.rows(), 64))) {\n    rt<float, 64, 64> x = load(X, {m, 0});")
print("    x = x * 1.5f;\n" * int(sys.argv[1]) + "    store(Y, {m, 0}, x);\n  }\n}")
