#!/usr/bin/env python3
"""gpu.py - What the Python package must show on a Hopper GPU with PyTorch, in one command.

Usage: gpu.py [--only builds,calls,operators,graphs,decode,processes,training] [--out FILE] [--kernels NAME ...]
Needs tkc (pip install its wheel), torch for CUDA 12 or 13, NVRTC, and nvcc for `builds`. Prints one JSON object; what fails is in
it under "failures", and the exit status is then 1.

    builds      NVRTC's and nvcc's machine code beside each other, every timed row of the families: bit by bit, and times
    calls       what a call costs on the host, beside torch.add and, where Triton is, a kernel with tensor descriptors
    operators   opcheck of every operator, attention's gradients beside float64, a transformer block under torch.compile
    graphs      the very first call captured; 1000 replays beside 5000 launches in another stream
    decode      tkc.kernels.decode beside the same in float32
    processes   one that ends with kernels in flight, one that was forked
    training    a GPT of 4 layers for 300 steps, three seeds, beside torch's own functions
"""
import argparse
import ctypes
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import family_rows
import harness  # the path to the package, unless TKC_INSTALLED says that it is installed
import torch

import tkc
from tkc import compiler, kernels, locate, plan as plans
from tkc.kernels import sources

sys.path.insert(0, os.path.join(harness.EXAMPLES, "apps"))
import train_gpt  # noqa: E402

DEVICE = "cuda"
LONG_US = 100  # the host launches faster than this by far
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)


def example(name):
    return sources.path(name)


def normal(*shape, dtype=torch.bfloat16, grad=False):
    x = tkc.aligned(torch.randn(*shape, device=DEVICE).to(dtype))
    return x.requires_grad_() if grad else x


def side_by_side_us(first, second, rounds=31):
    """The device time of one call of each, by turns, as the clock wanders. Calls of less than LONG_US are replayed in CUDA graphs of
    about a millisecond, so that the host has no part in it. Longer ones are launched, for a captured launch has no tile counter."""
    runs = []
    for work in (first, second):
        work()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(5):
            work()
        torch.cuda.synchronize()
        each_us = (time.perf_counter() - start) / 5 * 1e6
        runs.append(launches(work) if each_us > LONG_US else captured(work, max(1, min(200, int(1e3 / each_us)))))
    for run, _ in runs * 3:
        run()
    times = [], []
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 else (1, 0):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(100_000)  # 50 us of the device, in which the host gets ahead of it
            begin.record()
            runs[which][0]()
            end.record()
            times[which].append((begin, end))
    torch.cuda.synchronize()
    times = [[begin.elapsed_time(end) * 1e3 / count for begin, end in each] for each, (_, count) in zip(times, runs)]
    return (*map(statistics.median, times), statistics.median(a / b for a, b in zip(*times)))


def launches(work, count=4):
    def run():
        for _ in range(count):
            work()

    return run, count


def captured(work, count):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            work()
    return graph.replay, count


def host_us(statement, names, count=200, rounds=60):
    """The time that a statement takes on the host, of as many in a row as the queue of the device holds, without the wait for it."""
    timer, times = timeit.Timer(statement, globals=names), []
    for _ in range(rounds):
        torch.cuda.synchronize()
        times.append(timer.timeit(count) / count)
    torch.cuda.synchronize()
    return 1e6 * statistics.median(times)


# ---- builds --------------------------------------------------------------------------------------------------------------


class Abi(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32), ("extents", ctypes.c_int64 * 4),
                ("strides", ctypes.c_int64 * 4)]


class Status(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("message", ctypes.c_char_p)]


def by_nvcc(library, folder):
    """The C functions of the same source, compiled by nvcc, or as they were left in the folder."""
    known = os.path.join(folder, library.source.stem + ".cu.so")
    if os.path.exists(known):
        return ctypes.CDLL(known)
    nvcc = os.environ.get("TKC_NVCC") or next(
        path for path in ("/usr/local/cuda/bin/nvcc", "nvcc") if path == "nvcc" or os.path.exists(path))
    made, header, _, _ = compiler.run(library.source, "cuda")
    path = os.path.join(folder, library.source.stem + ".cu")
    for name, data in ((path, made), (path[:-3] + ".h", header)):
        with open(name, "wb") as file:
            file.write(data)
    runtime = locate.runtime()
    subprocess.run([nvcc, "-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-shared", "-Xcompiler", "-fPIC", "-I",
                    os.path.join(runtime, "hopper"), "-I", runtime, path, "-o", path + ".so"], check=True, capture_output=True)
    return ctypes.CDLL(path + ".so")


