"""calls.py - Calls of emitted kernels on tensors of torch, and when an attention is right.

The bounds are those of tkc_run/attention.py.
"""

import ctypes
import sys

import torch

from bursts import abi, tensor_of

BF16_ROUNDING, SCORE_STEP, TANH_STEP = 2.0**-8, 2.0**-18, 2.0**-10


def prepare(library, name, tensors, scalars):
    """A call of the function, which may be made many times."""
    function = getattr(library, name)
    function.restype = abi.Status
    views = [tensor_of(tensor) for tensor in tensors]
    pointers = [ctypes.byref(view) for view in views]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def call(views=views, tensors=tensors):
        status = function(*pointers, *scalars, stream)
        if status.code:
            sys.exit(f"{name}: {status.message.decode()}")

    return call


def draw(*shape, by=1.0, outliers=False, swapped=False):
    batch, heads, rows, head = shape
    values = by * torch.randn(batch, rows, heads, head, device="cuda")
    if outliers:
        values += 10 * torch.randn_like(values) * (torch.rand_like(values) < 1e-3)
    values = values.bfloat16().transpose(1, 2)
    return values if swapped else values.contiguous()


def truth(q, k, v, scale, change):
    """O, L, and the sum of |p v|."""
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1).double(), v.repeat_interleave(group, 1).double()
    scores = change(q.double() @ k.transpose(2, 3) * scale)
    sums = scores.logsumexp(3)
    p = (scores - sums.masked_fill(sums.isinf(), 0)[..., None]).exp()
    return p @ v, sums, p @ v.abs()


def wrong_elements(result, expected, allowed):
    error = (result.double() - expected).abs()
    error[result == expected] = 0  # two infinities are equal
    return int((~(error <= allowed)).sum()), error


def judge(o, l, expected, sums, magnitude, error, rounds_sums=False):
    """The relative error of O, and a message if something is wrong. `rounds_sums`: L is of rounded weights."""
    allowed = BF16_ROUNDING * expected.abs() + (BF16_ROUNDING + error) * magnitude + 1e-6
    bad, difference = wrong_elements(o, expected, allowed)
    relative = float(difference.norm() / expected.norm().clamp_min(1e-30))
    allowed_sums = error + 2.0**-20 * sums.masked_fill(sums.isinf(), 0).abs() + (BF16_ROUNDING if rounds_sums else 1e-6)
    bad_sums, sum_difference = wrong_elements(l, sums, allowed_sums)
    if o.isnan().any() or l.isnan().any():
        return relative, f"{int(o.isnan().sum())} NaN in O, {int(l.isnan().sum())} in L"
    if bad:
        return relative, f"{bad} elements of O are wrong, by up to {float(difference.max()):.3g}"
    if bad_sums:
        return relative, f"{bad_sums} elements of L are wrong, by up to {float(sum_difference.max()):.3g}"
    return relative, ""
