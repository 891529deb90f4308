"""sequences.py - The family of kernels that carry a state along a sequence: linear attention, state spaces, feature maps."""
from .cases import table_family
from .feature_maps import based, hedgehog
from .recurrences import gated_delta, linear_attention, linear_attention_backward, linear_attention_varlen, mamba2

# Kernel: its example, what makes a case, the fixed extent, and shapes at the edges of its tiles.
HEADS = [(1, 1, 1), (1, 2, 63), (2, 1, 64), (1, 3, 65), (2, 2, 200)]
MIXED = [(1, 1, 1, 1), (1, 2, 1, 63), (2, 3, 1, 64), (1, 6, 2, 65), (1, 20, 1, 130), (1, 2, 2, 200)]
LENGTHS = [(1, 1), (2, 63, 65), (1, 64, 0, 128, 1), (3, 200, 5, 70)]
GRADIENTS = [(1, 1, 1, 0), (1, 2, 63, 1), (2, 1, 64, 0), (1, 3, 65, 1), (1, 3, 65, 0), (2, 2, 200, 1), (1, 3, 1000, 0)]
KERNELS = {
    "linear_attention": ("linear_attention", linear_attention, (64, False), HEADS),
    "linear_attention_128": ("linear_attention", linear_attention, (128, False), HEADS),
    "fading_attention": ("linear_attention", linear_attention, (64, True), HEADS),
    "fading_attention_128": ("linear_attention", linear_attention, (128, True), HEADS),
    "linear_attention_varlen": ("linear_attention_varlen", linear_attention_varlen, 128, LENGTHS),
    "linear_attention_backward": ("linear_attention_backward", linear_attention_backward, 128, GRADIENTS),
    "linear_attention_backward_64": ("linear_attention_backward", linear_attention_backward, 64, GRADIENTS),
    "gated_delta": ("gated_delta", gated_delta, 128, HEADS),
    "mamba2": ("mamba2", mamba2, (64, 64), MIXED),
    "mamba2_128": ("mamba2", mamba2, (64, 128), MIXED),
    "based": ("based", based, 0.25, HEADS),
    "hedgehog": ("hedgehog", hedgehog, 64, HEADS),
}

TIMED = (1024, 2048, 3072, 6144, 12288)
ROWS = [(kernel, "16x16x3072") for kernel in ("linear_attention", "fading_attention", "linear_attention_128")]
ROWS += [(kernel, f"16x16x{n}") for kernel in ("fading_attention_128", "gated_delta", "based", "hedgehog") for n in TIMED]
ROWS += [(kernel, f"16x16x1x{n}") for kernel in ("mamba2", "mamba2_128") for n in TIMED]
ROWS += [("linear_attention_backward", "16x16x3072x1"), ("linear_attention_varlen", "16x4096x1024x3072x8192")]


def peers(problem, kernel, tensors):
    """flash-linear-attention and mamba_ssm, where they can be imported and compute the same."""
    import sequences_peers

    return sequences_peers.calls(kernel, tensors)


FAMILY = table_family("sequences", KERNELS, ROWS, peers, {name: ["--set=scale=0.1"] for name in ("gated_delta", "hedgehog")})
