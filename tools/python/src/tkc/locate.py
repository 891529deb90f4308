"""locate.py - Where the compiler, its runtime and the native module are.

In a wheel all of them lie in the package. In a checkout the sources are used as they lie, and what was built comes from
the build folder: TKC_BUILD, or build/.
"""
import functools
import hashlib
import importlib.machinery
import importlib.util
import os

PACKAGE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.normpath(os.path.join(PACKAGE, "..", "..", "..", ".."))
SHIMS = os.path.join(PACKAGE, "shims")


def is_installed():
    return os.path.exists(os.path.join(PACKAGE, "data", "bin", "tkc"))


def build_folder():
    return os.environ.get("TKC_BUILD") or os.path.join(CHECKOUT, "build")


def _existing(path, what):
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no {path}; install the package tkc, or build the target {what} and name the "
                                "build folder in TKC_BUILD")
    return path


def compiler():
    named = os.environ.get("TKC_COMPILER")
    if named:
        return _existing(named, "tkc")
    folder = os.path.join(PACKAGE, "data") if is_installed() else build_folder()
    return _existing(os.path.join(folder, "bin", "tkc"), "tkc")


def nvrtc_program():
    """The program that loads NVRTC and compiles kernels (tools/python/nvrtc): beside the compiler, or where that would be if
    TKC_COMPILER did not name another one."""
    folder = os.path.join(PACKAGE, "data") if is_installed() else build_folder()
    beside = os.path.join(os.path.dirname(compiler()), "tkc-nvrtc")
    return beside if os.path.exists(beside) else _existing(os.path.join(folder, "bin", "tkc-nvrtc"), "tkc_nvrtc")


def runtime():
    """The folder that has host/, hopper/ and emulator/."""
    if is_installed():
        return os.path.join(PACKAGE, "data", "share", "tkc", "runtime")
    beside = os.path.normpath(os.path.join(PACKAGE, "..", "..", "runtime"))  # where tkc itself is installed: share/tkc
    if os.path.isdir(beside):
        return beside
    return os.path.join(CHECKOUT, "runtime")


def emulator_library():
    folder = os.path.join(PACKAGE, "data") if is_installed() else build_folder()
    return _existing(os.path.join(folder, "lib", "libtkemulator.a"), "tkemulator")


def native_module():
    """tkc._launch: beside this file in a wheel, else in the build folder."""
    try:
        return importlib.import_module("tkc._launch")
    except ModuleNotFoundError:
        pass
    path = _existing(os.path.join(build_folder(), "lib", "_launch.abi3.so"), "tkc_launch")
    loader = importlib.machinery.ExtensionFileLoader("tkc._launch", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tkc._launch", loader))
    loader.exec_module(module)
    return module


@functools.cache
def build_id():
    """Changes when the compiler or its runtime does."""
    hasher = hashlib.sha256()
    facts = os.stat(compiler())
    hasher.update(f"{facts.st_size} {facts.st_mtime_ns}".encode())
    for top in (os.path.join(runtime(), "hopper"), SHIMS):
        for folder, folders, files in os.walk(top):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(folder, name)
                hasher.update(os.path.relpath(path, top).encode())
                with open(path, "rb") as file:
                    hasher.update(file.read())
    return hasher.hexdigest()
