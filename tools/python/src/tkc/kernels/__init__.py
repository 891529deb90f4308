"""tkc.kernels - Ready kernels as functions and modules of torch.

    from tkc import kernels

    y = kernels.linear(x, weight)                              # with gradients, as attention, norms and the rest
    o = kernels.attention(q, k, v, causal=True)                # (batch, heads, rows, 64 or 128), grouped heads too
    norm = kernels.RMSNorm(4096)

All tensors are bf16 on a GPU, but where a function says otherwise; with TKC_CPU on the CPU, too. Gradients are kernels.
"""
from .attention import attention, decode, scaled_dot_product_attention
from .linear import Fp8Linear, Linear, linear, linear_fp8, quantize_weight
from .losses import cross_entropy
from .norms import LayerNorm, RMSNorm, layer_norm, rms_norm
from .rotary import rotary, rotary_qk

__all__ = ["Fp8Linear", "LayerNorm", "Linear", "RMSNorm", "attention", "cross_entropy", "decode", "layer_norm", "linear", "linear_fp8",
           "quantize_weight", "rms_norm", "rotary", "rotary_qk", "scaled_dot_product_attention"]
