"""rotary.py - Rotary position embedding."""
import torch

from ..arrays import aligned
from . import sources
from .attention import like
from .sources import composite

_PAIRS = {(64, False): "rotary_qk_64", (128, False): "rotary_qk", (128, True): "rotary_qk_interleaved"}


def _single(width, interleaved):
    return "rotary" + ("_interleaved" if interleaved else "") + ("_128" if width == 128 else "")


def _rotary(x, cos, sin, interleaved):
    y = like(x)
    getattr(sources.library("rotary.tk"), _single(x.shape[-1], interleaved)).below_autograd(x, cos, sin, y)
    return y


def _rotary_qk(q, k, cos, sin, interleaved):
    name = _PAIRS.get((q.shape[-1], interleaved))
    if name is None:
        return _rotary(q, cos, sin, interleaved), _rotary(k, cos, sin, interleaved)
    turned = like(q), like(k)
    getattr(sources.library("rotary.tk"), name).below_autograd(q, k, cos, sin, *turned)
    return turned


turn = composite("rotary", "(Tensor x, Tensor cos, Tensor sin, bool interleaved) -> Tensor", _rotary,
                 lambda x, cos, sin, interleaved: like(x))
turn_qk = composite("rotary_qk", "(Tensor q, Tensor k, Tensor cos, Tensor sin, bool interleaved) -> (Tensor, Tensor)", _rotary_qk,
                    lambda q, k, cos, sin, interleaved: (like(q), like(k)))


class _Rotary(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin, interleaved):
        ctx.save_for_backward(cos, sin)
        ctx.interleaved = interleaved
        return turn(x, cos, sin, interleaved)

    @staticmethod
    def backward(ctx, dy):
        cos, sin = ctx.saved_tensors
        return turn(aligned(dy), cos, -sin, ctx.interleaved), None, None, None  # turned back


class _RotaryQk(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, cos, sin, interleaved):
        ctx.save_for_backward(cos, sin)
        ctx.interleaved = interleaved
        return turn_qk(q, k, cos, sin, interleaved)

    @staticmethod
    def backward(ctx, dq, dk):
        cos, sin = ctx.saved_tensors
        return *turn_qk(aligned(dq), aligned(dk), cos, -sin, ctx.interleaved), None, None, None


def _check(*tensors):
    for x in tensors:
        if x.shape[-1] not in (64, 128):
            raise ValueError(f"rotary is for heads of 64 or 128 elements, these have {x.shape[-1]}")


def rotary(x, cos, sin, interleaved=False):
    """x is (batch, heads, rows, 64 or 128); cos and sin are float32 of (rows, half of that)."""
    _check(x)
    return _Rotary.apply(x, cos, sin, interleaved)


def rotary_qk(q, k, cos, sin, interleaved=False):
    """Queries and keys, which may have fewer heads, in one launch."""
    _check(q, k)
    return _RotaryQk.apply(q, k, cos, sin, interleaved)
