"""sequences_peers.py - Other libraries' kernels for sequences: flash-linear-attention (fla) and mamba_ssm.

They are not part of this project: whoever wants them beside puts them on PYTHONPATH (their Triton parts are pure Python).
One that cannot be imported, fails, or computes something else than we do is named with the reason, and left out.
"""

import importlib
import time

import torch


def find(module, function):
    return getattr(importlib.import_module(module), function)


def recorded(call):
    """The call as a CUDA graph, for these libraries take longer to launch their kernels than the kernels run."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def add_peer(result, calls, label, make, compare):
    """Adds make(), a list of calls that return tensors, to `calls` if compare(what the first one returns) is small."""
    start = time.monotonic()
    if result["without peers"]:
        return
    try:
        made = make()
        error = compare(made[0]())
        made = [recorded(call) for call in made]
        problem = "" if error < 2e-2 else f"its relative difference is {error:.3g}"
    except Exception as caught:  # whatever is wrong with a peer, the others go on
        problem = f"{type(caught).__name__}: {str(caught).strip().splitlines()[0] if str(caught).strip() else ''}"[:200]
    if problem:
        print(f"left out: {label} ({problem})", flush=True)
        result["left out"][label] = problem
        return
    print(f"{label}: relative difference {error:.2e}, set up in {time.monotonic() - start:.1f} s", flush=True)
    calls[label] = made


def heads_last(x):
    """(batch, heads, length, ...) as libraries want it: (batch, length, heads, ...), in memory too."""
    return x.transpose(1, 2).contiguous()


def linear_attention(sets):
    """chunk_simple_gla with a decay for each head; `sets` are tuples (q, k, v, first state, decays as powers of two)."""
    function = find("fla.ops.simple_gla.chunk", "chunk_simple_gla")
    ln2 = 0.6931471805599453

    def call(q, k, v, first, logs):
        q, k, v = (heads_last(x) for x in (q, k, v))
        gamma = (logs * ln2).float()
        arguments = {"g_gamma": gamma, "scale": 1.0, "initial_state": first, "output_final_state": True}
        return lambda: function(q, k, v, **arguments)[0].transpose(1, 2)

    return [call(*tensors) for tensors in sets]


def gated_delta(sets):
    """chunk_gated_delta_rule; `sets` are tuples (q, k, v, logarithms of decays, betas, first state)."""
    function = find("fla.ops.gated_delta_rule", "chunk_gated_delta_rule")

    def call(q, k, v, g, beta, first):
        arguments = {"scale": q.shape[3] ** -0.5, "initial_state": first, "output_final_state": True}
        arguments |= {"g": heads_last(g), "beta": heads_last(beta)}
        q, k, v = (heads_last(x) for x in (q, k, v))
        return lambda: function(q, k, v, **arguments)[0].transpose(1, 2)

    return [call(*tensors) for tensors in sets]


def mamba(sets, chunk):
    """`sets` are tuples (x, dt, a, b, c, d, bias, first state), x, b and c in (batch, heads or groups, length, size)."""
    function = find("mamba_ssm.ops.triton.ssd_combined", "mamba_chunk_scan_combined")

    def call(x, dt, a, b, c, d, bias, first):
        x, b, c = (heads_last(values) for values in (x, b, c))
        return lambda: function(x, dt, a, b, c, chunk, D=d, dt_bias=bias, initial_states=first, dt_softplus=True,
                                return_final_states=True)[0].transpose(1, 2)

    return [call(*tensors) for tensors in sets]


def mamba_as_attention(sets):
    """The same through chunk_simple_gla, which gets what mamba_ssm computes first: x dt and A dt; it has no D."""
    function = find("fla.ops.simple_gla.chunk", "chunk_simple_gla")
    softplus = find("torch.nn.functional", "softplus")

    def call(x, dt, a, b, c, d, bias, first):
        dt = softplus(dt + bias)
        of_heads = lambda y: heads_last(y.repeat_interleave(x.shape[1] // y.shape[1], 1))
        q, k, v, g = of_heads(c), of_heads(b), (heads_last(x) * dt[..., None]).to(x.dtype), (dt * a).float()
        state = first.transpose(2, 3).contiguous()
        arguments = {"g": g, "scale": 1.0, "initial_state": state, "output_final_state": True}
        return lambda: function(q, k, v, **arguments)[0].transpose(1, 2)

    return [call(*tensors) for tensors in sets]


def based(sets, name):
    """fla's kernels of the second-order Taylor map; `sets` are tuples (q, k, v)."""
    function = find("fla.ops.based." + name.removesuffix("_based"), name)

    def call(q, k, v):
        return lambda: function(*(x.transpose(1, 2) for x in (q, k, v)), use_norm=False).transpose(1, 2)

    return [call(*tensors) for tensors in sets]


def hedgehog(sets, features):
    """chunk_simple_gla on features that torch.compile computes; `sets` are tuples (q, k, v, map of q, map of k)."""
    function = find("fla.ops.simple_gla.chunk", "chunk_simple_gla")
    compiled = torch.compile(lambda x, m: heads_last(features(x, m)), dynamic=False)

    def call(q, k, v, map_q, map_k):
        values, heads = heads_last(v), q.shape[1]
        none = torch.zeros(heads, device="cuda")

        def attend():
            x, y = compiled(q, map_q), compiled(k, map_k)
            return function(x, y, values, g_gamma=none, scale=1.0, output_final_state=True)[0].transpose(1, 2)

        return attend

    return [call(*tensors) for tensors in sets]
