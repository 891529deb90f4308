"""library.py - Compiling a source, and what comes of it."""
import hashlib
import io
import json
import os
import re
import threading
import warnings
import zipfile

from . import cache, compiler, driver, emulator, locate, nvrtc, plan as plans
from .compiler import Source
from .errors import CompileError, PerformanceWarning
from .kernel import Kernel, native

_lock = threading.RLock()


def compile(path=None, *, source=None, instantiate=(), define=None, include=(), tuned=None, cpu=None):  # noqa: A001 - its name
    """The kernels of a .tk file, or of the text `source`.

    instantiate  more instances: "attention<96, true>"
    define       macros: {"FAST": 1}
    include      folders of included files
    tuned        a database of tkc tune: functions choose among the fastest instances
    cpu          "emulator" or "reference": what runs them on tensors of the CPU; TKC_CPU says it for all

    Machine code is made by NVRTC at once, unless `cpu` is given: then when the first tensor on a GPU comes. All of it is
    cached (python -m tkc cache). CompileError has the compiler's diagnostics.
    """
    cpu = emulator.chosen(cpu)
    source = Source(path, source, instantiate, define, include, tuned)
    if cpu is not None:
        return Library(source, cpu)
    with nvrtc.process() as process:
        library = Library(source, process=process)
        library._get_code(process)
    library._load_all()
    return library


