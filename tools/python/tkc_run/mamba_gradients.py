"""mamba_gradients.py - The gradients of Mamba-2, in the two kernels of mamba2_backward.tk, checked against the recurrence in float64.

The truth is that of H = exp(A dt) H + dt x^T b, y = H c + D x, position by position. The kernels sum the gradient of A dt within a
chunk of 64 positions, so what it may differ by is that of all terms of the chunk that come after a position.
"""
import numpy as np

from . import abi
from .cases import FP32, Case, Output, table_family
from .compare import BF16_ROUNDING
from .draws import exact, filled, generator, normal
from .recurrences import DECAY
from .tensors import HostTensor, SwappedTensor

CHUNK = 64
ROUNDED = 2 * BF16_ROUNDING + DECAY  # the state, and what is added to it or scores within the chunk
STEP = 2.0**-23 / ROUNDED  # softplus adds to 1 in fp32: steps differ by 2^-23 and are right only as if they were larger by this
STATES = ("X", "Dt", "A", "B", "C", "Bias", "First", "dY", "dC", "Reads", "States")
GRADIENTS = ("X", "Dt", "A", "B", "C", "D", "Bias", "dY", "dLast", "Reads", "States", "dX", "dB", "dDt", "Rates", "Skips", "dFirst")


class Recurrence:
    """All states H and gradients G of them, and sums of the magnitudes of their terms: (length, batch, heads, P, N). Of what
    comes after a position, the sums of the last positions of the chunks."""

    def __init__(self, x, steps, keeps, b, c, d, first, last):
        length = x.shape[2]
        self.h, self.g = (np.empty((2, length, *first.shape)) for _ in range(2))
        self.after = {}
        outer = lambda x, y: np.stack([x[..., :, None] * y[..., None, :], np.abs(x)[..., :, None] * np.abs(y)[..., None, :]])
        state, gradient = (np.stack([x, np.abs(x)]) for x in (first, last))
        for t in range(length):
            step = np.stack([steps[t], steps[t] + STEP])
            state = keeps[t] * state + step * outer(x[:, :, t], b[:, :, t])
            self.h[:, t] = state
        for t in reversed(range(length)):
            if (t + 1) % CHUNK == 0 or t + 1 == length:
                self.after[t] = gradient[1]
            gradient = gradient + outer(d[:, :, t], c[:, :, t])
            self.g[:, t] = gradient
            gradient = keeps[t] * gradient
        self.first = gradient


