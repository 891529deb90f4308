"""tkc.kernels - The examples as functions and modules of torch.

    from tkc import kernels

    y = kernels.linear(x, weight)                              # with gradients, as attention, rotary and the rest
    o = kernels.attention(q, k, v, causal=True)                # (batch, heads, rows, 64 or 128), grouped heads too
    norm = kernels.RMSNorm(4096)

All tensors are bf16 on a GPU, but where a function says otherwise. What has no kernel of its own for the gradient computes that
with torch.
"""
from .attention import attention, decode
from .linear import linear
from .losses import cross_entropy
from .norms import LayerNorm, RMSNorm, layer_norm, rms_norm
from .rotary import rotary

__all__ = ["LayerNorm", "RMSNorm", "attention", "cross_entropy", "decode", "layer_norm", "linear", "rms_norm", "rotary"]
