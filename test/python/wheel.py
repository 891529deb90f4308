#!/usr/bin/env python3
"""wheel.py - Builds the wheel and uses it where there is nothing else: no compiler in PATH, no checkout, no packages.

Usage: wheel.py FOLDER [PYTHON ...]
auditwheel judges the wheel where it is installed.
For each Python (this one, if none is named): an environment without pip, the wheel unpacked in it, and what a user does first.
"""
import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FIRST_STEPS = """
import glob, os, sys, time, tkc
from tkc import compiler, locate, nvrtc
examples = sorted(glob.glob(os.path.join(locate.PACKAGE, "data", "share", "tkc", "examples", "*.tk")))
examples += sorted(glob.glob(os.path.join(locate.PACKAGE, "kernels", "*.tk")))
assert locate.is_installed() and len(examples) >= 20, examples
try:
    nvrtc.version()
    has_nvrtc = True
except nvrtc.NvrtcMissing as missing:
    assert "pip install nvidia-cuda-nvrtc" in str(missing)
    has_nvrtc = False
kernels = 0
for path in examples:
    if has_nvrtc:
        library = tkc.compile(path)
        library.save("saved.tkb")
        assert repr(tkc.load("saved.tkb")) == repr(library)
    else:
        library = tkc.Library(compiler.Source(path))
        assert "extern" in library.device_text
    kernels += len(list(library))
start = time.perf_counter()
tkc.Library(compiler.Source(examples[0]))
assert time.perf_counter() - start < 1, "a cached plan takes a second"
try:
    import numpy as np
except ImportError:
    np = None
if np:
    try:
        one = tkc.bf16(np.ones((16, 16), np.float32))
        tkc.compile(os.path.join(os.path.dirname(examples[0]), "gemm.tk"), cpu="emulator").gemm(one, one)
        raise SystemExit("a compiler was found")
    except Exception as error:
        assert "g++" in str(error), error
print(f"{len(examples)} files, {kernels} functions, {'to machine code' if has_nvrtc else 'their plans; there is no NVRTC'}")
"""


def use(python, wheel, folder):
    environment = os.path.join(folder, "environment")
    shutil.rmtree(environment, ignore_errors=True)
    subprocess.run([python, "-m", "venv", "--without-pip", environment], check=True)
    with zipfile.ZipFile(wheel) as archive:
        place = glob.glob(os.path.join(environment, "lib", "python3*", "site-packages"))[0]
        archive.extractall(place)
    for program in glob.glob(os.path.join(place, "tkc", "data", "bin", "*")):
        os.chmod(program, 0o755)  # as an installer does
    bare = {"PATH": "/nowhere", "HOME": folder, "TKC_CACHE_DIR": os.path.join(folder, "cache"), "TMPDIR": folder}
    if "TKC_NVRTC" in os.environ:
        bare["TKC_NVRTC"] = os.environ["TKC_NVRTC"]
    start = subprocess.run([os.path.join(environment, "bin", "python"), "-c", FIRST_STEPS], cwd=folder, env=bare, text=True,
                           capture_output=True)
    version = subprocess.run([python, "--version"], capture_output=True, text=True).stdout.strip()
    print(f"{version}: {start.stdout.strip() if start.returncode == 0 else start.stderr}")
    return start.returncode == 0


def audit(wheel):
    """What auditwheel finds, where it is installed; make_wheel.py has read the symbols itself."""
    if importlib.util.find_spec("auditwheel") is None:
        print("auditwheel is not installed")
        return True
    said = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], text=True, capture_output=True)
    found = re.search(r'platform tag: "(\w+)"', " ".join(said.stdout.split()))
    print(f"auditwheel: {found[1] if found else said.stdout + said.stderr}")
    return bool(found) and re.fullmatch(r"manylinux_2_17_\w+", found[1]) is not None


def main():
    folder, pythons = os.path.abspath(sys.argv[1]), sys.argv[2:] or [sys.executable]
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(os.path.join(folder, "*.whl")):
        os.remove(old)
    isolation = [] if os.environ.get("TKC_WHEEL_ISOLATED") else ["--no-isolation"]
    made = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "python", "make_wheel.py"), "--out", folder, *isolation],
                          text=True, capture_output=True)
    print(made.stdout.strip() or made.stderr.strip())
    wheel = next(iter(glob.glob(os.path.join(folder, "*.whl"))), None)
    good = made.returncode == 0 and wheel and re.search(r"-cp310-abi3-manylinux_2_17_\w+\.whl$", wheel)
    good = good and os.path.getsize(wheel) < 20e6 and audit(wheel)
    return 0 if good and all([use(python, wheel, folder) for python in pythons]) else 1


if __name__ == "__main__":
    sys.exit(main())
