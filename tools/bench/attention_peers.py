"""attention_peers.py - FlexAttention, for attention whose scores are changed or whose keys are hidden, and FlashAttention-3 where
its module is installed and its kernels know the form.

A form is one of tkc_run/attention.py's; what a peer computes must be what tkc's kernel has left in O.
"""
import functools
import importlib.util

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from tkc_run.attention import Alibi, Causal, Document, Softcap, Window


def changes(form, tensors):
    """What FlexAttention is told: how scores change, and which keys rows see."""
    if isinstance(form, Softcap):
        return lambda score, b, h, row, key: form.cap * torch.tanh(score / form.cap), None
    if isinstance(form, Alibi):
        slopes = tensors["more_0"]
        return lambda score, b, h, row, key: score + slopes[h] * (key - row), lambda b, h, row, key: key <= row
    if isinstance(form, Window):
        return None, lambda b, h, row, key: (key <= row) & (key > row - form.window)
    if isinstance(form, Document):
        starts = tensors["more_0"]
        return None, lambda b, h, row, key: (key <= row) & (key >= starts[b, row])
    return None, (lambda b, h, row, key: key <= row) if isinstance(form, Causal) else None


@functools.cache
def compiled(form):
    """Once for all tensors of a problem, whose form this is."""
    torch._dynamo.reset()  # or it would compile for any shape
    return torch.compile(flex_attention, dynamic=False)


def flash_attention_3(form, tensors):
    """A call of FlashAttention-3, or None: its tensors are (batch, rows, heads, D)."""
    if not importlib.util.find_spec("flash_attn_interface"):
        return None
    if isinstance(form, Window):
        options = {"window_size": (form.window - 1, 0)}
    elif isinstance(form, Softcap):
        options = {"softcap": form.cap}
    else:
        return None
    from flash_attn_interface import flash_attn_func

    q, k, v = (tensors[name].transpose(1, 2) for name in "QKV")

    def call():
        out = flash_attn_func(q, k, v, **options)
        return (out[0] if isinstance(out, tuple) else out).transpose(1, 2)

    return call


def flex(form, tensors):
    q, k, v = (tensors[name] for name in "QKV")
    change, sees = changes(form, tensors)
    batches, heads = (q.shape[0] if isinstance(form, Document) else None), None
    mask = create_block_mask(sees, batches, heads, q.shape[2], k.shape[2], device="cuda") if sees else None
    return lambda: compiled(form)(q, k, v, score_mod=change, block_mask=mask)


def calls(form, tensors):
    found = {"flex": flex(form, tensors)}
    if call := flash_attention_3(form, tensors):
        found["fa3"] = call
    ours = tensors["O"].double()
    for label, call in found.items():
        error = float((call().double() - ours).norm() / ours.norm())
        if not error < 2e-2:
            raise ValueError(f"{label}'s relative difference is {error:.3g}")
    return found
