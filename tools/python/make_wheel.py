#!/usr/bin/env python3
"""make_wheel.py - Builds the package's wheel and says on which Linux it runs.

Usage: make_wheel.py [--out FOLDER] [--no-isolation]
pip builds a wheel for this very Linux. What the files in it ask of glibc is read from their symbols; if no more than manylinux
promises, the wheel is named so, else the message names the symbols. --no-isolation takes scikit-build-core from this Python.
"""
import argparse
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
GLIBC = (2, 17)  # manylinux_2_17: CentOS 7, Debian 8, Ubuntu 14.04 and later
LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", f"ld-linux-{platform.machine().replace('_', '-')}.so.2"}


def build(out, is_isolated):
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", out, FOLDER]
    subprocess.run(command if is_isolated else [*command, "--no-build-isolation"], check=True, stdout=subprocess.DEVNULL)
    return next(os.path.join(out, name) for name in os.listdir(out) if name.endswith(".whl"))


def demands(data):
    """Of a program or shared object: {(symbol, version of glibc)}, and libraries other than glibc's."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        said = subprocess.run(["objdump", "-pT", file.name], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    symbols = {(name, tuple(map(int, version.split("."))))
               for version, name in re.findall(r"\(GLIBC_([\d.]+)\)\s+(\S+)", said)}
    return symbols, set(re.findall(r"NEEDED\s+(\S+)", said)) - LIBRARIES


def problems(path):
    found = []
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            data = wheel.read(name)
            if not data.startswith(b"\x7fELF"):
                continue
            symbols, libraries = demands(data)
            found += [f"{name} needs {symbol} of glibc {'.'.join(map(str, version))}" for symbol, version in sorted(symbols)
                      if version > GLIBC]
            found += [f"{name} needs {library}" for library in sorted(libraries)]
    return found


def renamed(path, tag):
    """The same wheel for another platform: its name, its WHEEL file and that one's line in RECORD."""
    folder, name = os.path.split(path)
    kept = "-".join(name.removesuffix(".whl").split("-")[:-1])
    result = os.path.join(folder, f"{kept}-{tag}.whl")
    python = "-".join(kept.split("-")[-2:])
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(result + ".new", "w", zipfile.ZIP_DEFLATED) as new:
        about = next(each for each in old.namelist() if each.endswith(".dist-info/WHEEL"))
        text = re.sub(rb"(?m)^Tag: .*$", f"Tag: {python}-{tag}".encode(), old.read(about))
        line = f"{about},sha256={base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b'=').decode()},{len(text)}"
        for entry in old.infolist():
            data = text if entry.filename == about else old.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                data = re.sub(rb"(?m)^" + re.escape(about.encode()) + rb",.*$", line.encode(), data)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, data, compresslevel=9)
    os.replace(result + ".new", result)
    if result != path:
        os.remove(path)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=".")
    parser.add_argument("--no-isolation", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = build(folder, not options.no_isolation)
        wrong = problems(path)
        if not wrong:
            path = renamed(path, f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{platform.machine()}")
        result = os.path.join(options.out, os.path.basename(path))
        with open(path, "rb") as made, open(result, "wb") as file:
            file.write(made.read())
    for text in wrong[:20]:
        print(f"{text}, which manylinux_{GLIBC[0]}_{GLIBC[1]} does not have; the wheel is for this Linux alone")
    print(f"{result}: {os.path.getsize(result) / 1e6:.1f} MB")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
