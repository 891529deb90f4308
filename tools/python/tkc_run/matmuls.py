"""matmuls.py - The GEMM examples of one shape, checked against float64, in any of the ways.

What a kernel computes is a line of KERNELS: the layouts and types of its operands and the function of the matmul that
it stores. The truth is numpy in float64 on the same rounded inputs. A right result differs from it because it is
rounded to its type, and because each of the K additions in fp32 is off by at most 2^-23 of the partial sum
(compare.py); what is done to the matmul afterwards is a handful of operations in fp32, and an approximation of exp.
"""
import ctypes
import zlib
from dataclasses import dataclass, field

import numpy as np

from . import abi
from .compare import BF16_ROUNDING, FP32_STEP, Comparison
from .gemm import Result
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
        self.kind = kind = KERNELS[kernel]
        m, n, k = shape.m, shape.n, shape.k
        rng = np.random.default_rng([seed, zlib.crc32(kernel.encode()), m, n, k, shape.padding])
        self.batch = 3 if kind.batched else 0
        self.scalars = []
        a = self.operand(rng, (k, m) if kind.at else (m, k), shape.padding)
        lead = (EXPERTS,) if kind.form == "grouped" else ()
        b = self.operand(rng, (*lead, *((n, k) if kind.bt else (k, n))), shape.padding, is_shared=True)
        self.inputs = [a, b]
        x, y = (tensor.values().astype(np.float64) for tensor in (a, b))
        x, y = x.swapaxes(-1, -2) if kind.at else x, y.swapaxes(-1, -2) if kind.bt else y
        matmul, magnitude = self.multiply(rng, shape, x, y)
        beside = {}
        for name in kind.beside:
            tensor, values = self.operand_beside(rng, name, shape, x, b)
            self.inputs.append(tensor)
            beside[name] = values
        self.c = HostTensor((3, m, n) if kind.batched else (m, n), shape.padding, kind.out)
        error = k * FP32_STEP * magnitude
        if kind.batched:
            alpha, beta = 0.5, 0.0 if (m + n + k) % 2 else -1.5
            self.scalars = [ctypes.c_float(alpha), ctypes.c_float(beta)]
            self.before = rng.standard_normal(self.c.extents, dtype=np.float32) if beta else None
            if beta:
                self.c.set(self.before)
                matmul = matmul + beta / alpha * self.c.values().astype(np.float64)
            matmul, error = matmul * alpha, error * alpha
        if kind.form == "split":
            self.before = rng.standard_normal((m, n), dtype=np.float32)
        if "gate" in beside:
            gate, gate_error = beside["gate"], k * FP32_STEP * (np.abs(x) @ np.abs(self.gate))
            error = error * 1.1 * np.abs(gate) + gate_error * np.abs(matmul)
        if "scale" in beside:
            error = error * np.abs(beside["scale"])
        self.truth = kind.finish(matmul, beside)
        # A few operations in fp32 and an approximated exponential, relative to what goes into them.
        error = error * kind.slope + 2.0**-20 * (np.abs(matmul) + np.abs(self.truth) + 1)
        if kind.form == "split":
            self.truth = self.truth + self.before
        limit = {abi.F16: 65504.0}.get(kind.out, np.inf)
        self.truth = np.clip(self.truth, -limit, limit) if np.isfinite(limit) else self.truth
        self.allowed = ROUNDING[kind.out] * np.abs(self.truth) + error

    def multiply(self, rng, shape, x, y):
        """The matmul and that of the magnitudes; adds the operands that belong to it."""
        kind, (m, n, k) = self.kind, (shape.m, shape.n, shape.k)
        blocks = lambda extent: (extent + BLOCK - 1) // BLOCK
        if kind.form == "scaled":
            self.scalars = [ctypes.c_float(0.25)]
            x = 0.25 * x
        if kind.form == "blockwise":
            scales = [HostTensor((blocks(k), m), 0, abi.F32), HostTensor((blocks(n), blocks(k)), 0, abi.F32)]
            for tensor in scales:
                tensor.set(np.float32(0.5) + rng.random(tensor.extents, dtype=np.float32))
            self.inputs += scales
            of_a, of_b = (tensor.values().astype(np.float64) for tensor in scales)
            x = x * np.repeat(of_a, BLOCK, axis=0)[:k].T
            y = y * np.repeat(np.repeat(of_b, BLOCK, axis=0)[:n], BLOCK, axis=1)[:, :k].T
        if kind.form == "grouped":
            expert = HostTensor((blocks(m),), 0, abi.I32)
            expert.set(rng.integers(-1, EXPERTS, expert.extents))
            self.inputs.append(expert)
            self.expert = np.repeat(expert.values().astype(int), BLOCK)[:m]
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
        values = rng.standard_normal(tensor.extents, dtype=np.float32)
        if self.kind.element == TF32:
            values = (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
        tensor.set(values)
        return tensor

    def operand_beside(self, rng, name, shape, x, b):
        """A tensor beside A and B, and its values as they meet the matmul."""
        if name in ("bias", "scale"):
            tensor = HostTensor((shape.n if name == "bias" else shape.m,), 0, abi.F32)
            tensor.set(rng.standard_normal(tensor.extents, dtype=np.float32))
            values = tensor.values().astype(np.float64)
            return tensor, values if name == "bias" else values[:, None]
        if name == "residual":
            tensor = HostTensor.random(rng, (shape.m, shape.n), shape.padding)
            return tensor, tensor.values().astype(np.float64)
        tensor = self.operand(rng, b.extents, shape.padding)
        self.gate = tensor.values().astype(np.float64)
        return tensor, x @ self.gate

    def check(self, backend, kernel):
        keeps = self.kind.form == "split" or (self.kind.batched and self.before is not None)
        self.c.poison()
        if keeps:
            self.c.set(self.before)
        before = [tensor.buffer.copy() for tensor in self.inputs]
        status = backend.call(kernel, [*self.inputs, self.c], self.scalars)
        if status.code:
            return Result(None, backend.seconds, str(status))
        for number, (tensor, copy) in enumerate(zip(self.inputs, before)):
            if not np.array_equal(tensor.buffer, copy):
                return Result(None, backend.seconds, f"operand {number} was written to")
        if stray := self.c.stray_writes():
            return Result(None, backend.seconds, f"{stray} places outside the elements of C were written")
        unwritten = 0 if keeps else self.c.unwritten()
        idle = int(np.count_nonzero(self.expert < 0)) * self.c.extents[-1] if self.kind.form == "grouped" else 0
        if unwritten != idle:
            return Result(None, backend.seconds, f"{unwritten} elements of C were not written when {idle} should not be")
        error = np.abs(self.c.values().astype(np.float64) - self.truth)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(error == 0, 0.0, error / self.allowed)
        if self.kind.form == "grouped":
            ratio[self.expert < 0] = error[self.expert < 0] = 0
        worst, problem = float(ratio.max()), ""
        if not worst <= 1:
            at = tuple(int(i) for i in np.argwhere(~(ratio <= 1))[0])
            problem = (f"{np.count_nonzero(~(ratio <= 1))} of {ratio.size} elements are wrong, the first at {at}: "
                       f"{self.c.values()[at]:.6g} when it should be {self.truth[at]:.6g} +- {self.allowed[at]:.2g}")
        return Result(Comparison(worst, float(error.max()), float(np.linalg.norm(error)), problem), backend.seconds, problem)
