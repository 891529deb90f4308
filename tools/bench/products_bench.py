#!/usr/bin/env python3
"""Checks the emitted GEMM examples on the GPU and times them against torch.

    for e in gemm_layouts gemm_batched gemm_epilogue gemm_fp8 gemm_grouped gemm_splitk; do
      build/bin/tkc dsl-examples/$e.tk -o FOLDER/$e.cu; done
    products_bench.py FOLDER [--only checks|times] [--rows REGEX] [--shapes N] [--samples N] [--json FILE]

FOLDER holds what tkc wrote, so that no tkc is needed where this runs; examples that are not in it are left out.

Checking: every kernel at N random shapes and at some that divide its tiles, against float64, with NaN in the output
beforehand and around all tensors. Timing: bursts (bursts.py), inputs that rotate past three times the L2 cache, the
kernels taking turns. Where a function chooses among kernels, each of them is timed too.
"""

import argparse
import concurrent.futures
import ctypes
import json
import os
import random
import re
import statistics
import sys
import tempfile

import torch

from bursts import abi, build, device_line, tensor_of, time_in_turn
from tkc_run import products

TORCH = {abi.BF16: torch.bfloat16, abi.F16: torch.float16, abi.F32: torch.float32, products.TF32: torch.float32,
         abi.E4M3: torch.float8_e4m3fn, abi.E5M2: torch.float8_e5m2}
EXAMPLE_OF = {kernel: example for example, kernels in products.EXAMPLES.items() for kernel in kernels}
BATCH = 3


class Kernel:
    """A C function of a built example."""

    def __init__(self, library, name, number=None):
        self.function = getattr(library, name if number is None else f"{name}_as")
        self.function.restype = abi.Status
        self.name, self.number = name, number

    def prepare(self, tensors, scalars=()):
        """A call without arguments, with everything Python needs to do already done."""
        described = [tensor_of(tensor) for tensor in tensors]
        pointers = [ctypes.byref(tensor) for tensor in described]
        after = [ctypes.c_int32(self.number)] if self.number is not None else []
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

        def call(described=described):
            status = self.function(*pointers, *scalars, *after, stream)
            if status.code:
                sys.exit(f"{self.name}: {status.message.decode()}")

        return call


def variants(library, name):
    """The kernels that a function chooses among, by number; none if it does not."""
    if not hasattr(library, f"{name}_as"):
        return []
    source = open(library.source).read()
    listed = re.search(rf"// {name}, [^\n]*fastest\n((?://   \d+  \w+\n)+)", source)
    return re.findall(r"//   \d+  (\w+)", listed.group(1))


def chosen(library, name, tensors):
    """The number that a function would choose."""
    choice = ctypes.c_int32(-1)
    function = getattr(library, f"{name}_choice")
    function.restype = abi.Status
    described = [tensor_of(tensor) for tensor in tensors]
    function(*map(ctypes.byref, described), ctypes.byref(choice))
    return choice.value


# ---- Checking ------------------------------------------------------------------------------------------------------


def surrounded(dtype, extents, values=None):
    """The memory and a view of it with these values, rows padded to 16 bytes, NaN all around."""
    unit = 16 // torch.empty(0, dtype=dtype).element_size()
    stride = (extents[-1] + unit - 1) // unit * unit + unit
    rows = 1
    for extent in extents[:-1]:
        rows *= extent
    memory = torch.full((rows + 2, stride), float("nan"), device="cuda", dtype=torch.float32).to(dtype)
    view = memory[1 : rows + 1, : extents[-1]]
    if values is not None:
        view.copy_(values.reshape(rows, extents[-1]).to(dtype))
    return memory, view.unflatten(0, extents[:-1]) if len(extents) > 1 else view[0]


def finish(name, product, beside):
    """What a kernel stores of its product, as `finish` of its Kind, on the GPU."""
    functional = torch.nn.functional
    return {
        "gemm_bias": lambda: product + beside["bias"],
        "gemm_gelu": lambda: functional.gelu(product + beside["bias"]),
        "gemm_gelu_tanh": lambda: functional.gelu(product + beside["bias"], approximate="tanh"),
        "gemm_silu": lambda: functional.silu(product + beside["bias"]),
        "gemm_gate": lambda: functional.silu(product) * beside["gate"],
        "gemm_residual": lambda: beside["scale"] * product + beside["residual"],
    }.get(name, lambda: product)()


