"""matmuls_check.py - When the result of an emitted GEMM example is right, on the GPU.

Against float64, element by element, with NaN in the output beforehand and around all tensors. The bounds are those of
tkc_run/matmuls.py.
"""

import ctypes
import random
import re
import sys

import torch

from bursts import abi, tensor_of
from tkc_run import matmuls

TORCH = {abi.BF16: torch.bfloat16, abi.F16: torch.float16, abi.F32: torch.float32, matmuls.TF32: torch.float32,
         abi.E4M3: torch.float8_e4m3fn, abi.E5M2: torch.float8_e5m2}
EXAMPLE_OF = {kernel: example for example, kernels in matmuls.EXAMPLES.items() for kernel in kernels}
BATCH = 3


class Kernel:
    """A C function of a built example."""

    def __init__(self, library, name, number=None):
        self.function = getattr(library, name if number is None else f"{name}_as")
        self.function.restype = abi.Status
        self.name, self.number = name, number

    def ask(self, tensors, scalars=()):
        """A call without arguments that returns its status, with everything Python needs to do already done."""
        described = [tensor_of(tensor) for tensor in tensors]
        pointers = [ctypes.byref(tensor) for tensor in described]
        after = [ctypes.c_int32(self.number)] if self.number is not None else []
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

        def call(described=described):
            return self.function(*pointers, *scalars, *after, stream)

        return call

    def prepare(self, tensors, scalars=()):
        """The same, which must succeed."""
        asked = self.ask(tensors, scalars)

        def call():
            status = asked()
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


def finish(name, matmul, beside):
    """What a kernel stores of its matmul, as `finish` of its Kind, on the GPU."""
    functional = torch.nn.functional
    return {
        "gemm_bias": lambda: matmul + beside["bias"],
        "gemm_gelu": lambda: functional.gelu(matmul + beside["bias"]),
        "gemm_gelu_tanh": lambda: functional.gelu(matmul + beside["bias"], approximate="tanh"),
        "gemm_silu": lambda: functional.silu(matmul + beside["bias"]),
        "gemm_gate": lambda: functional.silu(matmul) * beside["gate"],
        "gemm_residual": lambda: beside["scale"] * matmul + beside["residual"],
    }.get(name, lambda: matmul)()


