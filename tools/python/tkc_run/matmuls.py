"""matmuls.py - The GEMM examples of one shape, checked against float64, on any of the backends.

What a kernel computes is a line of KERNELS: the layouts and types of its operands and the function of the matmul that
it stores. The truth is numpy in float64 on the same rounded inputs. A right result differs from it because it is
rounded to its type, and because each of the K additions in fp32 is off by at most 2^-23 of the partial sum
(compare.py); what is done to the matmul afterwards is a handful of operations in fp32, and an approximation of exp.
"""
import ctypes
import functools
import zlib
from dataclasses import dataclass, field

import numpy as np

from . import abi
from .compare import BF16_ROUNDING, FP32_STEP, Comparison
from .families import Family, Launch
from .gemm import Result, Shape
from .tensors import HostTensor

ROUNDING = {abi.BF16: BF16_ROUNDING, abi.F16: 2.0**-11, abi.F32: 2.0**-23, abi.E4M3: 2.0**-4, abi.E5M2: 2.0**-3}
TF32 = "tf32"  # travels as F32


def erf(x):
    """Abramowitz and Stegun 7.1.26, to 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


def gelu(x):
    return x * 0.5 * (1 + erf(x / np.sqrt(2)))


def gelu_tanh(x):
    return x * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def silu(x):
    return x / (1 + np.exp(-x))


@dataclass(frozen=True)
class Kind:
    at: bool = False  # A is given as K x M
    bt: bool = False  # B is given as N x K
    element: object = abi.BF16
    out: int = abi.BF16
    beside: tuple = ()  # further operands: "bias", "scale", "gate", "residual"
    batched: bool = False
    form: str = ""  # what else is unlike A B: "scaled", "blockwise", "grouped", "split"
    finish: callable = field(default=lambda matmul, beside: matmul)
    slope: float = 1.0  # how much `finish` may enlarge an error of the matmul


KERNELS = {
    "gemm_nn": Kind(),
    "gemm_nt": Kind(bt=True),
    "gemm_tn": Kind(at=True),
    "gemm_tt": Kind(at=True, bt=True),
    "gemm_half": Kind(element=abi.F16, out=abi.F16),
    "gemm_half_float": Kind(bt=True, element=abi.F16, out=abi.F32),
    "gemm_tf32": Kind(bt=True, element=TF32, out=abi.F32),
    "gemm_e4m3": Kind(bt=True, element=abi.E4M3, out=abi.BF16),
    "gemm_e5m2": Kind(bt=True, element=abi.E5M2, out=abi.F16),
    "gemm_batched": Kind(batched=True),
    "gemm_bias": Kind(beside=("bias",), finish=lambda p, o: p + o["bias"]),
    "gemm_gelu": Kind(beside=("bias",), finish=lambda p, o: gelu(p + o["bias"]), slope=1.2),
    "gemm_gelu_tanh": Kind(beside=("bias",), finish=lambda p, o: gelu_tanh(p + o["bias"]), slope=1.2),
    "gemm_silu": Kind(beside=("bias",), finish=lambda p, o: silu(p + o["bias"]), slope=1.2),
    "gemm_gate": Kind(beside=("gate",), finish=lambda p, o: silu(p) * o["gate"]),
    "gemm_residual": Kind(beside=("scale", "residual"), finish=lambda p, o: o["scale"] * p + o["residual"]),
    "gemm_scaled": Kind(bt=True, element=abi.E4M3, form="scaled"),
    "gemm_blockwise": Kind(bt=True, element=abi.E4M3, form="blockwise"),
    "gemm_grouped": Kind(form="grouped"),
    "gemm_splitk": Kind(out=abi.F32, form="split"),
}
EXAMPLES = {
    "gemm_layouts": ["gemm_nn", "gemm_nt", "gemm_tn", "gemm_tt", "gemm_half", "gemm_half_float", "gemm_tf32",
                     "gemm_e4m3", "gemm_e5m2"],
    "gemm_batched": ["gemm_batched"],
    "gemm_epilogue": ["gemm_bias", "gemm_gelu", "gemm_gelu_tanh", "gemm_silu", "gemm_gate", "gemm_residual"],
    "gemm_fp8": ["gemm_scaled", "gemm_blockwise"],
    "gemm_grouped": ["gemm_grouped"],
    "gemm_splitk": ["gemm_splitk"],
}
BLOCK = 128  # elements that share a scale, rows that share an expert
EXPERTS = 5


class SharedByBatch(HostTensor):
    """One matrix that stands for all of a batch."""

    def __init__(self, batch, extents, extra_stride, dtype):
        super().__init__((1, *extents), extra_stride, dtype)
        self.batch = batch

    def view(self, address=None):
        view = super().view(address)
        view.extents[0], view.strides[0] = self.batch, 0
        return view


class Problem:
    """The tensors and the truth of one kernel at one shape; `check` runs one way and judges it."""

    def __init__(self, shape, seed, kernel):
        self.kind, self.shape = KERNELS[kernel], shape
        kind = self.kind
        m, n, k = shape.m, shape.n, shape.k
        rng = np.random.default_rng([seed, zlib.crc32(kernel.encode()), m, n, k, shape.padding])
        self.batch = (shape.batch or 3) if kind.batched else 0
        self.scalars = []
        a = self.operand(rng, (k, m) if kind.at else (m, k), shape.padding)
        lead = (EXPERTS,) if kind.form == "grouped" else ()
        b = self.operand(rng, (*lead, *((n, k) if kind.bt else (k, n))), shape.padding, is_shared=True)
        self.inputs = {"A": a, "B": b} | self.form_operands(rng, shape)
        for name in kind.beside:
            self.inputs[name] = self.operand_beside(rng, name, shape, b)
        self.c = HostTensor((self.batch, m, n) if kind.batched else (m, n), shape.padding, kind.out)
        if kind.batched:
            self.alpha, self.beta = 0.5, 0.0 if (m + n + k) % 2 else -1.5
            self.scalars = [ctypes.c_float(self.alpha), ctypes.c_float(self.beta)]
        self.before = rng.standard_normal(self.c.extents, dtype=np.float32) if self.keeps else None
        if self.keeps:
            self.c.set(self.before)
            self.rounded = self.c.values().astype(np.float64)  # as C holds it: the truth is asked for after a run

    @property
    def keeps(self):
        """Whether the kernel reads what C holds."""
        return self.kind.form == "split" or (self.kind.batched and bool(self.beta))

    @functools.cached_property
    def solution(self):
        """The truth, and what each element may differ from it."""
        return self.solve(self.shape.k * FP32_STEP)

    def solution_of(self, backend):
        """The same, of a backend. The tensor cores keep about 14 bits of a sum of 8-bit floats and cut off the rest of what they
        add to it, which is a random walk: of some 1e9 elements one was about 2^-10.6 of the magnitudes away from the sum."""
        if backend.name == "gpu" and self.kind.element in (abi.E4M3, abi.E5M2):
            return self.solve(max(2.0**-10, self.shape.k * 2.0**-21))
        return self.solution

    def solve(self, step):
        """The truth, and the bounds if a sum is off by at most `step` of its terms' magnitudes."""
        kind = self.kind
        x, y = (self.inputs[name].values().astype(np.float64) for name in "AB")
        x, y = x.swapaxes(-1, -2) if kind.at else x, y.swapaxes(-1, -2) if kind.bt else y
        matmul, magnitude = self.multiply(x, y)
        beside = {name: self.inputs[name].values().astype(np.float64) for name in kind.beside}
        error = step * magnitude
        if kind.batched:
            if self.beta:
                matmul = matmul + self.beta / self.alpha * self.rounded
            matmul, error = matmul * self.alpha, error * self.alpha
        if "gate" in beside:
            gate, gate_error = x @ beside["gate"], step * (np.abs(x) @ np.abs(beside["gate"]))
            error = error * 1.1 * np.abs(gate) + gate_error * np.abs(matmul)
            beside["gate"] = gate
        if "scale" in beside:
            beside["scale"] = beside["scale"][:, None]
            error = error * np.abs(beside["scale"])
        truth = kind.finish(matmul, beside)
        # A few operations in fp32 and an approximated exponential, relative to what goes into them.
        error = error * kind.slope + 2.0**-20 * (np.abs(matmul) + np.abs(truth) + 1)
        if kind.form == "split":
            truth = truth + self.before
        limit = {abi.F16: 65504.0}.get(kind.out, np.inf)
        truth = np.clip(truth, -limit, limit) if np.isfinite(limit) else truth
        return truth, ROUNDING[kind.out] * np.abs(truth) + error

    truth = property(lambda self: self.solution[0])
    allowed = property(lambda self: self.solution[1])

    def form_operands(self, rng, shape):
        """The operands that belong to the matmul's form."""
        kind, (m, n, k) = self.kind, (shape.m, shape.n, shape.k)
        blocks = lambda extent: (extent + BLOCK - 1) // BLOCK
        if kind.form == "scaled":
            self.scalars = [ctypes.c_float(0.25)]
        if kind.form == "blockwise":
            scales = {"ScaleA": HostTensor((blocks(k), m), 0, abi.F32), "ScaleB": HostTensor((blocks(n), blocks(k)), 0, abi.F32)}
            for tensor in scales.values():
                tensor.set(np.float32(0.5) + rng.random(tensor.extents, dtype=np.float32))
            return scales
        if kind.form == "grouped":
            expert = HostTensor((blocks(m),), 0, abi.I32)
            expert.set(rng.integers(-1, EXPERTS, expert.extents))
            self.expert = np.repeat(expert.values().astype(int), BLOCK)[:m]
            return {"Expert": expert}
        return {}

    def multiply(self, x, y):
        """The matmul and that of the magnitudes."""
        kind, (m, n, k) = self.kind, (self.shape.m, self.shape.n, self.shape.k)
        if kind.form == "scaled":
            x = 0.25 * x
        if kind.form == "blockwise":
            of_a, of_b = (self.inputs[name].values().astype(np.float64) for name in ("ScaleA", "ScaleB"))
            x = x * np.repeat(of_a, BLOCK, axis=0)[:k].T
            y = y * np.repeat(np.repeat(of_b, BLOCK, axis=0)[:n], BLOCK, axis=1)[:, :k].T
        if kind.form == "grouped":
            matmul, magnitude = np.zeros((m, n)), np.zeros((m, n))
            for number in range(EXPERTS):
                mine = self.expert == number
                matmul[mine], magnitude[mine] = x[mine] @ y[number], np.abs(x[mine]) @ np.abs(y[number])
            return matmul, magnitude
        return x @ y, np.abs(x) @ np.abs(y)

    def operand(self, rng, extents, padding, is_shared=False):
        dtype = abi.F32 if self.kind.element == TF32 else self.kind.element
        if not self.batch:
            tensor = HostTensor(extents, padding, dtype)
        elif is_shared:
            tensor = SharedByBatch(self.batch, extents, padding, dtype)
        else:
            tensor = HostTensor((self.batch, *extents), padding, dtype)
        exactly_tf32 = lambda values: (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
        return tensor.draw(rng, change=exactly_tf32) if self.kind.element == TF32 else tensor.draw(rng)

    def operand_beside(self, rng, name, shape, b):
        """A tensor beside A and B."""
        if name in ("bias", "scale"):
            tensor = HostTensor((shape.n if name == "bias" else shape.m,), 0, abi.F32)
            return tensor.draw(rng)
        if name == "residual":
            return HostTensor.random(rng, (shape.m, shape.n), shape.padding)
        return self.operand(rng, b.extents, shape.padding)

    def launches(self, kernel):
        return [Launch(kernel, {**self.inputs, "C": self.c}, self.scalars)]

    def flops(self, kernel):
        s = self.shape
        return 2.0 * s.m * s.n * s.k * max(self.batch, 1) * (2 if "gate" in self.kind.beside else 1)

    def check(self, backend, kernel):
        self.c.poison()
        if self.keeps:
            self.c.set(self.before)
        before = {name: tensor.buffer.copy() for name, tensor in self.inputs.items()}
        status = backend.call(kernel, [*self.inputs.values(), self.c], self.scalars)
        if status.code:
            return Result(None, backend.seconds, str(status))
        for name, tensor in self.inputs.items():
            if not np.array_equal(tensor.buffer, before[name]):
                return Result(None, backend.seconds, f"{name} was written to")
        if stray := self.c.stray_writes():
            return Result(None, backend.seconds, f"{stray} places outside the elements of C were written")
        unwritten = 0 if self.keeps else self.c.unwritten()
        idle = int(np.count_nonzero(self.expert < 0)) * self.c.extents[-1] if self.kind.form == "grouped" else 0
        if unwritten != idle:
            return Result(None, backend.seconds, f"{unwritten} elements of C were not written when {idle} should not be")
        truth, allowed = self.solution_of(backend)
        error = np.abs(self.c.values().astype(np.float64) - truth)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(error == 0, 0.0, error / allowed)
        if self.kind.form == "grouped":
            ratio[self.expert < 0] = error[self.expert < 0] = 0
        worst, problem = float(ratio.max()), ""
        if not worst <= 1:
            at = tuple(int(i) for i in np.argwhere(~(ratio <= 1))[0])
            problem = (f"{np.count_nonzero(~(ratio <= 1))} of {ratio.size} elements are wrong, the first at {at}: "
                       f"{self.c.values()[at]:.6g} when it should be {truth[at]:.6g} +- {allowed[at]:.2g}")
        return Result(Comparison(worst, float(error.max()), float(np.linalg.norm(error)), problem), backend.seconds, problem)


# ===-----------------------------------------------------------------------=== #
# The family
# ===-----------------------------------------------------------------------=== #

# One element; a tile; one more and one less in each dimension; rows far apart; several tiles and several rounds of a
# ring; odd extents.
SHAPES = ["1x1x1", "128x256x64", "129x255x65", "127x257x129", "61x67x71+16", "300x520x600", "7x130x1030"]
# What the GPU checks beside them: extents of whole and of broken tiles, and sums of many terms.
LARGE_SHAPES = ["64x4096x100", "100x64x4096", "200x8192x64", "4096x100x200", "2048x2048x2048", "1000x3000x5000"]

CUBES = ["1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "16384x16384x16384"]
SHALLOW = [f"4096x4096x{k}" for k in (64, 128, 256, 512, 1024)]
WIDE = ["8192x4096x4096", "8192x14336x4096", "8192x1024x4096", "8192x4096x14336"]


def rows():
    yield from (("gemm_nn", shape) for shape in CUBES + SHALLOW + WIDE)
    yield from (("gemm_nt", shape) for shape in CUBES + WIDE[1:2])
    for kernel in ("gemm_tn", "gemm_tt", "gemm_half", "gemm_half_float", "gemm_tf32"):
        yield kernel, CUBES[3]
    for shape in CUBES[2:]:
        yield from ((kernel, shape) for kernel in ("gemm_e4m3", "gemm_scaled", "gemm_blockwise"))
    for kernel in EXAMPLES["gemm_epilogue"]:
        yield kernel, CUBES[3]
    yield "gemm_batched", CUBES[1] + "*16"
    yield "gemm_grouped", WIDE[0]
    yield from (("gemm_splitk", shape) for shape in ("128x4096x16384", "512x512x16384"))


def finished_by_torch(problem, kernel, kind, x, y, tensors):
    """What torch does for a matmul and what the kernel does with it, or None."""
    import torch

    c, functional = tensors["C"], torch.nn.functional
    if kernel == "gemm_bias":
        bias = tensors["bias"].bfloat16()
        return lambda: torch.addmm(bias, x, y, out=c)
    if kernel in ("gemm_gelu", "gemm_gelu_tanh", "gemm_silu"):
        bias = tensors["bias"].bfloat16()
        finish = functional.silu if kernel == "gemm_silu" else lambda v: functional.gelu(
            v, approximate="tanh" if kernel == "gemm_gelu_tanh" else "none")
        return lambda: finish(torch.addmm(bias, x, y, out=c))
    if kernel == "gemm_gate":
        return lambda: torch.mm(x, tensors["gate"], out=c).mul_(functional.silu(torch.mm(x, y)))
    if kernel == "gemm_residual":
        scale = tensors["scale"].bfloat16()[:, None]
        return lambda: torch.mm(x, y, out=c).mul_(scale).add_(tensors["residual"])
    if kind.batched:
        return lambda: c.baddbmm_(x, y, beta=problem.beta, alpha=problem.alpha)
    return lambda: torch.mm(x, y, out=c)


def by_torch(problem, kernel, tensors):
    import torch

    kind, (a, b, c) = KERNELS[kernel], (tensors[name] for name in "ABC")
    x, y = a.mT if kind.at else a, b.mT if kind.bt else b
    if kind.form == "grouped" or kind.element == abi.E5M2:
        return None
    if kind.form == "split":
        whole = torch.empty(c.shape, device="cuda", dtype=a.dtype)
        return lambda: torch.mm(x, y, out=whole)
    if kind.element == abi.E4M3:
        one = torch.ones((), device="cuda")
        scales = (tensors["ScaleA"].T, tensors["ScaleB"].T) if kind.form == "blockwise" else (one, one)
        fast = {} if kind.form == "blockwise" else {"use_fast_accum": True}
        return lambda: torch._scaled_mm(x, y, *scales, out_dtype=c.dtype, out=c, **fast)
    return finished_by_torch(problem, kernel, kind, x, y, tensors) if c.dtype == a.dtype else None


def by_cublaslt(kernel, tensors):
    """All proposals of cuBLASLt, of which the bench keeps the fastest; {} where it has none."""
    import cublaslt

    kind = KERNELS[kernel]
    if kind.batched or kind.beside or kind.form not in ("", "scaled") or kind.element == abi.E5M2:
        return {}
    a, b, c = (tensors[name] for name in "ABC")
    matmul = cublaslt.Matmul(cublaslt.library(), kind.at, kind.bt, a, b, c)
    return {f"cublaslt {number}": matmul.prepare(number, a, b, c) for number in range(len(matmul.heuristics))}


def peers(problem, kernel, tensors):
    theirs = by_torch(problem, kernel, tensors)
    return ({"torch": theirs} if theirs else {}) | by_cublaslt(kernel, tensors)


FAMILY = Family(
    name="matmuls",
    kernels=tuple(KERNELS),
    example=lambda kernel: next(example for example, kernels in EXAMPLES.items() if kernel in kernels),
    problem=Problem,
    parse=Shape.parse,
    shapes=lambda kernel: [Shape.parse(text) for text in SHAPES],
    more=lambda kernel: [Shape.parse(text) for text in LARGE_SHAPES],
    emulated={"gemm_batched": ["--set=alpha=0.5", "--set=beta=-1.5"]},
    adds_in_any_order=("gemm_splitk",),
    rows=tuple(rows()),
    peers=peers,
)
