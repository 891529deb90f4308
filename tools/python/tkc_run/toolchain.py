"""toolchain.py - Which tools and devices this machine has.

One place that knows where nvcc may be, so that the tests, the demo and the three-way driver agree.
nvcc is looked for in: TKC_NVCC, the path, the build folder's own copy (tools/setup.sh puts it there
from PyPI), and where NVIDIA's packages install it.
"""
import functools
import os
import shutil
import subprocess

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
RUNTIME = os.path.join(SOURCE, "runtime")


def build_folder():
    return os.environ.get("TKC_BUILD", os.path.join(SOURCE, "build"))


def find_tkc():
    """The compiler that was built; FileNotFoundError if there is none."""
    tkc = os.path.join(build_folder(), "bin", "tkc")
    if not os.path.exists(tkc):
        raise FileNotFoundError(f"there is no {tkc}; build the target tkc, or name the build folder in TKC_BUILD")
    return tkc


def find_nvcc(build=None):
    """The path of nvcc, or None. TKC_NVCC=none hides it."""
    named = os.environ.get("TKC_NVCC")
    if named == "none":
        return None
    candidates = [
        named,
        shutil.which("nvcc"),
        os.path.join(build or build_folder(), "cuda", "bin", "nvcc"),
        "/usr/local/cuda/bin/nvcc",
    ]
    return next((c for c in candidates if c and os.access(c, os.X_OK)), None)


@functools.cache
def hopper_present():
    """Whether the driver shows a device of compute capability 9.0."""
    if not shutil.which("nvidia-smi"):
        return False
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return False
    return answer.returncode == 0 and "9.0" in answer.stdout.split()


if __name__ == "__main__":  # for shell scripts: what is here, one line each
    print("nvcc", find_nvcc() or "none")
    print("gpu", "hopper" if hopper_present() else "none")
