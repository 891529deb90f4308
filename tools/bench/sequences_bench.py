#!/usr/bin/env python3
"""Checks the emitted kernels of the examples that work on sequences on the GPU, and times them.

    for e in rotary linear_attention gated_delta mamba2 based hedgehog; do build/bin/tkc dsl-examples/$e.tk -o FOLDER/$e.cu; done
    sequences_bench.py FOLDER [--only EXAMPLE ...] [--beside FOLDER] [--no-timing] [--without-peers]

Checking: against float64 (recurrences chunk by chunk, which is exact to the kernel's own error), with NaN in the
outputs beforehand. Timing (memory_bound.py): inputs rotated past three times the L2 cache, beside what a copy of as many
bytes takes; rotary beside torch.compile of the same formula, the others beside the libraries of
sequences_peers.py, where they can be imported.
"""

import argparse
import ctypes
import os
import sys
import tempfile

import torch

import sequences_peers as peers
from bursts import abi, build_all, device_line, tensor_of
from memory_bound import finish, like, new_result, relative, report, sources_of
from sequences_peers import add_peer


def caller(library, name):
    function = getattr(library, name)
    function.restype = abi.Status

    def prepare(*tensors, scalars=()):
        views = [tensor_of(tensor) for tensor in tensors]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        pointers = [ctypes.byref(view) for view in views]

        def call(views=views):
            status = function(*pointers, *scalars, stream)
            if status.code:
                sys.exit(f"{name}: {status.message.decode()}")

        return call

    return prepare


def draw(*shape, by=1.0, dtype=torch.bfloat16):
    return (by * torch.randn(*shape, device="cuda")).to(dtype)