def c_call(shared, kernel, arguments):
    """A closure that calls the C function with these tensors and numbers."""
    given, types = [], []
    for argument, value in zip(kernel.plan["arguments"], arguments):
        if argument["kind"] == "scalar":
            types.append({"f32": ctypes.c_float, "i32": ctypes.c_int32, "bool": ctypes.c_bool}[argument["dtype"]])
            given.append(value)
        else:
            types.append(ctypes.POINTER(Abi))
            given.append(ctypes.byref(Abi(value.data_ptr(), plans.DTYPES[argument["dtype"]], value.dim(),
                                          (ctypes.c_int64 * 4)(*value.shape), (ctypes.c_int64 * 4)(*value.stride()))))
    function = getattr(shared, kernel.__name__)
    function.restype, function.argtypes = Status, [*types, ctypes.c_void_p]

    def work():
        status = function(*given, torch.cuda.current_stream().cuda_stream)
        assert status.code == 0, status.message

    return work


def builds(names):
    rows, libraries = [], {}
    with tempfile.TemporaryDirectory() as made:
        folder = os.environ.get("TKC_NVCC_BUILDS", made)
        for file, name, shape, calls in family_rows.rows(names):
            if file not in libraries:
                library = tkc.compile(file)
                libraries[file] = library, by_nvcc(library, folder)
            library, shared = libraries[file]
            by_nvrtc, there, outputs, added = [], [], [], False
            for each, tensors, numbers in calls:
                kernel = getattr(library, each)
                arguments = family_rows.arguments(kernel, tensors, numbers)
                by_nvrtc.append(functools.partial(kernel, *arguments))
                there.append(c_call(shared, kernel, arguments))
                for argument, value in zip(kernel.plan["arguments"], arguments):
                    added |= bool(argument.get("added"))  # in no order: not bit by bit
                    if argument.get("written"):
                        outputs.append(value)
            both = [functools.partial(call_all, each) for each in (by_nvrtc, there)]
            results = []
            for work in both:
                for output in outputs:
                    clear(output)
                work()
                results.append([bits(output) for output in outputs])
            torch.cuda.synchronize()
            same = all(torch.equal(a, b) for a, b in zip(*results))
            measured = [side_by_side_us(*both)]
            if abs(measured[0][2] - 1) >= 0.01:  # the clock wanders, also where the machine code is the same: the median of three
                measured += [side_by_side_us(*both) for _ in range(2)]
            nvrtc_us, nvcc_us, ratio = sorted(measured, key=lambda times: times[2])[len(measured) // 2]
            row = {"kernel": name, "shape": shape, "nvrtc_us": round(nvrtc_us, 2), "nvcc_us": round(nvcc_us, 2),
                   "ratio": round(ratio, 4), "bits": "added to" if added else "same" if same else "differ"}
            print(json.dumps(row), file=sys.stderr, flush=True)
            rows.append(row)
            check(added or same, f"builds: {row}")
            check(abs(ratio - 1) < 0.01, f"builds: more than 1 % apart: {row}")
    return rows


def call_all(works):
    for work in works:
        work()


def clear(tensor):
    (tensor.view(torch.uint8) if tensor.element_size() == 1 else tensor).zero_()  # PyTorch fills no floats of 8 bits


def bits(tensor):
    return tensor.contiguous().clone().view(torch.uint8)


# ---- calls ---------------------------------------------------------------------------------------------------------------


def calls():
    gemm = tkc.compile(example("gemm.tk")).gemm
    attention = tkc.compile(example("attention.tk")).attention_64
    a, b = normal(128, 64), normal(64, 256)
    c = gemm(a, b)
    q = normal(1, 1, 64, 64)
    o, l = attention(q, q, q, scale=0.1)
    ops = tkc.torch.register("tkc_calls", tkc.compile(example("gemm.tk")))
    many = [(normal(128, 64), normal(64, 256), torch.empty(128, 256, device=DEVICE, dtype=torch.bfloat16)) for _ in range(40)]
    turn = iter(range(10**9))

    def miss():
        x, y, z = many[next(turn) % len(many)]
        gemm(x, y, out=z)

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        gemm(a, b, out=c)
    names = {**locals(), "torch": torch}
    statements = ["gemm(a, b, out=c)", "miss()", "gemm(a, b)", "attention(q, q, q, scale=0.1, out=(o, l))", "attention(q, q, q, scale=0.1)",
                  "ops.gemm(a, b)", "torch.add(c, c, out=c)", "torch.empty_strided((128, 256), (256, 1), device='cuda', dtype=torch.bfloat16)",
                  "graph.replay()"]
    table = {statement: host_us(statement, names) for statement in statements}
    for name, limit in (("gemm(a, b, out=c)", 3), ("attention(q, q, q, scale=0.1)", 6), ("ops.gemm(a, b)", 10)):
        check(table[name] <= limit, f"calls: {name} takes {table[name]:.2f} us when it should take {limit}")
    table["has exchange table"] = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")
    try:
        table["triton, 3 tensor descriptors"] = host_us("triton()", {"triton": triton_launch(a, b, c)})
    except Exception as error:  # no Triton, or one without descriptors: the row is missing, not wrong
        table["triton, 3 tensor descriptors"] = f"not measured: {type(error).__name__}: {error}"[:200]
    return {name: round(value, 2) if isinstance(value, float) else value for name, value in table.items()}


def triton_launch(a, b, c):
    import importlib.util

    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "kernel_of_triton.py")
    with open(path, "w") as file:  # Triton reads the source of its functions from files
        file.write("import triton, triton.language as tl\n\n\n@triton.jit\ndef touch(a, b, c):\n"
                   "    x = a.load([0, 0])\n    y = b.load([0, 0])\n    c.store([0, 0], x + y)\n")
    spec = importlib.util.spec_from_file_location("kernel_of_triton", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from triton.tools.tensor_descriptor import TensorDescriptor

    def work():
        described = [TensorDescriptor.from_tensor(tensor, [64, 64]) for tensor in (a, b, c)]
        module.touch[(1,)](*described)

    work()
    return work


# ---- operators -----------------------------------------------------------------------------------------------------------


def exact_attention(q, k, v, causal):
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    if causal:
        rows, keys = scores.shape[-2:]
        scores = scores.masked_fill(torch.ones(rows, keys, device=q.device, dtype=torch.bool).triu(keys - rows + 1), -float("inf"))
    return scores.softmax(-1) @ v


def error(found, exact):
    return float((found.double() - exact).norm() / exact.norm())


def attention_gradients():
    rows = []
    for width in (64, 128):
        for heads, key_heads, causal in ((4, 4, False), (4, 4, True), (8, 2, True)):
            q, k, v = normal(2, heads, 300, width, grad=True), *(normal(2, key_heads, 300, width, grad=True) for _ in range(2))
            do = normal(2, heads, 300, width)
            o = kernels.attention(q, k, v, causal)
            found = torch.autograd.grad(o, (q, k, v), do)
            exact_inputs = [x.detach().double().requires_grad_() for x in (q, k, v)]
            exact = exact_attention(*exact_inputs, causal)
            expected = torch.autograd.grad(exact, exact_inputs, do.double())
            errors = [error(o, exact)] + [error(a, b) for a, b in zip(found, expected)]
            rows.append({"width": width, "heads": heads, "key_heads": key_heads, "causal": causal,
                         "errors": [round(e, 5) for e in errors]})
            check(max(errors) < 0.02, f"operators: attention is off: {rows[-1]}")
    return rows


def tables(rows, width):
    return train_gpt.tables(rows, width, DEVICE)


def operators():
    q, wide = normal(1, 2, 128, 64), normal(1, 2, 128, 128)
    x, weight = normal(64, 256), normal(256)
    o, l = torch.ops.tkc.attention(q, q, q, 0.1, True, 0, 0.0, False)
    words = torch.zeros(64, device=DEVICE, dtype=torch.int32)
    _, total = torch.ops.tkc.cross_entropy(x, words)
    samples = {
        "gemm_nt": (normal(128, 64), normal(96, 64)), "gemm_nn": (normal(128, 64), normal(64, 96)),
        "gemm_tn": (normal(64, 128), normal(64, 96)), "attention": (wide, wide, wide, 0.1, True, 0, 0.0, True),
        "attention_gradients": (q, q, q, o, l, q, 0.1, True, 0, 0.0, False), "rotary": (q, *tables(128, 64), False),
        "rotary_qk": (q, q, *tables(128, 64), False), "norm": (x, weight, weight, 1e-5), "add_norm": (x, x, weight, None, 1e-5),
        "norm_gradients": (x, x, x, weight, True, 1e-5), "cross_entropy": (x, words),
        "cross_entropy_backward": (x, words, total, total),
        "linear_fp8": (x, *kernels.quantize_weight(normal(128, 256))),
    }
    checked = {}
    for name, arguments in samples.items():
        try:
            # opcheck's look at the schema multiplies tensors, which torch has not for 8 bits.
            tests = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
            torch.library.opcheck(getattr(torch.ops.tkc, name).default, arguments,
                                  test_utils=tests[1:] if name == "linear_fp8" else tests)
            checked[name] = "right"
        except Exception as wrong:
            checked[name] = str(wrong)[:300]
            failures.append(f"operators: opcheck of {name}: {checked[name]}")
    print(json.dumps({"opcheck": checked}), file=sys.stderr)
    torch.manual_seed(0)
    block = train_gpt.Block(512, 8, train_gpt.OURS, DEVICE)
    explained = torch._dynamo.explain(block)(normal(2, 256, 512), normal(2, 256, 512), *tables(256, 64))
    compiled = torch.compile(block, fullgraph=True, dynamic=True)
    differences = []
    for rows in (256, 384, 200):
        given = normal(2, rows, 512, grad=True), normal(2, rows, 512, grad=True)
        weights = given + tuple(block.parameters())
        found, expected = (of(*given, *tables(rows, 64)) for of in (compiled, block))
        grads = [torch.autograd.grad([x.float().square().sum() for x in each], weights) for each in (found, expected)]
        differences += [error(a, b.double()) for a, b in zip((*found, *grads[0]), (*expected, *grads[1]))]
    check(explained.graph_break_count == 0, f"operators: {explained.graph_break_count} graph breaks")
    check(max(differences) < 0.01, f"operators: compiled and eager differ: {differences}")
    wide = torch.randn(64, 100, device=DEVICE).bfloat16()
    padded = torch.empty_strided((64, 100), (104, 1), device=DEVICE, dtype=torch.bfloat16).copy_(wide)  # survives inductor

    @torch.compile(fullgraph=True)
    def padded_view(a, b):
        return torch.ops.tkc.gemm_nt(a, b) + 1

    view = error(padded_view(padded, padded), (padded.double() @ padded.double().T + 1))
    check(view < 0.01, f"operators: a padded view under torch.compile is off by {view}")
    return {"opcheck": checked, "attention": attention_gradients(), "graph_breaks": explained.graph_break_count,
            "compiled_beside_eager": differences, "padded_view": view}


# ---- graphs --------------------------------------------------------------------------------------------------------------


def graphs():
    library = tkc.compile(example("attention.tk"))  # fresh: nothing of it was called
    q = normal(2, 4, 1024, 128)
    expected = kernels.attention(q, q, q, True)
    graph, other = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.graph(graph):
        o, _ = library.attention_causal(q, q, q, scale=128**-0.5)
    wrong = 0
    for turn in range(1000):
        with torch.cuda.stream(other):
            for _ in range(5):
                p, _ = library.attention_causal(q, q, q, scale=128**-0.5)
        graph.replay()
        if turn % 50 == 49:
            torch.cuda.synchronize()
            wrong += not torch.equal(o, expected) or not torch.equal(p, expected)
            o.zero_()
    check(wrong == 0, f"graphs: {wrong} of 20 looks found wrong results")
    return {"replays": 1000, "launches": 5000, "wrong": wrong}


# ---- decode --------------------------------------------------------------------------------------------------------------


def decode():
    batch, heads, key_heads = 3, 16, 4
    q, k, v = normal(batch, heads, 128), normal(40, key_heads, 128, 128), normal(40, key_heads, 128, 128)
    pages = torch.randperm(40, device=DEVICE)[:36].reshape(batch, 12).int()
    lengths = torch.tensor([1, 700, 1536], device=DEVICE, dtype=torch.int32)
    errors = {}
    for splits in (1, 5, None):
        found = kernels.decode(q, k, v, pages, lengths, splits=splits)
        for b in range(batch):
            ks, vs = (x[pages[b].long()].transpose(0, 1).reshape(key_heads, -1, 128)[:, : lengths[b]].double() for x in (k, v))
            exact = exact_attention(q[b][None, :, None].double(), ks[None], vs[None], False)[0, :, 0]
            errors[f"splits {splits}, {int(lengths[b])} keys"] = e = error(found[b], exact)
            check(e < 0.02, f"decode: off by {e}")
    return errors


# ---- processes ---------------------------------------------------------------------------------------------------------


def processes():
    """A process that ends with kernels in flight, and one that was forked from one that uses CUDA."""
    start = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})\nimport harness, os, torch, tkc\n" \
            f"gemm = tkc.compile({example('gemm.tk')!r}).gemm\na = torch.ones(4096, 4096, device='cuda', dtype=torch.bfloat16)\n" \
            "c = gemm(a, a)\n"
    said = {}
    for name, text in {"exit": "for _ in range(200):\n    gemm(a, a, out=c)\nprint('ends')",
                       "fork": "if os.fork() == 0:\n    try:\n        gemm(a, a, out=c)\n    except RuntimeError as error:\n"
                               "        print(error, flush=True)\n    os._exit(0)\nos.wait()\ntorch.cuda.synchronize()"}.items():
        done = subprocess.run([sys.executable, "-c", start + text], capture_output=True, text=True, timeout=120)
        said[name] = done.stdout.strip()
        check(done.returncode == 0, f"processes: {name} ended with {done.returncode}: {done.stderr[-500:]}")
    check(said["exit"] == "ends" and "forked" in said["fork"], f"processes: {said}")
    return said


