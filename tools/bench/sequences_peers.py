"""sequences_peers.py - Other libraries' kernels for sequences: flash-linear-attention (fla) and mamba_ssm.

They are not part of this project: whoever wants them beside puts them on PYTHONPATH (their Triton parts are pure Python).
One that cannot be imported, fails, or computes something else than tkc's kernel did is named with the reason, and left out.
Tensors are those of the kernel, by name.
"""

import functools
import importlib

import torch

LN2 = 0.6931471805599453


def find(module, function):
    return getattr(importlib.import_module(module), function)


def heads_last(x):
    """(batch, heads, length, ...) as libraries want it: (batch, length, heads, ...), in memory too."""
    return x.transpose(1, 2).contiguous()


def simple_gla(t):
    """chunk_simple_gla with a decay for each head."""
    function = find("fla.ops.simple_gla.chunk", "chunk_simple_gla")
    q, k, v = (heads_last(t[name]) for name in "QKV")
    arguments = {"g_gamma": (t["Log"] * LN2).float(), "scale": 1.0, "initial_state": t["First"], "output_final_state": True}
    return lambda: function(q, k, v, **arguments)[0].transpose(1, 2)


def gated_delta(t):
    function = find("fla.ops.gated_delta_rule", "chunk_gated_delta_rule")
    q, k, v, g, beta = (heads_last(t[name]) for name in ("Q", "K", "V", "G", "Beta"))
    arguments = {"g": g, "beta": beta, "scale": q.shape[3] ** -0.5, "initial_state": t["First"], "output_final_state": True}
    return lambda: function(q, k, v, **arguments)[0].transpose(1, 2)


def mamba(t):
    """mamba_ssm, by chunks of 256."""
    function = find("mamba_ssm.ops.triton.ssd_combined", "mamba_chunk_scan_combined")
    x, b, c = (heads_last(t[name]) for name in "XBC")
    arguments = {"D": t["D"], "dt_bias": t["Bias"], "initial_states": t["First"], "dt_softplus": True, "return_final_states": True}
    return lambda: function(x, t["Dt"], t["A"], b, c, 256, **arguments)[0].transpose(1, 2)


@functools.cache
def side_stream():
    """Where a gradient's forward pass runs, so that its backward pass runs there, too, and can be recorded."""
    return torch.cuda.Stream()


def mamba_gradients(t):
    """All gradients that mamba_ssm computes, and of X what it returns."""
    function = find("mamba_ssm.ops.triton.ssd_combined", "mamba_chunk_scan_combined")
    x, b, c, dy = (heads_last(t[name]) for name in ("X", "B", "C", "dY"))
    inputs = [value.detach().clone().requires_grad_() for value in (x, t["Dt"], t["A"], b, c, t["D"], t["Bias"], t["First"])]
    x, dt, a, b, c, d, bias, first = inputs
    side_stream().wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side_stream()):
        y = function(x, dt, a, b, c, 256, D=d, dt_bias=bias, initial_states=first, dt_softplus=True, return_final_states=True)
    return lambda: torch.autograd.grad(y, inputs, (dy, t["dLast"]), retain_graph=True)[0].transpose(1, 2)


def mamba_as_attention(t):
    """The same through chunk_simple_gla, which gets what mamba_ssm computes first: x dt and A dt; it has no D."""
    function = find("fla.ops.simple_gla.chunk", "chunk_simple_gla")
    dt = torch.nn.functional.softplus(t["Dt"] + t["Bias"])
    heads = t["X"].shape[1]
    k, q = (heads_last(t[name].repeat_interleave(heads // t[name].shape[1], 1)) for name in "BC")
    v, g = (heads_last(t["X"]) * dt[..., None]).to(t["X"].dtype), (dt * t["A"]).float()
    state = t["First"].transpose(2, 3).contiguous()
    arguments = {"g": g, "scale": 1.0, "initial_state": state, "output_final_state": True}
    return lambda: function(q, k, v, **arguments)[0].transpose(1, 2)


def based(name, t):
    """fla's kernels of the second-order Taylor map."""
    function = find(f"fla.ops.based.{name}", name + "_based")
    return lambda: function(*(t[x].transpose(1, 2) for x in "QKV"), use_norm=False).transpose(1, 2)


def features(x, m):
    """Those of hedgehog.tk."""
    x = x @ m
    return torch.cat([x.softmax(-1), (-x).softmax(-1)], -1)


def hedgehog(t):
    """chunk_simple_gla on features that torch.compile computes; no window, which no peer has."""
    function = find("fla.ops.simple_gla.chunk", "chunk_simple_gla")
    torch._dynamo.reset()  # or it would compile for any shape
    compiled = torch.compile(lambda x, m: heads_last(features(x, m)), dynamic=False)
    values, none = heads_last(t["V"]), torch.zeros(t["Q"].shape[1], device="cuda")

    def attend():
        x, y = compiled(t["Q"], t["MapQ"]), compiled(t["K"], t["MapK"])
        return function(x, y, values, g_gamma=none, scale=1.0, output_final_state=True)[0].transpose(1, 2)

    return attend


def without_window(t):
    """What `hedgehog` computes for the first head, in float64."""
    q, k, v, map_q, map_k = (t[name][(0,) * (t[name].dim() - 2)].double() for name in ("Q", "K", "V", "MapQ", "MapK"))
    return (features(q, map_q) @ features(k, map_k).T).tril() @ v


def candidates(kernel, t):
    """Label: what makes the call, and what it must return, of a tensor's part if that is enough."""
    of_all, length = lambda x: x, t[next(iter(t))].shape[2]
    if kernel.startswith("fading_attention"):
        yield "fla simple_gla", simple_gla, of_all, lambda: t["O"]
    if kernel == "gated_delta":
        yield "fla", gated_delta, of_all, lambda: t["O"]
    if kernel == "mamba2":
        yield "mamba_ssm", mamba, of_all, lambda: t["Y"]
        yield "fla simple_gla", mamba_as_attention, of_all, lambda: t["Y"] - t["D"][:, None, None] * t["X"]
    if kernel == "mamba2_backward":
        yield "mamba_ssm", mamba_gradients, of_all, lambda: t["dX"]
    if kernel == "based" and length <= 3072:  # far behind in longer rows, too
        for name in ("fused_chunk", "parallel"):
            yield f"fla {name.replace('_', ' ')}", functools.partial(based, name), of_all, lambda: t["O"]
    if kernel == "hedgehog" and length == 3072:
        yield "fla, no window", hedgehog, lambda x: x[0, 0], lambda: without_window(t)


def recorded(call):
    """The call as a CUDA graph, for these libraries take longer to launch their kernels than the kernels run."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side_stream()):
        call()
    return lambda kept=call: graph.replay()  # reads what the call holds, too


@functools.cache
def say(text):
    """Once, however many copies of the tensors there are."""
    print(text, flush=True)


def calls(kernel, tensors):
    """{label: call} of the libraries whose results agree with those that tkc's kernel has left in the tensors."""
    made = {}
    for label, make, part, expected in candidates(kernel, tensors):
        try:
            call = make(tensors)
            found, truth = part(call()).double(), expected().double()
            error = float((found - truth).norm() / truth.norm())
            if not error < 2e-2:
                raise ValueError(f"its relative difference is {error:.3g}")
            made[label] = recorded(call)
        except Exception as caught:  # whatever is wrong with a peer, the others go on
            text = (str(caught).strip() or "no reason").splitlines()[0]
            say(f"{kernel}: left out {label} ({type(caught).__name__}: {text[:200]})")
    return made
