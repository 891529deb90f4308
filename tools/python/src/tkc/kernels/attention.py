"""attention.py - softmax(Q Kᵀ scale) V, its gradients, and one query against a paged cache."""
import functools

import torch

from ..arrays import aligned
from . import sources
from .sources import composite

BACKWARD = "attention_backward"
SMALL = 64.0  # the largest softcap of attention_softcap_small
# Kernels of the examples that have a name of their own; the rest are instances.
_NAMED = {("attention.tk", 128, False): "attention", ("attention.tk", 128, True): "attention_causal",
          ("attention.tk", 64, False): "attention_64", ("attention.tk", 64, True): "attention_64_causal",
          ("attention_textbook.tk", 128, False): "attention_textbook",
          ("attention_textbook.tk", 128, True): "attention_textbook_causal"}


@functools.cache
def forward_kernel(width, causal, window, softcap, precise, is_small=False):
    """The kernel, and which of window and softcap it takes; both are whether there is one, `is_small` whether softcap is at most SMALL."""
    if not window and not softcap:
        file = "attention_textbook.tk" if precise else "attention.tk"
        if (file, width, causal) in _NAMED:
            return getattr(sources.library(file), _NAMED[file, width, causal]), ()
        return sources.instance(file, "attention_textbook", D=width, Causal=causal), ()
    if not precise and not softcap:
        return sources.instance("attention_variants.tk", "attention_window", D=width), ("window",)
    if not precise and not window and not causal:
        name = "attention_softcap_small" if is_small else "attention_softcap"
        return sources.instance("attention_variants.tk", name, D=width), ("softcap",)
    return sources.instance("attention_general.tk", "attention_general", D=width, Causal=causal, Window=window,
                            Bounded=softcap), ("window", "softcap")


@functools.cache
def backward_kernels(width, causal, window, softcap):
    """What rows need, the gradients, and rounding; and whether the second takes window and softcap."""
    library, size = sources.library(BACKWARD + ".tk"), "_64" if width == 64 else ""
    begin, end = (getattr(library, f"{BACKWARD}_{part}{size}") for part in ("begin", "end"))
    if not window and not softcap:
        return begin, getattr(library, BACKWARD + size + ("_causal" if causal else "")), end, False
    name = "attention_general_backward"
    return begin, sources.instance(name + ".tk", name, D=width, Causal=causal, Window=window, Bounded=softcap,
                                   Part=64 if width == 64 else 32), end, True


@functools.cache
def ordered_kernels(width, causal):
    """The gradients of keys and values, and those of queries, whose sums have a fixed order."""
    return (sources.instance(BACKWARD + ".tk", BACKWARD, D=width, Causal=causal, AddsToSum=False),
            sources.instance(BACKWARD + "_queries.tk", BACKWARD + "_queries", D=width, Causal=causal))


# A new tensor without gaps, whose dimensions lie in memory as those of x: heads of one row stand side by side where they do in x,
# so that the projections around attention copy nothing.
like = torch.empty_like


