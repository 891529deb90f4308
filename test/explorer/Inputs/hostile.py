"""hostile.py - A kernel with hostile text around it. Usage: hostile.py KERNEL OUTPUT"""
import sys

kernel = open(sys.argv[1], "rb").read()
lines = [b'constexpr const char *name = "</script><img src=x onerror=alert(1)>";', b"// <!-- <script> \xe2\x80\xae turned \xe2\x81\xa6"]
lines += [b"// line"] * (10000 - len(lines))
open(sys.argv[2], "wb").write(kernel + b"\n".join(lines) + b"\n")