def blocks(extent):
    return -(-extent // matmuls.BLOCK)


def spread(scales, *extents):
    """Scales of blocks as those of elements, in float64."""
    for dimension, extent in enumerate(extents):
        if extent is not None:
            scales = scales.repeat_interleave(matmuls.BLOCK, dimension).narrow(dimension, 0, extent)
    return scales.double()


def form_operands(kind, m, n, k):
    """What a kernel takes beside A and B because of its form."""
    if kind.form == "blockwise":  # rows of the first one at multiples of 16 bytes
        of_a = torch.rand(blocks(k), (m + 3) // 4 * 4, device="cuda")[:, :m] + 0.5
        padded = torch.empty(blocks(k), (m + 3) // 4 * 4, device="cuda")[:, :m]
        return [padded.copy_(of_a), torch.rand(blocks(n), blocks(k), device="cuda") + 0.5]
    if kind.form == "grouped":
        return [torch.randint(-1, matmuls.EXPERTS, (blocks(m),), device="cuda", dtype=torch.int32)]
    return []


def multiply(kind, x, y, beside, m, n, k):
    """The matmul in float64, and that of the magnitudes."""
    if kind.form == "scaled":
        x = x * 0.25
    if kind.form == "blockwise":
        x, y = x * spread(beside[0], k, None).T, y * spread(beside[1], n, k).T
    if kind.form == "grouped":
        matmul, magnitude = torch.zeros(m, n, device="cuda").double(), torch.zeros(m, n, device="cuda").double()
        expert = beside[0].repeat_interleave(matmuls.BLOCK)[:m]
        for number in range(matmuls.EXPERTS):
            mine = expert == number
            matmul[mine], magnitude[mine] = x[mine] @ y[number], x[mine].abs() @ y[number].abs()
        return matmul, magnitude
    return x @ y, x.abs() @ y.abs()


def check(kernel, name, m, n, k):
    """An error message, or None."""
    kind = matmuls.KERNELS[name]
    dtype, lead = TORCH[kind.element], (BATCH,) if kind.batched else ()

    def operand(*extents):
        values = torch.randn(*extents, device="cuda")
        if kind.element == matmuls.TF32:
            values = (values.view(torch.int32) & ~0x1FFF).view(torch.float32)
        return surrounded(dtype, extents, values)

    _, a = operand(*lead, *((k, m) if kind.at else (m, k)))
    of_b = (matmuls.EXPERTS,) if kind.form == "grouped" else lead
    _, b = operand(*of_b, *((n, k) if kind.bt else (k, n)))
    if kind.batched:  # one matrix for all of the batch, as a stride of 0
        a = a[:1].expand(BATCH, -1, -1) if m % 3 == 0 else a
        b = b[:1].expand(BATCH, -1, -1) if n % 2 == 0 else b
    inputs, beside = [a, b], {}
    x = a.double().transpose(-1, -2) if kind.at else a.double()
    y = b.double().transpose(-1, -2) if kind.bt else b.double()
    extra = form_operands(kind, m, n, k)
    inputs += extra
    matmul, magnitude = multiply(kind, x, y, extra, m, n, k)
    # The tensor cores keep about 14 bits of a sum of 8-bit floats and cut off the rest of what they add to it. That is a
    # random walk: of some 1e9 elements one was about 2^-10.6 of the magnitudes away from the sum.
    step = max(2.0**-10, k * 2.0**-21) if kind.element in (abi.E4M3, abi.E5M2) else k * 2.0**-23
    error = step * magnitude
    for other in kind.beside:
        if other == "gate":
            _, t = operand(k, n)
            beside[other] = x @ t.double()
            error = error * 1.1 * beside[other].abs() + step * (x.abs() @ t.double().abs()) * matmul.abs()
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
            matmul = matmul + beta / 0.5 * c.double()
        matmul, error = matmul * 0.5, error * 0.5
    truth = finish(name, matmul, beside)
    error = error * kind.slope + 2.0**-20 * (matmul.abs() + truth.abs() + 1)
    if "tanh" in name:  # the GPU's tanh is exact to 11 bits
        error = error + 2.0**-10 * (matmul + beside["bias"]).abs()
    if kind.out == abi.F16:
        truth = truth.clamp(-65504, 65504)
    truth = truth + start
    kernel.prepare([*inputs, c], scalars)()
    if kind.form == "grouped":  # rows of no expert stay as they were
        idle = extra[0].repeat_interleave(matmuls.BLOCK)[:m] < 0
        if not c[idle].isnan().all():
            return f"{m}x{n}x{k}: wrote rows of no expert"
        c[idle] = 0.0
    allowed = matmuls.ROUNDING[kind.out] * truth.abs() + error
    wrong = ~((c.double() - truth).abs() <= allowed)
    if wrong.any():
        at = tuple(wrong.nonzero()[0].tolist())
        return f"{m}x{n}x{k}: {int(wrong.sum())} wrong, first at {at}: {c[at].item()} for {truth[at].item()}"
    c.fill_(float("nan"))
    if not memory.float().isnan().all():
        return f"{m}x{n}x{k}: wrote outside of C"
    return None


def operands(kind, m, n, k):
    """One set of tensors for a kernel, random and as they lie in a program."""
    dtype, lead = TORCH[kind.element], (16,) if kind.batched else ()
    make = lambda *extents, dtype=dtype: torch.randn(*extents, device="cuda").to(dtype)
    of_b = (matmuls.EXPERTS,) if kind.form == "grouped" else lead
    tensors = [make(*lead, *((k, m) if kind.at else (m, k))), make(*of_b, *((n, k) if kind.bt else (k, n)))]
    tensors += form_operands(kind, m, n, k)
    if kind.form == "grouped":  # all rows have work, and experts stand together
        tensors[-1].copy_(torch.arange(blocks(m), device="cuda") * matmuls.EXPERTS // blocks(m))
    for other in kind.beside:
        if other == "gate":
            tensors.append(make(k, n))
        elif other == "residual":
            tensors.append(make(m, n, dtype=torch.bfloat16))
        else:
            tensors.append(make(n if other == "bias" else m, dtype=torch.float32))
    return [*tensors, torch.zeros(*lead, m, n, device="cuda", dtype=TORCH[kind.out])]


def check_refusals(kernel, name):
    """Arguments that break a rule get a status and a sentence, and nothing is written."""
    kind, extent = matmuls.KERNELS[name], 256
    good = operands(kind, extent, extent, extent)
    a, c = good[0], good[-1]
    wide = torch.zeros(*a.shape[:-1], extent + 32, device="cuda").to(a.dtype)
    loose = torch.zeros(*a.shape[:-1], extent + 1, device="cuda").to(a.dtype)
    cases = [
        ("columns before rows", [a.mT, *good[1:]]),
        ("every other column", [torch.cat([a, a], -1)[..., ::2], *good[1:]]),
        ("rows that are not 16 bytes apart", [loose[..., :extent], *good[1:]]),
        ("a first element that is not at 16 bytes", [wide[..., 1 : extent + 1], *good[1:]]),
        ("another type", [a.to(torch.int32), *good[1:]]),
        ("half of the columns", [a[..., : extent // 2], *good[1:]]),
        ("rows of C that are one row", [*good[:-1], c[..., :1, :].expand_as(c)]),
    ]
    failures = []
    for what, tensors in cases:
        good[-1].fill_(float("nan"))
        status = kernel.ask(tensors, scalars_of(kind))()
        torch.cuda.synchronize()
        if not status.code or not status.message or not good[-1].isnan().all():
            failures.append(f"refuses {what}: status {status.code}, {status.message.decode() or 'no message'}")
    return len(cases), failures


def scalars_of(kind):
    """What a kernel takes after its tensors when nothing is to be scaled."""
    if kind.batched:
        return [ctypes.c_float(1.0), ctypes.c_float(0.0)]
    return [ctypes.c_float(1.0)] if kind.form == "scaled" else []


def report(name, runs, failures):
    for message in failures[:5]:
        print(message, flush=True)
    print(f"{name}: {runs - len(failures)} of {runs} right", flush=True)
    return {"runs": runs, "failed": failures}


def kernels_of(libraries):
    """(name, label, kernel) of every function, and of every kernel that one chooses among."""
    for name, example in EXAMPLE_OF.items():
        if library := libraries.get(example):
            yield name, name, Kernel(library, name)
            for number, label in enumerate(variants(library, name)):
                yield name, label, Kernel(library, name, number)


def check_all(libraries, count):
    """Every kernel at `count` random shapes, at some that divide its tiles, and with arguments that it must refuse."""
    result = {}
    for name, label, kernel in kernels_of(libraries):
        choose = random.Random(name)
        shapes = [(1, 1, 1), (128, 256, 64), (1024, 512, 2048), (3000, 4000, 1000)]
        shapes += [tuple(choose.randint(1, 700) for _ in range(3)) for _ in range(count)]
        torch.manual_seed(0)
        failures = [f"{label}: {message}" for message in (check(kernel, name, *shape) for shape in shapes) if message]
        refusals, more = check_refusals(kernel, name)
        result[label] = report(label, len(shapes) + refusals, failures + [f"{label}: {message}" for message in more])
    return result


def random_shape(choose):
    """From 1 to 5000 a side: half of the shapes evenly, half of them with as many small sides as large ones."""
    if choose.random() < 0.5:
        return tuple(choose.randint(1, 5000) for _ in range(3))
    return tuple(int(5001 ** choose.random()) for _ in range(3))


def check_random(libraries, count):
    """`count` random shapes, dealt out to all kernels one after the other."""
    choose, listed = random.Random(1), list(kernels_of(libraries))
    runs, failures = {label: 0 for _, label, _ in listed}, {label: [] for _, label, _ in listed}
    torch.manual_seed(1)
    for number in range(count):
        name, label, kernel = listed[number % len(listed)]
        message = check(kernel, name, *random_shape(choose))
        runs[label] += 1
        if message:
            failures[label].append(f"{label}: {message}")
    return {label: report(label, runs[label], failures[label]) for label in runs}
