"""tkc_run - One .tk file, compiled and run on three backends.

    reference   the .tk itself as C++: what the program means
    emulator    the emitted CUDA, byte for byte, on the CPU: whether its schedule is right
    gpu         the emitted CUDA through nvcc

Read builds.py first. ctypes and numpy are all it needs; the GPU is reached through its driver. What it shares with the
package for users, tkc (src/tkc), it takes from there.
"""
import os
import sys

if not os.environ.get("TKC_INSTALLED"):
    sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src"))
