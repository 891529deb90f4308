"""rotary.py - Rotary position embedding."""
import torch

from ..arrays import aligned
from . import sources

ops = sources.define("rotary.tk", ("rotary", "rotary_128", "rotary_interleaved", "rotary_interleaved_128"))


class _Rotary(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin, name):
        ctx.save_for_backward(cos, sin)
        ctx.name = name
        return ops[name](x, cos, sin)

    @staticmethod
    def backward(ctx, dy):
        cos, sin = ctx.saved_tensors
        return ops[ctx.name](aligned(dy), cos, -sin), None, None, None  # turned back


def rotary(x, cos, sin, interleaved=False):
    """x is (batch, heads, rows, 64 or 128); cos and sin are float32 of (rows, half of that)."""
    if x.shape[-1] not in (64, 128):
        raise ValueError(f"rotary is for heads of 64 or 128 elements, these have {x.shape[-1]}")
    name = "rotary" + ("_interleaved" if interleaved else "") + ("_128" if x.shape[-1] == 128 else "")
    return _Rotary.apply(x, cos, sin, name)
