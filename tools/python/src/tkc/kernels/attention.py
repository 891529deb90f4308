"""attention.py - softmax(Q Kᵀ scale) V, its gradients, and one query against a paged cache."""
import torch

from ..arrays import aligned
from . import sources

ops = sources.define("attention.tk", ("attention", "attention_causal", "attention_64", "attention_64_causal"))
ops |= sources.define("attention_backward.tk", (
    "attention_backward", "attention_backward_causal", "attention_backward_64", "attention_backward_64_causal",
    "attention_backward_begin", "attention_backward_begin_64", "attention_backward_end", "attention_backward_end_64"))
ops |= sources.define("attention_decode.tk", ("attention_split", "attention_join", "attention_whole"))


def _gradients(q, k, v, o, l, do, scale, causal):
    size = "_64" if q.shape[-1] == 64 else ""
    do = aligned(do)
    level, delta, total = ops["attention_backward_begin" + size](o, do, l)
    backward = ops["attention_backward" + size + ("_causal" if causal else "")]
    dk, dv = backward(q, k, v, do, level, delta, total, scale)  # adds to total
    return ops["attention_backward_end" + size](total), dk, dv


# One operator without side effects, so that a compiled graph has no tensor that is added to between two others.
_library = torch.library.Library(sources.NAMESPACE, "FRAGMENT")
_library.define("attention_gradients(Tensor q, Tensor k, Tensor v, Tensor o, Tensor l, Tensor do, float scale, bool causal) -> "
                "(Tensor, Tensor, Tensor)")
_library.impl("attention_gradients", _gradients, "CUDA")
torch.library.register_fake(f"{sources.NAMESPACE}::attention_gradients", lambda q, k, v, o, l, do, scale, causal: tuple(
    torch.empty(x.shape, dtype=x.dtype, device=x.device) for x in (q, k, v)), lib=_library)


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, scale, causal):
        size = "_64" if q.shape[-1] == 64 else ""
        o, l = ops["attention" + size + ("_causal" if causal else "")](q, k, v, scale)
        ctx.save_for_backward(q, k, v, o, l)
        ctx.scale, ctx.causal = scale, causal
        return o

    @staticmethod
    def backward(ctx, do):
        gradients = torch.ops.tkc.attention_gradients(*ctx.saved_tensors, do, ctx.scale, ctx.causal)
        return *gradients, None, None


def attention(q, k, v, causal=False, scale=None):
    """q is (batch, heads, rows, D), k and v (batch, key heads, keys, D); D is 64 or 128, and heads may share key heads."""
    if q.shape[-1] not in (64, 128):
        raise ValueError(f"attention is for heads of 64 or 128 elements, these have {q.shape[-1]}")
    return _Attention.apply(q, k, v, float(q.shape[-1] ** -0.5 if scale is None else scale), causal)


def decode(q, k, v, pages, lengths, scale=None, splits=None):
    """q is (batch, heads, 128), the cache k and v (pages, key heads, 128 keys, 128), pages (batch, pages of a sequence) and
    lengths (batch), int32. Returns (batch, heads, 128). `splits` of the keys keep all SMs busy; at most 64."""
    batch, heads, width = q.shape
    key_heads = k.shape[1]
    group = heads // key_heads
    rows = batch * key_heads
    scale = float(width**-0.5 if scale is None else scale)
    if splits is None:
        sms = torch.cuda.get_device_properties(q.device).multi_processor_count
        splits = max(1, min(64, sms // rows, pages.shape[1]))
    grouped = q.reshape(batch, key_heads, group, width)
    of_splits = torch.empty(rows, splits, -(-group // 4) * 4, device=q.device, dtype=torch.float32)[..., :group]
    if splits == 1:
        whole = torch.empty(rows, 1, group, width, device=q.device, dtype=torch.bfloat16)
        ops["attention_whole"](grouped, k, v, pages, lengths, whole, of_splits, scale)
        return whole.reshape(batch, heads, width)
    part = torch.empty(rows, splits, group, width, device=q.device, dtype=torch.float32)
    ops["attention_split"](grouped, k, v, pages, lengths, part, of_splits, scale)
    joined = torch.empty(rows, group, width, device=q.device, dtype=torch.bfloat16)
    ops["attention_join"](part.transpose(1, 2), of_splits, joined)
    return joined.reshape(batch, heads, width)