def load(path):
    """What Library.save wrote; it needs no compiler and no NVRTC."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        record = json.loads(files["bundle.json"])
        if record.get("format") != plans.FORMAT:
            raise CompileError(f"{path} has format {record.get('format')} when this tkc reads {plans.FORMAT}; save it again")
        for name, total in record["sums"].items():
            if hashlib.sha256(files[name]).hexdigest() != total:
                raise CompileError(f"{path} is damaged: {name} is not what was saved; save it again")
        source = Source(None, files["source.tk"].decode(), record["instantiate"], record["define"])
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, UnicodeDecodeError) as error:
        raise CompileError(f"{path} is no bundle of tkc: {error}") from None
    library = Library(source, None, (json.loads(files["plan.json"]), files["device.cu"].decode()))
    library._code = [files[f"{number}.cubin"] for number in range(record["kernels"])]
    library._logs = [""] * record["kernels"]
    return library


class Library:
    """The functions of one source, as attributes."""

    def __init__(self, source, cpu=None, front=None, process=None):
        self.source, self.cpu = source, cpu
        self.diagnostics = []
        self.plan, self.device_text = front or self._front(process)
        plans.check_format(self.plan)
        self._kernels = {function["name"]: Kernel(self, function) for function in self.plan["functions"]}
        self._code = self._logs = self._shared_object = None
        self._instances = {}
        self._texts = {}

    # What the compiler made.

    def _front(self, process=None):
        """The plan and the device text. Where they are made, `process`, which makes machine code next, loads NVRTC meanwhile."""
        name = cache.key("front", locate.build_id(), plans.FORMAT, self.source.read(), repr(self.source.arguments()),
                         self.source.path or "")

        def is_valid(about):
            return all(_digest(path) == digest for path, digest in about["files"].items())

        def make():
            if process:
                process.start()
            device, plan, said, files = compiler.run(self.source, "device")
            told = [{"text": each.text(), "severity": each.severity, "message": each.message} for each in said]
            return ({"plan.json": plan, "device.cu": device},
                    {"what": f"plan of {self.source.name}", "files": {path: _digest(path) for path in files}, "said": told})

        files, about, _ = cache.get(name, make, is_valid)
        self.diagnostics = [each["text"] for each in about["said"]]
        for each in about["said"]:
            if each["severity"] == "warning":
                warnings.warn(each["text"], PerformanceWarning, stacklevel=4)
        return json.loads(files["plan.json"]), files["device.cu"].decode()

    def _kernel_plans(self):
        return [function for function in self.plan["functions"] if function["kind"] == "kernel"]

    def _get_code(self, process=None):
        """Machine code of all kernels, in the order of the plans; made by a process that is started already, if there is one."""
        with _lock:
            if self._code is None:
                kernels = self._kernel_plans()
                name = cache.key("code", locate.build_id(), nvrtc.identity(), repr(nvrtc.OPTIONS), self.device_text)

                def make():
                    made = nvrtc.compile_kernels(self.device_text, self.source.stem + ".device.cu", kernels,
                                                 native.TILE_COUNTERS, process)
                    files = {f"{number}.cubin": each.cubin for number, each in enumerate(made)}
                    files |= {f"{number}.log": each.log.encode() for number, each in enumerate(made)}
                    return files, {"what": f"machine code of {self.source.name}"}

                files = cache.get(name, make)[0]
                self._code = [files[f"{number}.cubin"] for number in range(len(kernels))]
                self._logs = [files[f"{number}.log"].decode() for number in range(len(kernels))]
                for kernel, log in zip(kernels, self._logs):
                    nvrtc.warn_of(kernel, log, self.source.name)
            return self._code

    def _code_of(self, function):
        code = self._get_code()
        return [code[kernel["number"]] for kernel in plans.kernels_of(self.plan, function)]

    def _registers_of(self, function):
        self._get_code()
        return {kernel["name"]: nvrtc.registers(self._logs[kernel["number"]]) for kernel in plans.kernels_of(self.plan, function)}

    def _load_driver(self):
        native.set_driver(driver.addresses(native.driver_names()))

    def _load_all(self):
        """Loads modules into the current device's context, if there is one, so that also a first call may be captured."""
        device = driver.current_device()
        if device is not None:
            for kernel in self._kernels.values():
                kernel.prepare(device)

    def _cpu_address(self, function):
        if self.cpu is None:
            raise TypeError(f"{function['name']}: the tensors are on the CPU; move them to a GPU, or compile with "
                            "cpu=\"emulator\" or cpu=\"reference\"")
        with _lock:
            if self._shared_object is None:
                self._shared_object = emulator.load(self.source, self.plan, self.cpu, self.device_text)
        return emulator.address(self._shared_object, function)

    # What users see.

    def __getattr__(self, name):
        kernels = self.__dict__.get("_kernels", {})
        if name in kernels:
            return kernels[name]
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"{self.source.name} has no kernel '{name}'; it has {', '.join(kernels)}. "
                             "lib.instance() makes instances of templates")

    def __dir__(self):
        return [*super().__dir__(), *self._kernels]

    def __iter__(self):
        return iter(self._kernels.values())

    def __repr__(self):
        return "\n".join(map(repr, self))

    def __reduce__(self):
        return Library, (self.source, self.cpu)

    def instance(self, template, **arguments):
        """A kernel for other template arguments, by name: lib.instance("attention", D=128, Causal=True). Those that are not
        named keep the template's defaults."""
        base = self._kernels.get(template)
        if base is None or base.plan["kind"] != "kernel":
            raise CompileError(f"{self.source.name} has no kernel template '{template}'; it has {', '.join(self._kernels)}")
        values = dict(part.split(" = ", 1) for part in re.split(r", (?=\w+ = )", base.plan["parameters_of_template"]) if part)
        unknown = [name for name in arguments if name not in values]
        if unknown:
            raise CompileError(f"{template} has no template parameter '{unknown[0]}'; it has {', '.join(values) or 'none'}")
        values |= {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in arguments.items()}
        wanted = f"{template}<{', '.join(values.values())}>"
        with _lock:
            if wanted not in self._instances:
                self._instances[wanted] = self._make_instance(wanted, base, values)
        return self._instances[wanted]

    def _make_instance(self, wanted, base, values):
        parameters = ", ".join(f"{name} = {value}" for name, value in values.items())
        if base.plan["parameters_of_template"] == parameters:
            return base
        library = Library(self.source.with_instances([wanted]), self.cpu)
        fresh = [name for name in library._kernels if name not in self._kernels]
        if fresh:
            return library._kernels[fresh[0]]
        template = wanted.split("<")[0]
        for name, kernel in self._kernels.items():
            if name.startswith(template) and kernel.plan.get("parameters_of_template") == parameters:
                return kernel
        raise CompileError(f"{wanted} made no new kernel")

    def _emit(self, kind):
        if kind not in self._texts:
            self._texts[kind] = compiler.run(self.source, kind)[0].decode()
        return self._texts[kind]

    @property
    def cuda(self):
        """The emitted CUDA."""
        return self._emit("cuda")

    @property
    def report(self):
        """What the compiler decided, and why."""
        return self._emit("report")

    def save(self, path):
        """Writes plans, machine code and source into one file, which tkc.load reads without a compiler."""
        code = self._get_code()
        files = {"plan.json": json.dumps(self.plan).encode(), "device.cu": self.device_text.encode(),
                 "source.tk": self.source.read()}
        files |= {f"{number}.cubin": each for number, each in enumerate(code)}
        record = {"format": plans.FORMAT, "kernels": len(code), "instantiate": list(self.source.instantiate),
                  "define": self.source.define, "sums": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("bundle.json", json.dumps(record, indent=1))
            for name, data in files.items():
                archive.writestr(name, data)
        unnamed = f"{os.fspath(path)}.{os.getpid()}.new"
        with open(unnamed, "wb") as file:
            file.write(buffer.getvalue())
        os.replace(unnamed, path)


def _digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""
