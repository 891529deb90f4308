"""prepare.py - From a source and a space to a bundle."""
import concurrent.futures
import io
import json
import os
import shutil
import subprocess
import tempfile
import zipfile

from .. import compiler, locate, nvrtc
from ..errors import CompileError
from . import bundle, candidates as all_candidates, space as spaces
from .shapes import Shape

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RUNNER = ("driver.py", "errors.py", "plan.py", *(f"tuner/{name}.py" for name in (
    "buffers", "bundle", "database", "expressions", "fit", "gpu", "launcher", "measure", "progress", "runner", "search", "shapes",
    "worker")))
MAIN = "import sys\nfrom tkc.tuner.runner import main\nsys.exit(main(sys.argv[1:]))\n"
COUNTERS = 1  # the runner has one stream


def _nvcc():
    home = os.environ.get("CUDA_HOME")
    named = os.environ.get("TKC_NVCC") or (os.path.join(home, "bin", "nvcc") if home else None)
    return named or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def _by_nvcc(text, options):
    with tempfile.TemporaryDirectory(prefix="tkc-") as folder:
        source, made = os.path.join(folder, "kernel.cu"), os.path.join(folder, "kernel.cubin")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([_nvcc(), "-cubin", "-arch=sm_90a", "-std=c++17", "-I", os.path.join(locate.runtime(), "hopper"),
                               *options, "-Xptxas", "-v,-warn-spills", source, "-o", made], capture_output=True, text=True)
        if done.returncode:
            raise CompileError(f"nvcc refused a kernel, which is a defect of tkc or of this nvcc:\n{done.stderr}")
        with open(made, "rb") as file:
            return file.read(), done.stderr


def machine_code(text, kernel=None):
    """(cubin, log) of device text, or of one of its kernels; by NVRTC, or nvcc where there is none."""
    options = []
    if kernel:
        options.append(f"-DTKC_KERNEL={kernel['number']}")
        if any(parameter["kind"] == "tile_counter" for parameter in kernel["parameters"]):
            text += f'\nextern "C" __device__ unsigned tkc_tile_counters[{2 * (COUNTERS + 1)}];\n'
    try:
        made = nvrtc.compile_device(text, "kernel.cu", options)
        return made.cubin, made.log
    except nvrtc.NvrtcMissing:
        if not _nvcc():
            raise
        return _by_nvcc(text, options)


def _build(candidate):
    text = compiler.run(candidate.source, "device")[0].decode()
    return machine_code(text, candidate.plan)


def _write(path, record, code):
    stream = io.BytesIO(b"#!/usr/bin/env python3\n")
    stream.seek(0, io.SEEK_END)
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        def add(name, data):  # the same bundle from the same input
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)

        add("__main__.py", MAIN)
        for name in ("tkc/__init__.py", "tkc/tuner/__init__.py"):
            add(name, "")
        for name in RUNNER:
            with open(os.path.join(PACKAGE, name), encoding="utf-8") as file:
                add(f"tkc/{name}", file.read())
        add("bundle.json", json.dumps(record, indent=1))
        for name, data in code.items():
            add(name, data)
    unnamed = f"{path}.{os.getpid()}.new"
    try:
        with open(unnamed, "wb") as file:
            file.write(stream.getvalue())
        os.chmod(unnamed, 0o755)
        os.replace(unnamed, path)
    except OSError as error:
        if os.path.exists(unnamed):
            os.unlink(unnamed)
        raise CompileError(f"cannot write '{path}': {error.strerror}") from None


def choose(source, kernel, space_text, given_shapes, count, num_sms, progress):
    """The Space, the shapes, and the candidates that are worth measuring, those of the source first."""
    space = all_candidates.Space(source, kernel, spaces.parse(space_text))
    shapes = [Shape(space.function, given) for given in given_shapes]
    found = space.compile(progress)
    all_candidates.predict(found, space.function, shapes, num_sms)
    return space, shapes, found, all_candidates.keep(found, len(space.own), count)


def prepare(source, kernel, space_text, given_shapes, output, count=24, num_sms=132, progress=None):
    """Writes the bundle; the candidates in it."""
    space, shapes, found, kept = choose(source, kernel, space_text, given_shapes, count, num_sms, progress)
    with open(os.path.join(PACKAGE, "tuner", "helpers.cu"), encoding="utf-8") as file:
        helpers = file.read()
    code, records = {}, []
    with concurrent.futures.ThreadPoolExecutor(all_candidates.jobs()) as pool:
        building = pool.submit(machine_code, helpers)
        for number, (candidate, made) in enumerate(zip(kept, pool.map(_build, kept))):
            progress.show(number + 1, len(kept), "making machine code")
            code[f"{number}.cubin"] = made[0]
            complaints = nvrtc.complaints(made[1])
            records.append({"function": candidate.function, "parameters": candidate.parameters, "plan": candidate.plan,
                            "complaints": complaints})
        code["helpers.cubin"] = building.result()[0]
    progress.clear()
    record = {"format": bundle.FORMAT, "kernel": kernel, "source": space.plan["source"], "source_hash": space.plan["source_hash"],
              "tkc": space.plan["tkc"], "space": space_text, "shapes": given_shapes, "function": space.function,
              "own": len(space.own), "candidates": records, "refused": space.refused}
    _write(output, record, code)
    return space, found, kept
