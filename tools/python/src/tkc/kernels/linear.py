"""linear.py - y = x weightᵀ + bias."""
import torch

from ..arrays import aligned
from . import sources

ops = sources.define("gemm_layouts.tk", ("gemm_nn", "gemm_nt", "gemm_tn"))


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return ops["gemm_nt"](x, weight)

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        dy = aligned(dy)
        return ops["gemm_nn"](dy, weight), ops["gemm_tn"](dy, x)


def linear(x, weight, bias=None):
    """x is (..., in), weight (out, in), both bf16; in and out are multiples of 8."""
    rows = x.reshape(-1, x.shape[-1])
    y = _Linear.apply(rows, weight).reshape(*x.shape[:-1], weight.shape[0])
    return y if bias is None else y + bias
