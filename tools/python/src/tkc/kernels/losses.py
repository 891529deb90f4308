"""losses.py - Cross entropy of logits."""
import torch

from . import sources

ops = sources.define("cross_entropy.tk", ("cross_entropy",))


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets):
        ctx.save_for_backward(logits, targets)
        return ops["cross_entropy"](logits, targets)

    @staticmethod
    def backward(ctx, dloss):
        logits, targets = ctx.saved_tensors
        grad = torch.softmax(logits.float(), -1)
        grad.scatter_add_(-1, targets.long()[:, None], torch.full_like(grad[:, :1], -1.0))
        return (grad * dloss[:, None]).to(logits.dtype), None


def cross_entropy(logits, targets):
    """The mean loss; logits are (rows, words), words a multiple of 8, targets (rows) of int32."""
    return _CrossEntropy.apply(logits, targets).mean()
