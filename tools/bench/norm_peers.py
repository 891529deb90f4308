"""norm_peers.py - Layer norm with dropout and a residual, by torch.compile and by Triton with a row for each program."""
import torch
import triton
import triton.language as tl


@triton.jit
def triton_norm(x, residual, w, b, sums, y, seed, p, eps, drops: tl.constexpr, width: tl.constexpr):
    cols = tl.arange(0, width)
    at = tl.program_id(0) * width + cols
    s = tl.load(x + at).to(tl.float32)
    if drops:
        s = tl.where(tl.rand(seed, at) < p, 0.0, s / (1 - p))
    s += tl.load(residual + at).to(tl.float32)
    tl.store(sums + at, s.to(tl.bfloat16))
    s -= tl.sum(s, 0) / width
    s *= tl.rsqrt(tl.sum(s * s, 0) / width + eps)
    tl.store(y + at, (s * tl.load(w + cols).to(tl.float32) + tl.load(b + cols).to(tl.float32)).to(tl.bfloat16))


def calls(tensors, eps, p):
    """Of tensors with rows of the whole width."""
    x, residual, w, b, sums, y = (tensors[name] for name in ("X", "Residual", "W", "B", "Sum", "Y"))
    length, width = x.shape
    w, b = w.view(width), b.view(width)

    def norm(x, residual):
        s = residual + torch.nn.functional.dropout(x, p, True)
        return s, torch.nn.functional.layer_norm(s, (width,), w, b, eps)

    torch._dynamo.reset()  # or it would compile for any width
    compiled = torch.compile(norm)
    warps = max(1, min(16, width // 512))
    arguments = (x, residual, w, b, sums, y, 7, p, eps, p > 0, width)
    return {"compiled": lambda: compiled(x, residual), "triton": lambda: triton_norm[(length,)](*arguments, num_warps=warps)}
