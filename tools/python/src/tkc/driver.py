"""driver.py - The CUDA driver, through ctypes alone.

libcuda is wherever a GPU is. The native module gets the addresses of its functions, so that it links nothing of CUDA and can
be imported where there is no GPU.
"""
import ctypes
import functools
import os

from .errors import LaunchError


@functools.cache
def load():
    """libcuda, initialised."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise LaunchError("there is no CUDA driver (libcuda.so.1); compile with cpu=\"emulator\" to run without a GPU",
                          2) from None
    error = driver.cuInit(0)
    if error:
        raise LaunchError(f"the CUDA driver does not start: {describe(driver, error)}", 2)
    return driver


def describe(driver, error):
    text = ctypes.c_char_p()
    driver.cuGetErrorString(error, ctypes.byref(text))
    return text.value.decode() if text.value else f"error {error}"


def version():
    """Of CUDA that the driver supports: (13, 0)."""
    number = ctypes.c_int()
    load().cuDriverGetVersion(ctypes.byref(number))
    return divmod(number.value // 10, 100)


def addresses(names):
    """Of the driver's functions; a name that it does not have is left out."""
    driver = load()
    found = {}
    for name in names:
        try:
            found[name] = ctypes.cast(getattr(driver, name), ctypes.c_void_p).value
        except AttributeError:
            pass
    return found


def current_device():
    """The device of the current context; None where there is none. Loads and starts nothing: a process that compiles may
    never use the GPU, or fork before it does."""
    try:
        driver = ctypes.CDLL("libcuda.so.1", os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError:
        return None
    device = ctypes.c_int(0)
    return None if driver.cuCtxGetDevice(ctypes.byref(device)) else device.value
