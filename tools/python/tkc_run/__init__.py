"""tkc_run - One .tk file, compiled and run three ways.

    reference   the .tk itself as C++: what the program means
    emulator    the emitted CUDA, byte for byte, on the CPU: whether its schedule is right
    gpu         the emitted CUDA through nvcc

Read builds.py first. ctypes and numpy are all it needs; the GPU is reached through its driver.
"""