def blocks(extent):
    return -(-extent // products.BLOCK)


def spread(scales, *extents):
    """Scales of blocks as those of elements, in float64."""
    for dimension, extent in enumerate(extents):
        if extent is not None:
            scales = scales.repeat_interleave(products.BLOCK, dimension).narrow(dimension, 0, extent)
    return scales.double()


def form_operands(kind, m, n, k):
    """What a kernel takes beside A and B because of its form."""
    if kind.form == "blockwise":  # rows of the first one at multiples of 16 bytes
        of_a = torch.rand(blocks(k), (m + 3) // 4 * 4, device="cuda")[:, :m] + 0.5
        padded = torch.empty(blocks(k), (m + 3) // 4 * 4, device="cuda")[:, :m]
        return [padded.copy_(of_a), torch.rand(blocks(n), blocks(k), device="cuda") + 0.5]
    if kind.form == "grouped":
        return [torch.randint(-1, products.EXPERTS, (blocks(m),), device="cuda", dtype=torch.int32)]
    return []


def multiply(kind, x, y, beside, m, n, k):
    """The product in float64, and that of the magnitudes."""
    if kind.form == "scaled":
        x = x * 0.25
    if kind.form == "blockwise":
        x, y = x * spread(beside[0], k, None).T, y * spread(beside[1], n, k).T
    if kind.form == "grouped":
        product, magnitude = torch.zeros(m, n, device="cuda").double(), torch.zeros(m, n, device="cuda").double()
        expert = beside[0].repeat_interleave(products.BLOCK)[:m]
        for number in range(products.EXPERTS):
            mine = expert == number
            product[mine], magnitude[mine] = x[mine] @ y[number], x[mine].abs() @ y[number].abs()
        return product, magnitude
    return x @ y, x.abs() @ y.abs()


def check(kernel, name, m, n, k):
    """An error message, or None."""
    kind = products.KERNELS[name]
    dtype, lead = TORCH[kind.element], (BATCH,) if kind.batched else ()

    def operand(*extents):
        values = torch.randn(*extents, device="cuda")
        if kind.element == products.TF32:
            values = (values.view(torch.int32) & ~0x1FFF).view(torch.float32)
        return surrounded(dtype, extents, values)

    _, a = operand(*lead, *((k, m) if kind.at else (m, k)))
    of_b = (products.EXPERTS,) if kind.form == "grouped" else lead
    _, b = operand(*of_b, *((n, k) if kind.bt else (k, n)))
    inputs, beside = [a, b], {}
    x = a.double().transpose(-1, -2) if kind.at else a.double()
    y = b.double().transpose(-1, -2) if kind.bt else b.double()
    extra = form_operands(kind, m, n, k)
    inputs += extra
    product, magnitude = multiply(kind, x, y, extra, m, n, k)
    # The tensor cores keep about 14 bits of a sum of 8-bit floats.
    step = 2.0**-11 if kind.element in (abi.E4M3, abi.E5M2) else k * 2.0**-23
    error = step * magnitude
    for other in kind.beside:
        if other == "gate":
            _, t = operand(k, n)
            beside[other] = x @ t.double()
            error = error * 1.1 * beside[other].abs() + step * (x.abs() @ t.double().abs()) * product.abs()
        elif other == "residual":
            _, t = surrounded(torch.bfloat16, (m, n), torch.randn(m, n, device="cuda"))
            beside[other] = t.double()
        else:
            t = torch.randn(n if other == "bias" else m, device="cuda")
            beside[other] = t.double() if other == "bias" else t.double()[:, None]
            error = error * t.abs().double()[:, None] if other == "scale" else error
        inputs.append(t)
    memory, c = surrounded(TORCH[kind.out], (*lead, m, n))
    scalars = []
    if kind.form == "scaled":
        scalars = [ctypes.c_float(0.25)]
    if kind.form == "split":
        c.copy_(torch.randn(m, n, device="cuda"))
    start = c.double() if kind.form == "split" else 0.0
    if kind.batched:
        beta = 0.0 if (m + n + k) % 2 else -1.5
        scalars = [ctypes.c_float(0.5), ctypes.c_float(beta)]
        if beta:
            c.copy_(torch.randn(*c.shape, device="cuda"))
            product = product + beta / 0.5 * c.double()
        product, error = product * 0.5, error * 0.5
    truth = finish(name, product, beside)
    error = error * kind.slope + 2.0**-20 * (product.abs() + truth.abs() + 1)
    if "tanh" in name:  # the GPU's tanh is exact to 11 bits
        error = error + 2.0**-10 * product.abs()
    if kind.out == abi.F16:
        truth = truth.clamp(-65504, 65504)
    truth = truth + start
    kernel.prepare([*inputs, c], scalars)()
    if kind.form == "grouped":  # rows of no expert stay as they were
        idle = extra[0].repeat_interleave(products.BLOCK)[:m] < 0
        if not c[idle].isnan().all():
            return f"{m}x{n}x{k}: wrote rows of no expert"
        c[idle] = 0.0
    allowed = products.ROUNDING[kind.out] * truth.abs() + error
    wrong = ~((c.double() - truth).abs() <= allowed)
    if wrong.any():
        at = tuple(wrong.nonzero()[0].tolist())
        return f"{m}x{n}x{k}: {int(wrong.sum())} wrong, first at {at}: {c[at].item()} for {truth[at].item()}"
    c.fill_(float("nan"))
    if not memory.float().isnan().all():
        return f"{m}x{n}x{k}: wrote outside of C"
    return None


def check_all(libraries, count):
    result = {}
    for name, example in EXAMPLE_OF.items():
        library = libraries.get(example)
        if not library:
            continue
        choose = random.Random(name)
        shapes = [(1, 1, 1), (128, 256, 64), (1024, 512, 2048), (3000, 4000, 1000)]
        shapes += [tuple(choose.randint(1, 700) for _ in range(3)) for _ in range(count)]
        torch.manual_seed(0)
        listed = [None, *range(len(variants(library, name)))] if variants(library, name) else [None]
        failures = []
        for number in listed:
            kernel = Kernel(library, name, number)
            label = name if number is None else variants(library, name)[number]
            failures += [f"{label}: {message}" for message in (check(kernel, name, *shape) for shape in shapes) if message]
        for message in failures[:5]:
            print(message, flush=True)
        runs = len(listed) * len(shapes)
        print(f"{name}: {runs - len(failures)} of {runs} right", flush=True)
        result[name] = {"runs": runs, "failed": failures}
    return result


# ---- Timing --------------------------------------------------------------------------------------------------------

CUBES = [(s, s, s) for s in (1024, 2048, 4096, 8192, 16384)]
SHALLOW = [(4096, 4096, k) for k in (64, 128, 256, 512, 1024)]
WIDE = [(8192, 4096, 4096), (8192, 14336, 4096), (8192, 1024, 4096), (8192, 4096, 14336)]


def operands(kind, m, n, k):
    """One set of tensors for a kernel, random and as they lie in a program."""
    dtype, lead = TORCH[kind.element], (16,) if kind.batched else ()
    make = lambda *extents, dtype=dtype: torch.randn(*extents, device="cuda").to(dtype)
    of_b = (products.EXPERTS,) if kind.form == "grouped" else lead
    tensors = [make(*lead, *((k, m) if kind.at else (m, k))), make(*of_b, *((n, k) if kind.bt else (k, n)))]
    tensors += form_operands(kind, m, n, k)
    if kind.form == "grouped":  # all rows have work, and experts stand together
        tensors[-1].copy_(torch.arange(blocks(m), device="cuda") * products.EXPERTS // blocks(m))
    for other in kind.beside:
        if other == "gate":
            tensors.append(make(k, n))
        elif other == "residual":
            tensors.append(make(m, n, dtype=torch.bfloat16))
        else:
            tensors.append(make(n if other == "bias" else m, dtype=torch.float32))
    return [*tensors, torch.zeros(*lead, m, n, device="cuda", dtype=TORCH[kind.out])]


def torch_call(name, tensors):
    """What torch has for a kernel, as a call without arguments; None if nothing."""
    kind = products.KERNELS[name]
    a, b, c = tensors[0], tensors[1], tensors[-1]
    x, y = a.mT if kind.at else a, b.mT if kind.bt else b
    if kind.form == "grouped":
        return None
    if kind.form == "split":
        whole = torch.empty(c.shape, device="cuda", dtype=a.dtype)
        return lambda: torch.mm(x, y, out=whole)
    if kind.element in (abi.E4M3, abi.E5M2):
        if kind.element == abi.E5M2:
            return None
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(x, y, one, one, out_dtype=TORCH[kind.out], use_fast_accum=True, out=c)
    if kind.batched:
        return lambda: torch.bmm(x, y, out=c)
    if TORCH[kind.out] != TORCH[kind.element]:
        return None
    functional = torch.nn.functional
    if name == "gemm_bias":
        bias = tensors[2].bfloat16()
        return lambda: torch.addmm(bias, x, y, out=c)
    if name in ("gemm_gelu", "gemm_gelu_tanh", "gemm_silu"):
        bias = tensors[2].bfloat16()
        finish = functional.silu if name == "gemm_silu" else lambda v: functional.gelu(
            v, approximate="tanh" if name == "gemm_gelu_tanh" else "none")
        return lambda: finish(torch.addmm(bias, x, y, out=c))
    if name == "gemm_gate":
        return lambda: torch.mm(x, tensors[2], out=c).mul_(functional.silu(torch.mm(x, y)))
    if name == "gemm_residual":
        scale = tensors[2].bfloat16()[:, None]
        return lambda: torch.mm(x, y, out=c).mul_(scale).add_(tensors[3])
    return lambda: torch.mm(x, y, out=c)


def rows():
    """(kernel, shape) of every row."""
    for shape in CUBES + SHALLOW + WIDE:
        yield "gemm_nn", shape
    for shape in CUBES + WIDE[1:2]:
        yield "gemm_nt", shape
    for name in ("gemm_tn", "gemm_tt", "gemm_half", "gemm_half_float", "gemm_tf32"):
        yield name, (8192, 8192, 8192)
    for shape in ((4096,) * 3, (8192,) * 3, (16384,) * 3):
        yield "gemm_e4m3", shape
        yield "gemm_scaled", shape
        yield "gemm_blockwise", shape
    for name in ("gemm_bias", "gemm_gelu", "gemm_gelu_tanh", "gemm_silu", "gemm_gate", "gemm_residual"):
        yield name, (8192, 8192, 8192)
    yield "gemm_batched", (2048, 2048, 2048)
    yield "gemm_grouped", (8192, 4096, 4096)
    for shape in ((128, 4096, 16384), (512, 512, 16384)):
        yield "gemm_splitk", shape


def time_row(library, plain, name, shape, samples):
    kind = products.KERNELS[name]
    m, n, k = shape
    batch = 16 if kind.batched else 1
    flops = 2.0 * m * n * k * batch * (2 if "gate" in kind.beside else 1)
    first = operands(kind, m, n, k)
    size = sum(tensor.numel() * tensor.element_size() for tensor in first)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    sets = [first] + [operands(kind, m, n, k) for _ in range(max(1, -(-3 * l2 // size) - 1))]
    scalars = [ctypes.c_float(1.0), ctypes.c_float(0.0)] if kind.batched else []
    if kind.form == "scaled":
        scalars = [ctypes.c_float(1.0)]
    calls = {}
    theirs = [torch_call(name, tensors) for tensors in sets]
    if theirs[0]:
        try:
            theirs[0]()
            calls["torch"] = theirs
        except (RuntimeError, TypeError) as error:
            print(f"torch cannot: {error}", flush=True)
    calls["tkc"] = [Kernel(library, name).prepare(tensors, scalars) for tensors in sets]
    labels = variants(library, name)
    for number, label in enumerate(labels if name == "gemm_nn" else []):
        calls[label] = [Kernel(library, name, number).prepare(tensors) for tensors in sets]
    if kind.beside and "gate" not in kind.beside and plain:  # what the epilogue costs beside the product alone
        calls["plain"] = [Kernel(plain, "gemm_nn", 0).prepare([s[0], s[1], s[-1]]) for s in sets]
    rate = 1400e9 if kind.element == abi.E4M3 else 375e9 if kind.element == products.TF32 else 750e9
    times = time_in_turn(calls, max(flops / rate, 2.0 * m * n * batch / 3.5e9, 0.006), samples)
    row = {"kernel": name, "shape": shape, "times": {}}
    if labels:
        row["chosen"] = labels[chosen(library, name, first)]
    for label, values in times.items():
        ms = statistics.median(values)
        row["times"][label] = {"ms": ms, "tflops": 1e-9 * flops / ms, "samples": values}
    return row


def show(row):
    times = row["times"]
    tkc = times["tkc"]["ms"]
    text = f"{row['kernel']:>16} {'x'.join(map(str, row['shape'])):>18}  tkc {tkc:8.4f} {times['tkc']['tflops']:5.0f}"
    for label, each in times.items():
        if label != "tkc":
            short = re.sub(r"product_\w+?_(\d+_\d+)$", r"\1", label)
            mark = "*" if label == row.get("chosen") else ""
            text += f"  {mark}{short} {each['ms']:.4f} ({each['ms'] / tkc:.3f})"
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", choices=["checks", "times"])
    parser.add_argument("--rows", default="", metavar="REGEX", help="times only rows like 'gemm_nn 8192x8192x8192'")
    parser.add_argument("--shapes", type=int, default=40, help="random shapes for each kernel")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()

    torch.backends.cuda.matmul.allow_tf32 = True
    print(device_line(), flush=True)
    present = [e for e in products.EXAMPLES if os.path.exists(os.path.join(options.folder, e + ".cu"))]
    result = {"device": device_line(), "checks": {}, "rows": []}
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            sources = [os.path.join(options.folder, example + ".cu") for example in present]
            built = pool.map(lambda e: build(os.path.join(options.folder, e + ".cu"), folder, e), present)
            libraries = dict(zip(present, built))
        for example, source in zip(present, sources):
            libraries[example].source = source
        if options.only != "times":
            result["checks"] = check_all(libraries, options.shapes)
        if options.only != "checks":
            for name, shape in rows():
                library = libraries.get(EXAMPLE_OF[name])
                if library and re.search(options.rows, f"{name} {'x'.join(map(str, shape))}"):
                    row = time_row(library, libraries.get("gemm_layouts"), name, shape, options.samples)
                    result["rows"].append(row)
                    show(row)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)
    return 1 if any(check["failed"] for check in result["checks"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