# ---- training ------------------------------------------------------------------------------------------------------------


def training():
    """train_gpt.py: three seeds in the size of nanoGPT's smallest, and a step's time where the GPU has the most work."""
    text, table = train_gpt.read_text([]), {}
    sizes = {"512 x 256": {"width": 512, "heads": 8, "rows": 256, "batch": 8},
             "1024 x 1024": {"width": 1024, "heads": 8, "rows": 1024, "batch": 8}}
    for name, size in sizes.items():
        for mode in (None, "default", "reduce-overhead"):
            seeds = (1, 2, 3) if name == "512 x 256" and mode != "reduce-overhead" else (1,)
            for use in (train_gpt.OURS, train_gpt.TORCH):
                options = argparse.Namespace(layers=4, steps=300 if len(seeds) > 1 else 100, rate=1e-3, device=DEVICE, compile=mode,
                                             **size)
                runs = [train_gpt.train(use, seed, text, options) for seed in seeds]
                torch._dynamo.reset()
                table[f"{use.name}, {name}, {mode or 'eager'}"] = {
                    "losses": [round(statistics.mean(losses[-20:]), 4) for losses, _ in runs],
                    "ms": round(min(milliseconds for _, milliseconds in runs), 3)}
    losses = [table[f"{which}, 512 x 256, eager"]["losses"] for which in ("tkc", "torch")]
    noise, apart = max(losses[1]) - min(losses[1]), abs(statistics.mean(losses[0]) - statistics.mean(losses[1]))
    check(apart <= max(noise, 0.02), f"training: losses are {apart} apart when seeds are {noise} apart")
    for name in sizes:
        ratio = table[f"torch, {name}, default"]["ms"] / table[f"tkc, {name}, default"]["ms"]
        check(ratio >= 1, f"training: a compiled step of {name} has {ratio:.3f} of torch's speed")
    return table


def main():
    parts = {"builds": lambda: builds(options.kernels), "calls": calls, "operators": operators, "graphs": graphs, "decode": decode,
             "processes": processes, "training": training}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(parts))
    parser.add_argument("--out")
    parser.add_argument("--kernels", nargs="+", default=[], help="of builds: kernels, files or families; default: all")
    options = parser.parse_args()
    result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "tkc": tkc.__version__,
              "nvrtc": tkc.nvrtc.version()}
    for name in options.only.split(","):
        try:
            result[name] = parts[name]()
        except Exception:
            result[name] = traceback.format_exc()[-2000:]
            failures.append(f"{name}: {result[name].splitlines()[-1]}")
        print(f"{name}: done", file=sys.stderr, flush=True)
    result["failures"] = failures
    text = json.dumps(result, indent=1)
    print(text)
    if options.out:
        with open(options.out, "w") as file:
            file.write(text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
