"""losses.py - Cross entropy of logits."""
import torch

from . import sources

ops = sources.define("losses.tk", ("cross_entropy", "cross_entropy_backward"))


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets):
        loss, l = ops["cross_entropy"](logits, targets)
        ctx.save_for_backward(logits, targets, l)
        return loss

    @staticmethod
    def backward(ctx, dloss):
        logits, targets, l = ctx.saved_tensors
        return ops["cross_entropy_backward"](logits, targets, l, dloss.contiguous()), None


def cross_entropy(logits, targets, reduction="mean"):
    """logits are (rows, words), words a multiple of 8, targets (rows) of int32. Rows whose target is no word, as -100, have no
    loss and do not count."""
    loss = _CrossEntropy.apply(logits, targets)
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum()
    if reduction != "mean":
        raise ValueError(f'reduction is {reduction!r} when it should be "none", "sum" or "mean"')
    return loss.sum() / ((targets >= 0) & (targets < logits.shape[-1])).sum()
