"""times.py - What `tkc_bench time` does: kernels and their peers in bursts (bursts.py), on inputs that rotate past the L2 cache.

A problem of tkc_run is made on the host, as for a check, and its buffers are copied to the GPU, as often as it takes to fill
three times the L2 cache. Peers get the same memory as tensors of torch. Where a problem predicts its time by another
kernel's, that one is timed beside it.
"""
import ctypes
import os
import re
import statistics
import sys

import torch

import bursts
from tkc_run import abi, builds, families
from tkc_run.tensors import GUARD, HostTensor

TORCH = {abi.BF16: torch.bfloat16, abi.F16: torch.float16, abi.F32: torch.float32, abi.E4M3: torch.float8_e4m3fn,
         abi.E5M2: torch.float8_e5m2, abi.I8: torch.int8, abi.I32: torch.int32}


class DeviceProblem:
    """The tensors of a problem on the GPU; `copy` has memory of its own with the same content."""

    def __init__(self, problem, kernel, buffers=None):
        self.problem, self.kernel = problem, kernel
        self.launches = problem.launches(kernel)
        self.buffers = buffers or {id(t.buffer): torch.from_numpy(t.buffer.view("uint8")).cuda() for t in self.tensors()}

    def tensors(self):
        return [tensor for launch in self.launches for tensor in launch.tensors.values()]

    def copy(self):
        return DeviceProblem(self.problem, self.kernel, {key: buffer.clone() for key, buffer in self.buffers.items()})

    @property
    def size(self):
        return sum(buffer.numel() for buffer in self.buffers.values())

    def view(self, tensor):
        return tensor.view(self.buffers[id(tensor.buffer)].data_ptr())

    def torch_tensors(self):
        """By name, what lies in memory as torch can see it."""
        named = {name: tensor for launch in self.launches for name, tensor in launch.tensors.items()}
        return {name: self.as_torch(tensor) for name, tensor in named.items() if isinstance(tensor, HostTensor)}

    def as_torch(self, tensor):
        flat, view = self.buffers[id(tensor.buffer)].view(TORCH[tensor.dtype])[GUARD:], tensor.view()
        return torch.as_strided(flat, view.extents[: view.rank], view.strides[: view.rank], flat.storage_offset())

    def call(self, library, number=None):
        """All launches, with everything that Python needs to do already done; `number` is that of a variant."""
        prepared = []
        for launch in self.launches:
            views = [self.view(tensor) for tensor in launch.tensors.values()]
            scalars = list(launch.scalars)
            name = launch.kernel
            if number is not None:
                name, scalars = f"{name}_as", [*scalars, ctypes.c_int32(number)]
            function = abi.function(library, name, len(views), [type(scalar) for scalar in scalars])
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            prepared.append((name, function, [*map(ctypes.pointer, views), *scalars, stream]))

        def run():
            for name, function, arguments in prepared:
                status = function(*arguments)
                if status.code:
                    sys.exit(f"{name}: {status}")

        return run


def variants(source, kernel):
    """The kernels that a function chooses among, by number; none if it does not."""
    with open(source) as file:
        listed = re.search(rf"// {kernel}, [^\n]*fastest\n((?://   \d+  \w+\n)+)", file.read())
    return re.findall(r"//   \d+  (\w+)", listed.group(1)) if listed else []


def chosen(library, kernel, device):
    number = ctypes.c_int32(-1)
    views = [device.view(tensor) for tensor in device.launches[0].tensors.values()]
    function = getattr(library, f"{kernel}_choice")
    function.restype = abi.Status
    function(*map(ctypes.byref, views), *device.launches[0].scalars, ctypes.byref(number))
    return number.value


def once(call):
    """About how long a call takes, in ms."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    call()
    start.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return max(start.elapsed_time(end), 0.004)


def keep_fastest(calls, estimate):
    """Of labels "peer 0", "peer 1", ..., the fastest by one burst, as "peer"."""
    numbered = {}
    for label in list(calls):
        name, _, number = label.rpartition(" ")
        if name and number.isdigit():
            numbered.setdefault(name, []).append(calls.pop(label))
    for name, listed in numbered.items():
        calls[name] = min(listed, key=lambda each: bursts.burst(each, estimate, 0.05))


def cannot(label, error):
    print(f"{label} cannot: {type(error).__name__}: {' '.join(str(error).split())[:300]}", flush=True)


def peer_calls(family, kernel, sets, calls):
    """Adds the peers to the calls; they find tkc's results in the tensors, and may compare. Whatever is wrong with a peer, the
    others go on."""
    found = {}
    try:
        for device, ours in zip(sets, calls["tkc"]):
            ours()
            for label, call in family.peers(device.problem, kernel, device.torch_tensors()).items():
                found.setdefault(label, []).append(call)
    except Exception as error:
        cannot("peers", error)
        return
    for label, each in found.items():
        try:
            each[0]()
            torch.cuda.synchronize()
            calls[label] = each
        except Exception as error:
            cannot(label, error)


def sets_of(family, kernel, text, seed):
    """A problem on the GPU, as often as it takes to fill three times the L2 cache."""
    first = DeviceProblem(family.problem(family.parse(text), seed, kernel), kernel)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    return [first] + [first.copy() for _ in range(max(1, -(-3 * l2 // first.size) - 1))]


def predicting(options, kernel, text, source_of):
    """The calls of the kernel that predicts another's time."""
    family = families.find(kernel)
    library = builds.Kernels(source_of(options, family, kernel), options.tkc, options.emitted).load("gpu")
    return [device.call(library) for device in sets_of(family, kernel, text, options.seed)]


