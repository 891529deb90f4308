"""norms.py - Layer norm and root mean square norm of rows, with the sum of a residual before it."""
import torch

from .. import torch as operators
from . import sources


def columns(width):
    """A row is seen as a matrix of 16 or more rows and of columns that are a multiple of 16, as many as go."""
    for cols in (64, 48, 32, 16):
        if width % (16 * cols) == 0:
            return cols
    raise ValueError(f"norms are of rows of a multiple of 256 elements, these have {width}")


_defined = {}  # a dict, not functools.cache, which torch.compile looks through: it would trace the definition


def operator(width, is_centred):
    """The operator for rows of this width; it is defined when it is first asked for, which must be before torch.compile traces
    it. The modules ask when they are made."""
    key = (width, is_centred)
    if key not in _defined:
        kernel = sources.library("layernorm.tk").instance("layernorm", Width=width, Dropout=False, Centred=is_centred,
                                                          Cols=columns(width))
        _defined[key] = operators.define(sources.NAMESPACE, kernel, f"{'layer' if is_centred else 'rms'}_norm_{width}")
    return _defined[key]


class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, weight, bias, eps, is_centred):
        width, cols = x.shape[-1], columns(x.shape[-1])
        shape = (-1, width // cols, cols)
        total, y = operator(width, is_centred)(x.reshape(shape), residual.reshape(shape), weight.reshape(shape[1:]),
                                               bias.reshape(shape[1:]), eps, 0.0, 0)
        total = total.reshape(x.shape)
        ctx.save_for_backward(total, weight)
        ctx.eps, ctx.is_centred = eps, is_centred
        return y.reshape(x.shape), total

    @staticmethod
    def backward(ctx, dy, dtotal):
        total, weight = ctx.saved_tensors
        s, g = total.float(), dy.float()
        if ctx.is_centred:
            s = s - s.mean(-1, keepdim=True)
        r = torch.rsqrt(s.square().mean(-1, keepdim=True) + ctx.eps)
        n = s * r
        rows = tuple(range(dy.dim() - 1))
        dweight, dbias = (g * n).sum(rows).to(weight.dtype), g.sum(rows).to(weight.dtype)
        g = g * weight.float()
        g = g - n * (g * n).mean(-1, keepdim=True)
        if ctx.is_centred:
            g = g - (g.mean(-1, keepdim=True))
        dx = (g * r + dtotal.float()).to(dy.dtype)
        return dx, dx, dweight, dbias if ctx.is_centred else None, None, None


def _norm(x, weight, bias, eps, residual, is_centred):
    y, total = _Norm.apply(x, torch.zeros_like(x) if residual is None else residual, weight, weight if bias is None else bias, eps,
                           is_centred)
    return y if residual is None else (y, total)


def layer_norm(x, weight, bias, eps=1e-5, residual=None):
    """Of rows of a multiple of 256 elements. With a residual: the norm of x + residual, and that sum."""
    return _norm(x, weight, bias, eps, residual, True)


def rms_norm(x, weight, eps=1e-6, residual=None):
    return _norm(x, weight, None, eps, residual, False)


class LayerNorm(torch.nn.Module):
    def __init__(self, width, eps=1e-5, device=None):
        super().__init__()
        operator(width, True)
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.ones(width, device=device, dtype=torch.bfloat16))
        self.bias = torch.nn.Parameter(torch.zeros(width, device=device, dtype=torch.bfloat16))

    def forward(self, x, residual=None):
        return layer_norm(x, self.weight, self.bias, self.eps, residual)


class RMSNorm(torch.nn.Module):
    def __init__(self, width, eps=1e-6, device=None):
        super().__init__()
        operator(width, False)
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.ones(width, device=device, dtype=torch.bfloat16))

    def forward(self, x, residual=None):
        return rms_norm(x, self.weight, self.eps, residual)
