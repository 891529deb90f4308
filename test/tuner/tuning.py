"""tuning.py - What the tests of the tuner share: bundles of gemm.tk whose candidates behave as a test says."""
import json
import os
import shutil
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "dsl-examples")
SHAPES = [{"A": [128, 64], "B": [64, 256]}, {"A": [256, 64], "B": [64, 64]}]


def folder(name):
    shutil.rmtree(name, ignore_errors=True)
    os.makedirs(name)
    os.chdir(name)


def build_driver():
    """Inputs/driver.cpp as libcuda.so.1 of this folder."""
    source = os.path.join(HERE, "Inputs", "driver.cpp")
    subprocess.run(["c++", "-std=c++17", "-O1", "-shared", "-fPIC", source, "-o", "libcuda.so.1"], check=True)


def environment(**more):
    return os.environ | {"LD_LIBRARY_PATH": os.getcwd(), "TKC_NVRTC": "/nonexistent/nvrtc",
                         "TKC_NVCC": os.path.join(HERE, "Inputs", "nvcc")} | more


def tkc(*arguments, **more):
    """(status, everything printed) of a command of tkc."""
    done = subprocess.run(["tkc", *arguments], capture_output=True, text=True, env=environment(**more))
    return done.returncode, done.stdout + done.stderr


def write_json(name, value):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return name


def read_json(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def prepare(space="BM=64,128 BN=64,128,256", keep=5, output="gemm.pyz", source=None):
    status, said = tkc("tune", "prepare", source or os.path.join(EXAMPLES, "gemm.tk"), "--kernel", "gemm", "--space", space, "--shapes",
                       write_json("shapes.json", SHAPES), "--keep", str(keep), "-o", output)
    assert status == 0, said
    return output


def functions(bundle):
    with zipfile.ZipFile(bundle) as archive:
        return [each["function"] for each in json.loads(archive.read("bundle.json"))["candidates"]]


def behave(bundle, behaviours, output):
    """A copy whose candidate of each number does what the text says."""
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(output, "w") as new:
        for name in old.namelist():
            number = name.removesuffix(".cubin")
            text = behaviours.get(int(number)) if number.isdigit() else None
            new.writestr(name, old.read(name) if text is None else text + "\n")
    return output


def run(bundle, output, *options, **more):
    done = subprocess.run([sys.executable, bundle, "run", "-o", output, *options], capture_output=True, text=True,
                          env=environment(**more))
    return done.returncode, done.stdout + done.stderr


def expect(said, *parts):
    for part in parts:
        assert part in said, f"{part!r} is not in:\n{said}"