def time_row(options, family, kernel, text, libraries, source_of):
    sets = sets_of(family, kernel, text, options.seed)
    first, problem = sets[0], sets[0].problem
    calls = {label: [device.call(library) for device in sets] for label, (library, _) in libraries.items()}
    library, source = libraries["tkc"]
    row = {"kernel": kernel, "shape": text, "flops": problem.flops(kernel), "times": {}}
    if not row["flops"]:
        row["bytes"] = int(problem.bytes(kernel))
        calls["copy"] = bursts.copies(row["bytes"])
    if options.variants and hasattr(library, f"{kernel}_as"):
        names = variants(source, kernel)
        row["chosen"] = names[chosen(library, kernel, first)]
        calls |= {name: [device.call(library, number) for device in sets] for number, name in enumerate(names)}
    if not options.no_peers:
        peer_calls(family, kernel, sets, calls)
    plain, plain_text, share = getattr(problem, "prediction", lambda kernel: None)(kernel) or (None, "", 1.0)
    if plain:
        calls["predicted"] = predicting(options, plain, plain_text, source_of)
        row["prediction"] = {"kernel": plain, "shape": plain_text, "share": share}
    keep_fastest(calls, once(calls["tkc"][0]))
    estimates = {label: once(each[0]) for label, each in calls.items()}
    for label, samples in bursts.time_in_turn(calls, estimates, options.samples, 0.12 if row["flops"] else 0.02).items():
        samples = [share * ms for ms in samples] if label == "predicted" else samples
        row["times"][label] = {"ms": statistics.median(samples), "samples": samples}
        if options.sustained and estimates["tkc"] > 0.5 and label != "predicted":
            row["times"][label]["sustained_ms"] = bursts.sustained(calls[label], estimates[label])
    return row


def show(row):
    """One line: our time and speed, and of the others how many times as long they take."""
    times = row["times"]
    ours = times["tkc"]["ms"]
    speed = f"{1e-9 * row['flops'] / ours:5.0f} TFLOP/s" if row["flops"] else f"{1e-6 * row['bytes'] / ours:5.0f} GB/s"
    text = f"{row['kernel']:>26} {row['shape'][:40]:>22}  tkc {ours:8.4f} ms {speed}"
    for label, each in times.items():
        if label != "tkc":
            mark = "*" if label == row.get("chosen") else ""
            text += f"  {mark}{label} {each['ms']:.4f} ({each['ms'] / ours:.3f})"
    print(text, flush=True)


def load(options, family, kernel, source_of):
    """Each version of the CUDA: its library, and its text."""
    libraries = {}
    for label, folder in {"tkc": options.emitted, **dict(pair.split("=", 1) for pair in options.against)}.items():
        kernels = builds.Kernels(source_of(options, family, kernel), options.tkc, folder)
        libraries[label] = kernels.load("gpu"), os.path.join(kernels.text("cuda"), kernels.file_name("cuda"))
    return libraries


def run(options, wanted, check_kernel, source_of):
    print(bursts.device_line(), flush=True)
    torch.backends.cuda.matmul.allow_tf32 = True
    result, wrong = {"device": bursts.device_line(), "rows": []}, []
    for family, kernel in wanted:
        texts = options.shapes or [text for name, text in family.rows if name == kernel]
        texts = [text for text in texts if re.search(options.rows, f"{kernel} {text}")]
        if not texts:
            continue
        options.backends = "gpu"
        if not options.no_check and check_kernel(options, family, kernel, family.shapes(kernel)):
            wrong.append(kernel)
            continue
        libraries = load(options, family, kernel, source_of)
        for text in texts:
            row = time_row(options, family, kernel, text, libraries, source_of)
            result["rows"].append(row)
            show(row)
            bursts.save(result, options.json)  # now, for a run may be stopped
    if wrong:
        print(f"wrong, and not timed: {', '.join(wrong)}")
    return 1 if wrong or not result["rows"] else 0