def tables(rows, head):
    angles = torch.arange(rows, device="cuda")[:, None] * 10000.0 ** (-torch.arange(head // 2, device="cuda") * 2 / head)
    return angles.cos().contiguous(), angles.sin().contiguous()


def rotate(x, c, s, interleaved=False):
    a, z = (x[..., 0::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
    parts = a * c - z * s, z * c + a * s
    return (torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)).to(x.dtype)


def recurrence(q, k, v, first, logs, chunk=64):
    """Outputs and the last state, in float64; logs, to the base 2, are those of each position's decay, (batch, heads, length)."""
    q, k, v, state, logs = (x.double() for x in (q, k, v, first, logs))
    outputs = []
    for at in range(0, q.shape[2], chunk):
        part = [x[:, :, at : at + chunk] for x in (q, k, v)]
        now = logs[:, :, at : at + chunk].cumsum(2)[..., None]
        decays = torch.exp2((now - now.transpose(2, 3)).clamp(max=0)).tril()
        inside = (part[0] @ part[1].transpose(2, 3)).mul(decays) @ part[2]
        outputs.append(inside + torch.exp2(now) * (part[0] @ state))
        kept = part[2] * torch.exp2(now[:, :, -1:] - now)
        state = torch.exp2(now[:, :, -1:]) * state + part[1].transpose(2, 3) @ kept
    return torch.cat(outputs, 2), state


LENGTHS = (1, 2, 63, 64, 65, 127, 128, 129, 1000, 16384)
TIMED_LENGTHS = (1024, 2048, 3072, 6144, 12288)


# Kernel: head size, whether neighbours are a point, and whether it turns Q and K.
ROTARIES = {"rotary": (64, False, False), "rotary_128": (128, False, False), "rotary_interleaved": (64, True, False),
            "rotary_interleaved_128": (128, True, False), "rotary_qk": (128, False, True), "rotary_qk_64": (64, False, True),
            "rotary_qk_interleaved": (128, True, True)}
ROTARY_TIMES = [("rotary", 16, (16,), 1024), ("rotary", 16, (16,), 3072), ("rotary", 16, (16,), 12288), ("rotary_128", 16, (8,), 2048),
                ("rotary_128", 16, (8,), 6144), ("rotary_interleaved_128", 16, (8,), 6144), ("rotary_qk", 4, (32, 8), 4096),
                ("rotary_qk_interleaved", 4, (32, 8), 4096)]


def draw_rotary(batch, heads, rows, head, swapped=False):
    """Tensors with so many heads, the tables, and the results."""
    draw_one = lambda n: draw(batch, rows, n, head).transpose(1, 2) if swapped else draw(batch, n, rows, head)
    xs = [draw_one(n) for n in heads]
    return [*xs, *tables(rows, head), *map(like, xs)]


def check_rotary(result, label, name, tensors):
    count = len(tensors) // 2 - 1
    c, s = (table.double() for table in tensors[count : count + 2])
    errors = [relative(y, rotate(x.double(), c, s, ROTARIES[name][1])) for x, y in zip(tensors, tensors[count + 2 :])]
    result["checks"][label] = max(errors)


def rotary(libraries, result, is_timed):
    for name, (head, _, both) in ROTARIES.items():
        for rows in LENGTHS:
            for batch, heads, swapped in ((1, (1, 1), False), (2, (5, 2), True)):
                tensors = draw_rotary(batch, heads if both else heads[:1], rows, head, swapped)
                caller(libraries["tkc"], name)(*tensors)()
                check_rotary(result, f"{name} {batch} {heads} {rows}{' swapped' * swapped}", name, tensors)
    for name, batch, heads, rows in ROTARY_TIMES if is_timed else ():
        head, interleaved, _ = ROTARIES[name]
        sets = [draw_rotary(batch, heads, rows, head) for _ in range(3)]
        calls = {}
        for label, library in libraries.items():
            if not hasattr(library, name):
                continue
            calls[label] = [caller(library, name)(*tensors) for tensors in sets]
            for y in sets[0][len(heads) + 2 :]:
                y.fill_(float("nan"))
            calls[label][0]()
            check_rotary(result, f"{label} {name} {batch} {heads} {rows}", name, sets[0])
        torch._dynamo.reset()  # or it would compile for any shape
        compiled = torch.compile(lambda xs, c, s: [rotate(x, c, s, interleaved) for x in xs], dynamic=False)
        calls["compiled"] = [lambda t=t: compiled(t[: len(heads)], *t[len(heads) : len(heads) + 2]) for t in sets]
        report(result, name, (batch, heads, rows, head), calls, 2 * 2 * sum(x.numel() for x in sets[0][: len(heads)]))


def draw_linear(batch, heads, rows, head, decays, strong=False):
    q, k, v = (draw(batch, heads, rows, head, by=head**-0.25) for _ in range(3))
    first = draw(batch, heads, head, head, dtype=torch.float32)
    logs = -torch.rand(heads, device="cuda") * (20 if strong else 1) * decays
    return [q, k, v, like(q), first, like(first), logs]


def check_linear(result, name, tensors):
    q, k, v, o, first, last, logs = tensors
    truth, state = recurrence(q, k, v, first, logs[:, None].expand(q.shape[:3]))
    result["checks"][name] = max(relative(o, truth), relative(last, state))


def linear_attention(libraries, result, is_timed):
    def prepare(tensors, decays, label="tkc"):
        head = tensors[0].shape[3]
        name = ("fading_attention" if decays else "linear_attention") + ("" if head == 64 else f"_{head}")
        return name, caller(libraries[label], name)(*tensors)

    for head in (64, 128):
        for decays, strong in ((False, False), (True, False), (True, True)):
            for rows in LENGTHS:
                tensors = draw_linear(2, 3, rows, head, decays, strong)
                name, call = prepare(tensors, decays)
                call()
                check_linear(result, f"{name} {rows}{' strong' * strong}", tensors)
    rows_timed = [(64, False, 3072), (64, True, 3072), (128, False, 3072)] + [(128, True, rows) for rows in TIMED_LENGTHS]
    for head, decays, rows in rows_timed if is_timed else ():
        sets = [draw_linear(16, 16, rows, head, decays) for _ in range(3)]
        name = prepare(sets[0], decays)[0]
        calls = {}
        for label in libraries:
            calls[label] = [prepare(tensors, decays, label)[1] for tensors in sets]
            calls[label][0]()
            check_linear(result, f"{label} {name} 16x16 {rows}", sets[0])
        if decays:
            add_peer(result, calls, "simple_gla", lambda: peers.linear_attention([(*t[:3], t[4], t[6]) for t in sets]),
                     lambda found: relative(found, sets[0][3]))
        size = 4 * 2 * sets[0][0].numel() + 2 * 4 * sets[0][4].numel()
        report(result, name, (16, 16, rows, head), calls, size)


def draw_delta(batch, heads, rows, strong=False):
    """Tensors of gated_delta.tk; the second head of three sees one key again and again, and keeps all that it knows."""
    q, k, v = (draw(batch, heads, rows, 128) for _ in range(3))
    k[:, 1::3] = k[:, 1::3, :1]
    k = (k.float() / k.float().norm(dim=-1, keepdim=True)).to(k.dtype)
    of_positions = lambda: torch.rand(batch, heads, (rows + 3) // 4 * 4, device="cuda")[..., :rows]  # rows of whole 16 bytes
    g, beta = of_positions(), of_positions()
    g *= -20 if strong else -0.1
    g[:, 1::3] = 0
    beta **= 0.25
    first = draw(batch, heads, 128, 128, dtype=torch.float32)
    return [q, k, v, g, beta, like(q), first, like(first)]


def delta_rule(q, k, v, g, beta, first, scale):
    """Outputs and the last state, position by position, in float64."""
    q, k, v, g, beta, state = (x.double() for x in (q, k, v, g, beta, first))
    outputs = torch.empty_like(q)
    for t in range(q.shape[2]):
        row = k[:, :, t, None]
        state = g[:, :, t, None, None].exp() * state
        state = state + row.transpose(2, 3) @ (beta[:, :, t, None, None] * (v[:, :, t, None] - row @ state))
        outputs[:, :, t] = scale * (q[:, :, t, None] @ state)[:, :, 0]
    return outputs, state


def gated_delta(libraries, result, is_timed):
    scale = ctypes.c_float(128**-0.5)
    run = lambda label, tensors: caller(libraries[label], "gated_delta")(*tensors, scalars=[scale])

    def check(name, tensors, rows):
        truth, state = delta_rule(*tensors[:5], tensors[6], scale.value)
        result["checks"][name] = max(relative(tensors[5], truth), relative(tensors[7], state))

    for strong in (False, True):
        for rows in LENGTHS:
            tensors = draw_delta(2, 3, rows, strong)
            run("tkc", tensors)()
            check(f"gated_delta {rows}{' strong' * strong}", tensors, rows)
    for rows in TIMED_LENGTHS if is_timed else ():
        sets = [draw_delta(16, 16, rows) for _ in range(3)]
        calls = {label: [run(label, tensors) for tensors in sets] for label in libraries}
        add_peer(result, calls, "fla chunk_gated_delta_rule", lambda: peers.gated_delta([(*t[:5], t[6]) for t in sets]),
                 lambda found: relative(found, sets[0][5]))
        report(result, "gated_delta", (16, 16, rows, 128), calls, sum(x.numel() * x.element_size() for x in sets[0]))


def draw_mamba(batch, heads, groups, rows, states, strong=False):
    """Tensors of mamba2.tk, the outputs full of NaN; as mamba_ssm has them, heads of a position side by side."""
    side_by_side = lambda count, width: draw(batch, rows, count, width).transpose(1, 2)
    x, b, c = side_by_side(heads, 64), side_by_side(groups, states), side_by_side(groups, states)
    dt = draw(batch, rows, (heads + 3) // 4 * 4, dtype=torch.float32)[..., :heads]  # rows of a multiple of 16 bytes
    bias = draw(heads, dtype=torch.float32) - 3
    a = -torch.rand(heads, device="cuda") * 16 - (100 if strong else 1)
    first = draw(batch, heads, 64, states, dtype=torch.float32)
    y, last = like(x), like(first)
    return [x, dt, a, b, c, draw(heads, dtype=torch.float32), bias, first, y, last]


def check_mamba(result, name, tensors):
    x, dt, a, b, c, d, bias, first, y, last = tensors
    steps = torch.nn.functional.softplus(dt.double() + bias).transpose(1, 2)
    k, q = (values.repeat_interleave(x.shape[1] // values.shape[1], 1) for values in (b, c))
    logs = steps * a[:, None] * 1.4426950408889634
    truth, state = recurrence(q, k, x.double() * steps[..., None], first.transpose(2, 3), logs)
    truth += d[:, None, None] * x
    result["checks"][name] = max(relative(y, truth), relative(last, state.transpose(2, 3)))


def mamba2(libraries, result, is_timed):
    for states, name in ((64, "mamba2"), (128, "mamba2_128")):
        for strong in (False, True):
            for rows in LENGTHS:
                for heads, groups in ((1, 1), (6, 2), (5, 5)):
                    tensors = draw_mamba(2, heads, groups, rows, states, strong)
                    caller(libraries["tkc"], name)(*tensors)()
                    check_mamba(result, f"{name} {rows} {heads}/{groups}{' strong' * strong}", tensors)
        for rows in TIMED_LENGTHS if is_timed else ():
            sets = [draw_mamba(16, 16, 1, rows, states) for _ in range(3)]
            calls = {}
            for label, library in libraries.items():
                calls[label] = [caller(library, name)(*tensors) for tensors in sets]
                calls[label][0]()
                check_mamba(result, f"{label} {name} 16x16 {rows}", sets[0])
            if states == 64:
                close = lambda found: relative(found, sets[0][8])
                inputs = [tensors[:8] for tensors in sets]
                add_peer(result, calls, "mamba_ssm, chunks of 256", lambda: peers.mamba(inputs, 256), close)
                add_peer(result, calls, "simple_gla, x dt and A dt given", lambda: peers.mamba_as_attention(inputs),
                         lambda found: close(found + inputs[0][5][:, None, None] * inputs[0][0]))
            size = sum(tensor.numel() * tensor.element_size() for tensor in sets[0])
            report(result, name, (16, 16, rows, 64, states), calls, size)


def features(x):
    """Those of based.tk."""
    pairs = torch.stack([x * x.roll(-d, -1) for d in range(1, 9)], -2)
    pairs[..., 7, 8:] = 0
    pairs[..., 7, 8] = 1
    return torch.cat([pairs.flatten(-2), x * x / 2**0.5, x], -1)


def draw_based(batch, heads, rows):
    q, k, v = (draw(batch, rows, heads, width).transpose(1, 2) for width in (16, 16, 64))
    last = torch.full((batch, heads, 64, 160), float("nan"), device="cuda")
    return [q, k, v, like(v), last]


def check_based(result, name, tensors):
    """The first and the last head of all, against their definition."""
    q, k, v, o, last = tensors
    for at in {(0, 0), (q.shape[0] - 1, q.shape[1] - 1)}:
        qs, ks, vs = (x[at].double() for x in (q, k, v))
        s = qs @ ks.T / 4
        error = max(relative(o[at], (1 + s + s * s / 2).tril() @ vs), relative(last[at], vs.T @ features(ks)))
        result["checks"][f"{name} {at}"] = error


def based(libraries, result, is_timed):
    scale = ctypes.c_float(0.25)
    for rows in LENGTHS:
        for batch, heads in ((1, 1), (1, 2), (2, 3), (3, 6)):
            tensors = draw_based(batch, heads, rows)
            caller(libraries["tkc"], "based")(*tensors, scalars=[scale])()
            check_based(result, f"based {batch}x{heads} {rows}", tensors)
    for rows in TIMED_LENGTHS if is_timed else ():
        sets = [draw_based(16, 16, rows) for _ in range(3)]
        calls = {}
        for label, library in libraries.items():
            calls[label] = [caller(library, "based")(*tensors, scalars=[scale]) for tensors in sets]
            calls[label][0]()
            check_based(result, f"{label} based 16x16 {rows}", sets[0])
        if rows <= 3072:  # far behind in longer rows, too
            for name in ("fused_chunk_based", "parallel_based"):
                add_peer(result, calls, name, lambda: peers.based([t[:3] for t in sets], name),
                         lambda found: relative(found, sets[0][3]))
        size = sum(tensor.numel() * tensor.element_size() for tensor in sets[0])
        report(result, "based", (16, 16, rows, 16, 64), calls, size)


def draw_hedgehog(batch, heads, rows):
    q, k, v = (draw(batch, heads, rows, 128) for _ in range(3))
    maps = [draw(heads, 128, 64, by=0.15) for _ in range(2)]
    states = [torch.full((batch, heads, *shape), float("nan"), device="cuda") for shape in ((128, 128), (128,))]
    return [q, k, v, like(q), *maps, *states, 3 * torch.rand(heads, device="cuda"), torch.rand(heads, device="cuda")]


def hedgehog_features(x, m):
    x = x @ m
    return torch.cat([x.softmax(-1), (-x).softmax(-1)], -1)


def without_window(tensors):
    """The first head's positions, each the sum over all up to it of the matmuls of features times v, in float64."""
    q, k, v, _, map_q, map_k = (x[0].double() for x in tensors[:6])
    weights = hedgehog_features(q[0], map_q) @ hedgehog_features(k[0], map_k).T
    return weights.tril() @ v[0]


def check_hedgehog(result, name, tensors):
    """The first and the last head of all, against their definition; some rows of long ones."""
    q, k, v, o, map_q, map_k, state, sums, alpha, beta = tensors
    rows = q.shape[2]
    at = torch.arange(rows, device="cuda")
    some = at if rows < 4096 else torch.cat([at[:130], at[-1000:]])
    ago = some[:, None] // 64 - at // 64
    window = (ago <= 1) & (at <= some[:, None])
    for b, h in {(0, 0), (q.shape[0] - 1, q.shape[1] - 1)}:
        qs, ks, vs = (x[b, h].double() for x in (q, k, v))
        of_keys = hedgehog_features(ks, map_k[h].double())
        scores = (qs[some] @ ks.T * 128**-0.5).masked_fill(~window, -torch.inf)
        weights = beta[h].double() * (scores - scores.amax(-1, keepdim=True)).exp()
        weights += (alpha[h] * hedgehog_features(qs[some], map_q[h].double()) @ of_keys.T).masked_fill(ago < 2, 0)
        old = of_keys[: max(0, rows - 1) // 64 * 64]
        errors = [relative(o[b, h, some], weights @ vs / weights.sum(-1, keepdim=True))]
        if len(old):
            errors += [relative(state[b, h], old.T @ vs[: len(old)]), relative(sums[b, h], old.sum(0))]
        elif state[b, h].any() or sums[b, h].any():
            errors = [float("inf")]
        result["checks"][f"{name} {b, h}"] = max(errors)


def hedgehog(libraries, result, is_timed):
    scale = ctypes.c_float(128**-0.5)
    for rows in LENGTHS:
        for batch, heads in ((1, 1), (1, 2), (2, 3), (3, 5)):
            tensors = draw_hedgehog(batch, heads, rows)
            caller(libraries["tkc"], "hedgehog")(*tensors, scalars=[scale])()
            check_hedgehog(result, f"hedgehog {batch}x{heads} {rows}", tensors)
    for rows in TIMED_LENGTHS if is_timed else ():
        sets = [draw_hedgehog(16, 16, rows) for _ in range(3)]
        calls = {}
        for label, library in libraries.items():
            calls[label] = [caller(library, "hedgehog")(*tensors, scalars=[scale]) for tensors in sets]
            calls[label][0]()
            check_hedgehog(result, f"{label} hedgehog 16x16 {rows}", sets[0])
        if rows == 3072:  # no peer has the window: this one is compared with what it computes, features of all positions
            add_peer(result, calls, "compiled features and simple_gla, without the window",
                     lambda: peers.hedgehog([(*t[:3], *t[4:6]) for t in sets], hedgehog_features),
                     lambda found: relative(found[0, 0], without_window(sets[0])))
        size = sum(tensor.numel() * tensor.element_size() for tensor in sets[0])
        report(result, "hedgehog", (16, 16, rows, 128, 128), calls, size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--beside", action="append", default=[], metavar="FOLDER",
                        help="time what another version emitted beside it, under the folder's name")
    parser.add_argument("--no-timing", action="store_true", help="only checks")
    parser.add_argument("--without-peers", action="store_true", help="they take a minute to set up")
    parser.add_argument("--only", nargs="*", default=[], metavar="EXAMPLE")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    torch.manual_seed(0)
    print(device_line(), flush=True)
    result = {**new_result(), "left out": {}, "without peers": options.without_peers}
    folders = {"tkc": options.folder, **{os.path.basename(other.rstrip("/")): other for other in options.beside}}
    with tempfile.TemporaryDirectory() as place:
        for measure in (rotary, linear_attention, gated_delta, mamba2, based, hedgehog):
            name = measure.__name__
            if not options.only or name in options.only:
                measure(build_all(sources_of(name, folders), place, "-" + name), result, not options.no_timing)
    return finish(result, 6e-3, options.json)


if __name__ == "__main__":
    sys.exit(main())
