"""norms.py - Layer norm and root mean square norm of rows, with the sum of a residual before it, and their gradients."""
import torch

from . import sources
from .sources import composite

WIDTHS = "a multiple of 256 up to 1024, or of 1024 up to 4096"


def columns(width):
    """A row is seen as a matrix of as many columns as go: it has 16 rows at least in a warp, 64 in a warpgroup."""
    rows = 16 if width <= 1024 else 64
    for cols in (64, 48, 32, 16):
        if width % (rows * cols) == 0 and width <= 4096 and width // cols % rows == 0:
            return cols
    raise ValueError(f"norms are of rows of {WIDTHS} elements, these have {width}")


_kernels = {}  # a dict, not functools.cache, which torch.compile looks through


def kernel(template, width, is_centred, **more):
    """The kernel for rows of this width, compiled when it is first asked for. The modules ask when they are made."""
    key = (template, width, is_centred, *more.items())
    if key not in _kernels:
        file = "layernorm.tk" if template == "layernorm" else "norms.tk"
        _kernels[key] = sources.instance(file, template, Width=width, Centred=is_centred, Cols=columns(width), **more)
    return _kernels[key]


def prepare(width, is_centred):
    kernel("norm_forward", width, is_centred)
    kernel("layernorm", width, is_centred, Dropout=False)
    for has_residual in (False, True):
        kernel("norm_backward", width, is_centred, Residual=has_residual)


# A row of Width elements is a matrix to a kernel. Rows are handed over as they are: regrouping() takes elements that follow
# one another as the kernel has them, which costs less than views.


def _norm(x, weight, bias, eps):
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel("norm_forward", x.shape[-1], bias is not None).regrouping(x, weight, weight if bias is None else bias, y, eps)
    return y


def _add_norm(x, residual, weight, bias, eps):
    x, residual = x.contiguous(), residual.contiguous()
    total, y = torch.empty_like(x), torch.empty_like(x)
    kernel("layernorm", x.shape[-1], bias is not None, Dropout=False).regrouping(
        x, residual, weight, weight if bias is None else bias, total, y, eps, 0.0, 0)
    return y, total


def _gradients(dy, dsum, x, weight, is_centred, eps):
    x, dy = x.contiguous(), dy.contiguous()
    dx = torch.empty_like(x)
    backward = kernel("norm_backward", x.shape[-1], is_centred, Residual=dsum is not None)
    sums = x.new_empty((2 if is_centred else 1, x.shape[-1]), dtype=torch.float32)
    rows = (sums[0], sums[1]) if is_centred else (sums, sums)
    backward.clear(sums)
    backward.regrouping(
        x, dy, dy if dsum is None else dsum.contiguous(), weight, dx, *rows, eps)
    return dx, sums.to(weight.dtype)


norm = composite("norm", "(Tensor x, Tensor weight, Tensor? bias, float eps) -> Tensor", _norm,
                 lambda x, weight, bias, eps: torch.empty(x.shape, dtype=x.dtype, device=x.device))
add_norm = composite("add_norm", "(Tensor x, Tensor residual, Tensor weight, Tensor? bias, float eps) -> (Tensor, Tensor)", _add_norm,
                     lambda x, residual, weight, bias, eps: tuple(
                         torch.empty(x.shape, dtype=x.dtype, device=x.device) for _ in range(2)))
gradients = composite(
    "norm_gradients", "(Tensor dy, Tensor? dsum, Tensor x, Tensor weight, bool is_centred, float eps) -> (Tensor, Tensor)", _gradients,
    lambda dy, dsum, x, weight, is_centred, eps: (torch.empty(x.shape, dtype=x.dtype, device=x.device),
                                                  weight.new_empty(2 if is_centred else 1, weight.shape[0])))


class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        ctx.save_for_backward(x, weight)
        ctx.eps, ctx.is_centred = eps, bias is not None
        return norm(x, weight, bias, eps)

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        dx, sums = gradients(dy, None, x, weight, ctx.is_centred, ctx.eps)
        return dx, sums[0], sums[1] if ctx.is_centred else None, None


class _AddNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, weight, bias, eps):
        y, total = add_norm(x, residual, weight, bias, eps)
        ctx.save_for_backward(total, weight)
        ctx.eps, ctx.is_centred = eps, bias is not None
        return y, total

    @staticmethod
    def backward(ctx, dy, dtotal):
        total, weight = ctx.saved_tensors
        dx, sums = gradients(dy, dtotal, total, weight, ctx.is_centred, ctx.eps)
        return dx, dx, sums[0], sums[1] if ctx.is_centred else None, None


def layer_norm(x, weight, bias, eps=1e-5, residual=None):
    """Of rows of a multiple of 256 elements up to 1024, or of 1024 up to 4096. With a residual: the norm of x + residual, and
    that sum."""
    return _Norm.apply(x, weight, bias, eps) if residual is None else _AddNorm.apply(x, residual, weight, bias, eps)


def rms_norm(x, weight, eps=1e-6, residual=None):
    return _Norm.apply(x, weight, None, eps) if residual is None else _AddNorm.apply(x, residual, weight, None, eps)


class LayerNorm(torch.nn.Module):
    def __init__(self, width, eps=1e-5, device=None):
        super().__init__()
        prepare(width, True)
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.ones(width, device=device, dtype=torch.bfloat16))
        self.bias = torch.nn.Parameter(torch.zeros(width, device=device, dtype=torch.bfloat16))

    def forward(self, x, residual=None):
        return layer_norm(x, self.weight, self.bias, self.eps, residual)


class RMSNorm(torch.nn.Module):
    def __init__(self, width, eps=1e-6, device=None):
        super().__init__()
        prepare(width, False)
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.ones(width, device=device, dtype=torch.bfloat16))

    def forward(self, x, residual=None):
        return rms_norm(x, self.weight, self.eps, residual)