def gradients(seed, kernel, shape, size):
    """For (batch, heads, groups, length); of three heads, one forgets next to nothing, one nearly all."""
    batch, heads, groups, length = shape
    width, states = size
    rng = generator(seed, kernel, shape)
    of_positions = (batch, heads, length)
    x, d = (normal(rng, (*of_positions, width), kind=SwappedTensor) for _ in range(2))
    b, c = (normal(rng, (batch, groups, length, states), states**-0.25, kind=SwappedTensor) for _ in range(2))
    raw_steps = 2 * rng.standard_normal((batch, length, heads)) - 2
    raw_steps[rng.random(raw_steps.shape) < 0.02] = 25  # where softplus is the identity
    of_heads = lambda values: filled(np.resize(values, heads))
    dt, a, bias, skip = filled(raw_steps), of_heads([-0.01, -1, -30]), of_heads([0.5, -9, 0]), of_heads([1, -0.5])
    first, last = (normal(rng, (batch, heads, width, states), dtype=abi.F32) for _ in range(2))
    chunks = -(-length // CHUNK)
    names = ("dX", "dB", "dC", "dFirst", "dDt", "Rates", "Skips", "Reads", "States")
    extents = [x.extents, (*of_positions, states), (*of_positions, states), first.extents, *[of_positions] * 4]
    kinds = [SwappedTensor] * 3 + [HostTensor] * 5
    outputs = {name: Output(kind(extent, dtype=abi.BF16 if kind is SwappedTensor else abi.F32))
               for name, kind, extent in zip(names, kinds, extents)}
    outputs["States"] = Output(HostTensor((batch, heads, (chunks + 1) * width, states)))

    def solve():
        xs, ds, bs, cs, raw, rates, biases, skips, before, final = exact(x, d, b, c, dt, a, bias, skip, first, last)
        raw = (raw + biases).transpose(1, 0, 2)  # (length, batch, heads)
        steps = np.logaddexp(0, raw)
        factors = np.exp(steps * rates)
        bs, cs = (np.repeat(values, heads // groups, axis=1) for values in (bs, cs))
        path = Recurrence(xs, steps[..., None, None], factors[..., None, None], bs, cs, ds, before, final)
        expect = lambda name, truth, allowed: outputs[name].expect(truth, allowed + 1e-6)

        scale = steps.transpose(1, 2, 0)
        loose = scale + STEP

        def read(form, of, *others):
            """A product with the states or gradients, and the magnitude of its terms."""
            return [np.einsum(form, part, *(np.abs(other) if k else other for other in others)) for k, part in enumerate(of)]

        dc, dc_size = read("tbhpn,bhtp->bhtn", path.h, ds)
        db, db_size = read("tbhpn,bhtp,bht->bhtn", path.g, xs, scale)
        db_size *= (loose / scale)[..., None]
        gb, gb_size = read("tbhpn,bhtn->bhtp", path.g, bs)
        dx = scale[..., None] * gb
        for name, truth, magnitude in (("dC", dc, dc_size), ("dB", db, db_size), ("dX", dx, loose[..., None] * gb_size)):
            truth = truth + skips[:, None, None] * ds if name == "dX" else truth
            expect(name, truth, ROUNDED * magnitude + BF16_ROUNDING * np.abs(truth))
        expect("dFirst", path.first[0], (BF16_ROUNDING + DECAY) * path.first[1])
        expect("Skips", (xs * ds).sum(-1), FP32 * np.abs(xs * ds).sum(-1))
        reads_size = (np.abs(cs) * dc_size).sum(-1)
        expect("Reads", (cs * dc).sum(-1), ROUNDED * reads_size)
        ends = [path.h[:, min(length, end) - 1] for end in range(CHUNK, length + CHUNK, CHUNK)]
        kept, magnitude = (np.concatenate(parts, axis=2) for parts in zip((before, np.abs(before)), *ends))
        expect("States", kept, (2 * BF16_ROUNDING + DECAY) * magnitude)

        each, each_size = (xs * gb).sum(-1), (np.abs(xs) * gb_size).sum(-1)
        earlier = np.concatenate([before[None], path.h[0, :-1]])
        rate = np.einsum("tbhpn,tbhpn,tbh->bht", path.g[0], earlier, factors)
        unsure = np.empty(of_positions)
        for begin in range(0, length, CHUNK):
            part = slice(begin, min(length, begin + CHUNK))
            terms = (reads_size + loose * each_size)[:, :, part]
            end = (path.after[part.stop - 1] * path.h[1, part.stop - 1]).sum((-2, -1))[..., None]
            sums = np.cumsum(terms[..., ::-1], -1)[..., ::-1]
            unsure[:, :, part] = ROUNDED * (sums + end) + FP32 * sums[..., :1]
        expect("Rates", rate * scale, unsure * loose)
        slope = 1 / (1 + np.exp(-raw.transpose(1, 2, 0)))
        rates = rates[:, None]
        expect("dDt", (each + rates * rate) * slope, (ROUNDED * each_size + np.abs(rates) * unsure) * slope)

    inputs = {"X": x, "Dt": dt, "A": a, "B": b, "C": c, "D": skip, "Bias": bias, "First": first, "dY": d, "dLast": last}
    return Case({**inputs, **outputs}, solve=solve, calls={"mamba2_backward_states": STATES, kernel: GRADIENTS})


def peers(problem, kernel, tensors):
    """mamba_ssm, where it can be imported and computes the same."""
    import sequences_peers

    return sequences_peers.calls(kernel, tensors)


SHAPES = [(1, 1, 1, 1), (1, 2, 1, 63), (2, 3, 1, 64), (1, 6, 2, 65), (1, 3, 1, 1000)]
KERNELS = {"mamba2_backward": ("mamba2_backward", gradients, (64, 64), SHAPES)}
FAMILY = table_family("mamba_gradients", KERNELS, [("mamba2_backward", f"16x16x1x{n}") for n in (1024, 3072, 12288)], peers)
