"""gallery_peers.py - What torch has for the kernels of test/gallery, on their tensors, by name.

"its matmul" is the matmul of a kernel alone, "bf16 matmul" that of weights that were widened beforehand. Of "torch 0", "torch 1" the
bench keeps the fastest.
"""
import functools

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel


@functools.cache
def compiled_for(function, shapes):
    torch._dynamo.reset()  # or it would compile for any shape
    return torch.compile(function, dynamic=False)


def compiled(function, *tensors):
    """A call that is compiled once for all tensors of these shapes."""
    call = compiled_for(function, tuple(tensor.shape for tensor in tensors))
    return {"compiled": lambda: call(*tensors)}


def gated_mlp(t):
    x, weights = t["X"], torch.cat([t["G"], t["U"]], 1)

    def unfused():
        gate, up = (x @ weights).chunk(2, 1)
        return functional.silu(gate) * up

    return {"torch": unfused, "its matmul": lambda: torch.mm(x, weights)}


def norm_and_matmul(t):
    x, w = t["X"], t["W"]
    return {"torch": lambda: functional.rms_norm(x, (x.shape[1],)) @ w, "its matmul": lambda: torch.mm(x, w)}


def narrow_weights(t):
    """With as many weights of bf16."""
    x = t["X"]
    wide = torch.randn(t["W"].shape[0], x.shape[1], device="cuda", dtype=torch.bfloat16)
    return {"bf16 matmul": lambda: x @ wide.T}


def matmul_of_bytes(t):
    return {"torch, without scales": lambda: torch._int_mm(t["A"], t["B"].T)}


def loss_without_logits(t):
    x, w, target = t["X"], t["W"], t["Target"].long()
    return {"torch": lambda: functional.cross_entropy(x @ w.T, target, reduction="none"), "its matmul": lambda: x @ w.T}


def matrix_vector(t):
    return {"torch": lambda: t["W"] @ t["X"]}


def attention_bias(t):
    q, k, v = (t[name] for name in "QKV")
    mask = t["B"][None].expand(q.shape[0], -1, -1, -1)

    def by(backend):
        def call():
            with sdpa_kernel(backend):
                functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)

        return call

    return {f"torch {i}": by(backend) for i, backend in enumerate((SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION))}


def few_rows(t):
    a, b = t["A"], t["B"]
    return {"torch": lambda: torch.mm(a, b)}


def few_queries(t):
    q, k, v = (t[name][None, None] for name in "QKV")
    return {"torch": lambda: functional.scaled_dot_product_attention(q, k, v)}


def least_distances(x, c, norms):
    return (norms - 2 * (x @ c.T)).min(1)


def losses(x, target):
    return functional.cross_entropy(x.float(), target, reduction="none")


def gelu_of_left(x):
    left, right = x.chunk(2, 1)
    return functional.gelu(left) * right


def norm(x, weight):
    return functional.rms_norm(x, (x.shape[1],), weight, 1e-5)


def argmax(t):
    return {"torch": lambda: t["X"].max(1)}


def transposed(t):
    return {"torch": lambda: t["X"].T.contiguous()}


PEERS = {each.__name__: each for each in (gated_mlp, norm_and_matmul, matmul_of_bytes, loss_without_logits, matrix_vector, few_rows,
                                          few_queries, attention_bias, argmax, transposed)}
PEERS["few_rows_by_warps"] = few_rows
PEERS |= {name: narrow_weights for name in ("weights_of_8_bits", "weights_of_4_bits")}
PEERS |= {
    "nearest_centre": lambda t: compiled(least_distances, t["X"], t["C"], t["Norm"]),
    "cross_entropy": lambda t: compiled(losses, t["X"], t["Target"].long()),
    "halves_of_rows": lambda t: compiled(gelu_of_left, t["X"]),
    "long_rows": lambda t: compiled(norm, t["X"], t["Weight"]),
}
