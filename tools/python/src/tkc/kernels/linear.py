"""linear.py - y = x weightᵀ + bias, of bf16 or, without gradients, of 8-bit floats."""
import torch

from ..arrays import aligned
from . import sources

ops = sources.define("gemm_layouts.tk", ("gemm_nn", "gemm_nt", "gemm_tn"))
BLOCK, LARGEST = 128, 448.0  # of a scale; of e4m3


def _linear_fp8(x, weight, scale):
    rows, width = x.shape
    values = torch.empty(rows, width, dtype=torch.float8_e4m3fn, device=x.device)
    scales = torch.empty(-(-width // BLOCK), -(-rows // 4) * 4, dtype=torch.float32, device=x.device)[:, :rows]
    y = torch.empty(rows, weight.shape[0], dtype=x.dtype, device=x.device)
    sources.library("quantize.tk").quantize.below_autograd(x, values, scales)
    sources.library("gemm_fp8.tk").gemm_blockwise.below_autograd(values, weight, scales, scale, y)
    return y


matmul_fp8 = sources.composite("linear_fp8", "(Tensor x, Tensor weight, Tensor scale) -> Tensor", _linear_fp8,
                               lambda x, weight, scale: x.new_empty(x.shape[0], weight.shape[0]))


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return ops["gemm_nt"](x, weight)

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        dy = aligned(dy)
        return (ops["gemm_nn"](dy, weight) if ctx.needs_input_grad[0] else None,
                ops["gemm_tn"](dy, x) if ctx.needs_input_grad[1] else None)


def linear(x, weight, bias=None):
    """x is (..., in), weight (out, in), both bf16; in and out are multiples of 8."""
    rows = x.reshape(-1, x.shape[-1])
    y = _Linear.apply(rows, weight).reshape(*x.shape[:-1], weight.shape[0])
    return y if bias is None else y + bias


class Linear(torch.nn.Linear):
    """torch.nn.Linear of bf16, its state_dict too."""

    def __init__(self, in_features, out_features, bias=True, device=None):
        super().__init__(in_features, out_features, bias, device, torch.bfloat16)

    def forward(self, x):
        return linear(x, self.weight, self.bias)


def quantize_weight(weight):
    """e4m3 of (out, in) and a float32 scale of each 128 x 128 of it: weight = quantized * scale."""
    out, width = weight.shape
    blocks = torch.nn.functional.pad(weight.detach().float(), (0, -width % BLOCK, 0, -out % BLOCK))
    blocks = blocks.reshape(-(-out // BLOCK), BLOCK, -(-width // BLOCK), BLOCK)
    scale = blocks.abs().amax((1, 3)).clamp_min(torch.finfo(torch.float32).tiny) / LARGEST
    values = (blocks / scale[:, None, :, None]).reshape(-(-out // BLOCK) * BLOCK, -1)[:out, :width]
    return values.contiguous().to(torch.float8_e4m3fn), scale.contiguous()


def linear_fp8(x, weight, scale, bias=None):
    """x is (..., in) of bf16, weight (out, in) and scale what quantize_weight makes; `in` is a multiple of 16, out of 8. The rows
    of x are quantized on the way, 128 columns with one scale. No gradients."""
    rows = x.detach().reshape(-1, x.shape[-1])
    y = matmul_fp8(rows, weight, aligned(scale)).reshape(*x.shape[:-1], weight.shape[0])
    return y if bias is None else y + bias


class Fp8Linear(torch.nn.Module):
    """A linear layer for inference, whose weights are kept and multiplied in 8 bits."""

    def __init__(self, linear):
        super().__init__()
        weight, scale = quantize_weight(linear.weight)
        self.register_buffer("weight", weight)
        self.register_buffer("scale", scale)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach())

    def forward(self, x):
        return linear_fp8(x, self.weight, self.scale, self.bias)