def _rows_of(x):
    """(batch, heads, rows) of float32, rows padded to 16 bytes."""
    batch, heads, rows, _ = x.shape
    return torch.empty(batch, heads, -(-rows // 4) * 4, dtype=torch.float32, device=x.device)[..., :rows]


def _between(q):
    """Level, Delta and Sum of the gradients' kernels: in fragment order, so their rows are a multiple of 16."""
    batch, heads, rows, width = q.shape
    rows = -(-rows // 16) * 16
    return [torch.empty(batch, heads, *shape, dtype=torch.float32, device=q.device) for shape in ((rows,), (rows,), (rows, width))]


def _forward(q, k, v, scale, causal, window, softcap, precise):
    kernel, more = forward_kernel(q.shape[-1], causal, window > 0, softcap > 0, precise, softcap <= SMALL)
    more = [window if name == "window" else softcap or 1.0 for name in more]
    return kernel.below_autograd(q, k, v, scale, *more, O=like(q))  # L is made


def _gradients(q, k, v, o, l, do, scale, causal, window, softcap, deterministic):
    begin, backward, end, takes_more = backward_kernels(q.shape[-1], causal, window > 0, softcap > 0)
    do = aligned(do)
    level, delta, total = _between(q)
    begin.below_autograd(o, do, l, level, delta, total)
    dq, dk, dv = like(q), like(k), like(v)
    if deterministic:
        of_keys, of_queries = ordered_kernels(q.shape[-1], causal)
        of_keys.below_autograd(q, k, v, do, level, delta, total, dk, dv, scale)
        of_queries.below_autograd(q, k, v, do, level, delta, dq, scale)
        return dq, dk, dv
    more = (window, softcap or 1.0) if takes_more else ()
    backward.below_autograd(q, k, v, do, level, delta, total, dk, dv, scale, *more)  # adds to total
    end.below_autograd(total, dq)
    return dq, dk, dv


forward = composite(
    "attention", "(Tensor q, Tensor k, Tensor v, float scale, bool causal, int window, float softcap, bool precise) -> "
    "(Tensor, Tensor)", _forward, lambda q, k, v, scale, causal, window, softcap, precise: (like(q), _rows_of(q)))
gradients = composite(
    "attention_gradients", "(Tensor q, Tensor k, Tensor v, Tensor o, Tensor l, Tensor do, float scale, bool causal, int window, "
    "float softcap, bool deterministic) -> (Tensor, Tensor, Tensor)", _gradients,
    lambda q, k, v, o, l, do, scale, causal, window, softcap, deterministic: (like(q), like(k), like(v)))
PAGES = {128: "", 64: "_64", 16: "_16"}  # keys of a page, and what the kernels for it are called
ops = sources.define("attention_decode.tk", ("attention_join", *(f"attention_{form}{suffix}" for form in ("split", "whole")
                                                                for suffix in PAGES.values())))


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, scale, causal, window, softcap, precise, deterministic):
        o, l = forward(q, k, v, scale, causal, window, softcap, precise)
        ctx.save_for_backward(q, k, v, o, l)
        ctx.options = scale, causal, window, softcap, deterministic
        return o

    @staticmethod
    def backward(ctx, do):
        return *gradients(*ctx.saved_tensors, do, *ctx.options), *[None] * 6


def attention(q, k, v, causal=False, scale=None, window=None, softcap=None, precise=False, deterministic=False):
    """q is (batch, heads, rows, D), k and v (batch, key heads, keys, D); D is 64 or 128, and heads may share key heads.

    causal    the last row sees all keys, the one above it all but the last, and so on
    window    of the keys up to its own, a row sees the last `window`; implies causal
    softcap   scores stay between -softcap and softcap: softcap tanh(score / softcap)
    precise   the softmax of the papers: exact sums of weights; the default is faster (docs/design/softmax.md)
    deterministic
              the gradient of q is summed in a fixed order, so that launches agree to the bit; slower
    """
    if q.shape[-1] not in (64, 128):
        raise ValueError(f"attention is for heads of 64 or 128 elements, these have {q.shape[-1]}")
    if window is not None and window < 1:
        raise ValueError(f"window is {window} when a row sees one key at least; None is no window")
    if softcap is not None and softcap <= 0:
        raise ValueError(f"softcap is {softcap} when it should be above 0; None is no bound")
    if deterministic and (window is not None or softcap is not None):
        raise ValueError("gradients in a fixed order are built for attention without window and softcap; leave out deterministic")
    return _Attention.apply(q, k, v, float(q.shape[-1] ** -0.5 if scale is None else scale), causal or window is not None,
                            window or 0, float(softcap or 0), precise, deterministic)


def _fits(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa):
    """Whether attention computes what torch's function would."""
    return (attn_mask is None and dropout_p == 0 and query.dim() == 4 and query.shape[-1] in (64, 128)
            and key.shape == value.shape and query.shape[-1] == key.shape[-1] and query.shape[0] == key.shape[0]
            and all(x.dtype == torch.bfloat16 and (x.is_cuda or sources.on_cpu()) for x in (query, key, value))
            and (query.shape[1] == key.shape[1] or enable_gqa and query.shape[1] % key.shape[1] == 0)
            # torch's first row sees the first key, here the last row sees the last one
            and (not is_causal or query.shape[2] == key.shape[2]))


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """torch.nn.functional.scaled_dot_product_attention; what these kernels do not do, torch's does."""
    if not _fits(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa):
        more = {"enable_gqa": True} if enable_gqa else {}
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale,
                                                                **more)
    return attention(aligned(query), aligned(key), aligned(value), causal=is_causal, scale=scale)


def decode(q, k, v, pages, lengths, scale=None, splits=None):
    """q is (batch, heads, 128), the cache k and v (pages, key heads, keys of a page, 128), with pages of 16, 64 or 128 keys;
    pages (batch, pages of a sequence) and lengths (batch), int32. Returns (batch, heads, 128). `splits` of the keys keep all SMs busy; at most 64."""
    batch, heads, width = q.shape
    key_heads = k.shape[1]
    suffix = PAGES[k.shape[2]]
    group = heads // key_heads
    rows = batch * key_heads
    scale = float(width**-0.5 if scale is None else scale)
    if splits is None:
        sms = torch.cuda.get_device_properties(q.device).multi_processor_count if q.is_cuda else 1
        splits = max(1, min(64, sms // rows, pages.shape[1] * k.shape[2] // 64))
    grouped = q.reshape(batch, key_heads, group, width)
    of_splits = torch.empty(rows, splits, -(-group // 4) * 4, device=q.device, dtype=torch.float32)[..., :group]
    if splits == 1:
        whole = torch.empty(rows, 1, group, width, device=q.device, dtype=torch.bfloat16)
        ops["attention_whole" + suffix](grouped, k, v, pages, lengths, whole, of_splits, scale)
        return whole.reshape(batch, heads, width)
    part = torch.empty(rows, splits, group, width, device=q.device, dtype=torch.float32)
    ops["attention_split" + suffix](grouped, k, v, pages, lengths, part, of_splits, scale)
    joined = torch.empty(rows, group, width, device=q.device, dtype=torch.bfloat16)
    ops["attention_join"](part.transpose(1, 2), of_splits.transpose(1, 2), joined)
    return joined.reshape(batch, heads, width)
