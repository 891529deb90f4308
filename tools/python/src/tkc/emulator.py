"""emulator.py - Kernels on the CPU: the emulator's with hostile timing, or the plain C++ reference.

The same emitted text as on a GPU, compiled by g++. Each C function gets one of a type that the native module can call.
"""
import ctypes
import os
import platform
import tempfile

from . import cache, compiler, hostbuild, locate

BACKENDS = ("emulator", "reference")


def chosen(cpu):
    """What cpu= says, or TKC_CPU for a whole test suite; None is no CPU."""
    cpu = cpu if cpu is not None else os.environ.get("TKC_CPU") or None
    if cpu not in (None, *BACKENDS):
        raise ValueError(f"cpu is {cpu!r} when it should be \"emulator\" or \"reference\"")
    return cpu


def _caller(function):
    """A C function that takes arrays of tensors and of scalars (host/call_program.h)."""
    values, tensors, scalars = [], 0, 0
    for argument in function["arguments"]:
        if argument["kind"] == "tensor":
            values.append(f"tensors + {tensors}")
            tensors += 1
        else:
            values.append(f"scalars[{scalars}].{dict(f32='f32', i32='i32', bool='boolean')[argument['dtype']]}")
            scalars += 1
    name = function["name"]
    return (f'extern "C" tk_status tkc_call_{name}(const tk_tensor *tensors, const tk_call_scalar *scalars) {{\n'
            f"  (void)tensors, (void)scalars;\n  return {name}({', '.join([*values, 'nullptr'])});\n}}\n")


def _text(source, plan, backend, folder):
    """Writes what is compiled; its path."""
    kind = "reference" if backend == "reference" else "cuda"
    if kind == "reference" and source.text is not None:  # the reference includes its source
        path = os.path.join(folder, "kernel.tk")
        with open(path, "w") as file:
            file.write(source.text)
        source = compiler.Source(path, None, source.instantiate, source.define, source.include)
    made, header, _, _ = compiler.run(source, kind)
    if kind == "cuda":
        with open(os.path.join(folder, source.stem + ".h"), "wb") as file:
            file.write(header)
    path = os.path.join(folder, "kernels.cpp")
    with open(path, "wb") as file:
        file.write(made + b"\n#include <host/call_program.h>\n")
        file.write("".join(_caller(function) for function in plan["functions"]).encode())
    return path


def _cpu():
    """What -march=native depends on."""
    try:
        with open("/proc/cpuinfo") as file:
            return next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        return platform.processor()


def load(source, plan, backend, device_text):
    """The shared object of all functions of a source, built or from the cache."""
    hostbuild.run(["g++", "--version"], "asking for the compiler's version")
    name = cache.key("cpu", backend, locate.build_id(), _cpu(), device_text, source.read(), repr(source.arguments()),
                     str(os.stat(locate.emulator_library()).st_mtime_ns) if backend == "emulator" else "")

    def make():
        with tempfile.TemporaryDirectory(prefix="tkc-") as folder:
            output = os.path.join(folder, "kernels.so")
            path = _text(source, plan, backend, folder)
            extra = [] if backend == "emulator" else [f"-I{os.path.dirname(source.path or path)}"]
            defines = [argument for argument in source.arguments() if argument.startswith(("-D", "-I"))]
            command = hostbuild.command(backend, path, output)
            hostbuild.run([command[0], *(defines if backend == "reference" else []), *extra, *command[1:]],
                          f"building the {backend} of {source.name}")
            with open(output, "rb") as file:
                return {"kernels.so": file.read()}, {"what": f"{backend} of {source.name}"}

    return _load(cache.get(name, make)[0]["kernels.so"])


def _load(code):
    """Of memory, not of the cache's file: whoever damages that one while it is mapped would take the process with it. The
    handle stays open, as the loader knows libraries by their names."""
    handle = os.memfd_create("tkc-kernels")
    with open(handle, "wb", closefd=False) as file:
        file.write(code)
    return ctypes.CDLL(f"/proc/self/fd/{handle}")


def address(library, function):
    return ctypes.cast(getattr(library, f"tkc_call_{function['name']}"), ctypes.c_void_p).value


def set_timing(seed, policy="random"):
    """The timing of the emulator's next launches: random, latest, earliest, starve or consumer_first."""
    os.environ["TK_EMULATOR_SEED"] = str(seed)
    os.environ["TK_EMULATOR_POLICY"] = policy
