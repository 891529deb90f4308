#!/usr/bin/env python3
"""generate.py - Generates with a model of Llama's shape, with tkc's kernels and beside it with torch's own functions.

    python generate.py                                  # random weights: 8 layers, width 2048
    python generate.py --model FOLDER --prompt 1,2,3    # config.json and *.safetensors of a Llama (heads of 128)

The prompt is computed by attention, each token after it by attention over pages of 128 keys. A token's step is a CUDA graph in
both. Tokens per second of both are printed, and their tokens compared with those of the same weights in float32 (TF32 is off):
where they differ first, how close float32 has the two candidates.
"""
import argparse
import glob
import json
import mmap
import os
import struct
import time
import types

import torch
import torch.nn.functional as F

from tkc import kernels

PAGE = 128  # keys
DTYPES = {"BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32}


# ---- Weights ---------------------------------------------------------------------------------------------------------------


def read_safetensors(path):
    """(name, tensor) of a file: a header in JSON, then the bytes."""
    with open(path, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    size = struct.unpack("<Q", data[:8])[0]
    for name, about in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        if about["dtype"] not in DTYPES:
            raise SystemExit(f"{path}: {name} has type {about['dtype']} when it should be one of {', '.join(DTYPES)}")
        first, last = about["data_offsets"]
        dtype = DTYPES[about["dtype"]]
        yield name, torch.frombuffer(data, dtype=dtype, count=(last - first) // dtype.itemsize,
                                     offset=8 + size + first).reshape(about["shape"])


def shape_of(config):
    """What the model is made of, in the names of Llama's config.json."""
    shape = types.SimpleNamespace(
        width=config["hidden_size"], layers=config["num_hidden_layers"], heads=config["num_attention_heads"],
        key_heads=config.get("num_key_value_heads", config["num_attention_heads"]), inner=config["intermediate_size"],
        words=config["vocab_size"], eps=config.get("rms_norm_eps", 1e-5), base=config.get("rope_theta", 10000.0))
    shape.of_head = config.get("head_dim") or shape.width // shape.heads
    if shape.of_head != 128:
        raise SystemExit(f"heads have {shape.of_head} elements when the paged kernels are for 128")
    return shape


def load(folder, device):
    with open(os.path.join(folder, "config.json")) as file:
        shape = shape_of(json.load(file))
    files = sorted(glob.glob(os.path.join(folder, "*.safetensors")))
    if not files:
        raise SystemExit(f"there is no *.safetensors in {folder}")
    by_name = {name: tensor.to(device, torch.bfloat16) for file in files for name, tensor in read_safetensors(file)}
    layers = []
    for number in range(shape.layers):
        of = {name: by_name[f"model.layers.{number}.{name}.weight"] for name in (
            "input_layernorm", "post_attention_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
            "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")}
        layers.append(types.SimpleNamespace(
            first=of["input_layernorm"], second=of["post_attention_layernorm"],
            qkv=torch.cat([of[f"self_attn.{which}_proj"] for which in "qkv"]), out=of["self_attn.o_proj"],
            up=torch.cat([of["mlp.gate_proj"], of["mlp.up_proj"]]), down=of["mlp.down_proj"]))
    words = by_name["model.embed_tokens.weight"]
    return shape, types.SimpleNamespace(words=words, layers=layers, last=by_name["model.norm.weight"],
                                        head=by_name.get("lm_head.weight", words))


def random_weights(shape, device, seed):
    torch.manual_seed(seed)

    def matrix(rows, cols):
        return (torch.randn(rows, cols, device=device) * cols**-0.5).bfloat16()

    def ones():
        return torch.ones(shape.width, device=device, dtype=torch.bfloat16)

    of_heads, of_keys = shape.heads * shape.of_head, shape.key_heads * shape.of_head
    layers = [types.SimpleNamespace(first=ones(), second=ones(), qkv=matrix(of_heads + 2 * of_keys, shape.width),
                                    out=matrix(shape.width, of_heads), up=matrix(2 * shape.inner, shape.width),
                                    down=matrix(shape.width, shape.inner)) for _ in range(shape.layers)]
    return types.SimpleNamespace(words=matrix(shape.words, shape.width), layers=layers, last=ones(),
                                 head=matrix(shape.words, shape.width))


# ---- The two sets of functions -----------------------------------------------------------------------------------------------


class Ours:
    """tkc's kernels. The cache of a layer is (pages, key heads, 128 keys, 128), and each sequence has its own pages in order."""

    name = "tkc"
    linear, rotary = staticmethod(kernels.linear), staticmethod(kernels.rotary_qk)

    @staticmethod
    def norm(x, weight, eps, residual=None):
        return kernels.rms_norm(x, weight, eps, residual)

    def __init__(self, shape, batch, most, device):
        self.pages_each = -(-most // PAGE)
        size = (batch * self.pages_each, shape.key_heads, PAGE, shape.of_head)
        self.caches = [tuple(torch.zeros(size, device=device, dtype=torch.bfloat16) for _ in "kv") for _ in range(shape.layers)]
        self.pages = torch.arange(size[0], device=device, dtype=torch.int32).reshape(batch, -1)
        self.firsts = self.pages[:, 0].long()

    def prefill(self, layer, q, k, v):
        batch, heads, rows, width = k.shape
        for cache, new in zip(self.caches[layer], (k, v)):
            padded = F.pad(new, (0, 0, 0, self.pages_each * PAGE - rows))
            cache.copy_(padded.reshape(batch, heads, self.pages_each, PAGE, width).transpose(1, 2).reshape(cache.shape))
        return kernels.attention(q, k, v, causal=True)

    def decode(self, layer, q, k, v, place):
        batch = q.shape[0]
        for cache, new in zip(self.caches[layer], (k, v)):
            cache[self.firsts + place // PAGE, :, place % PAGE] = new[:, :, 0]
        lengths = (place + 1).int().expand(batch).contiguous()
        return kernels.decode(q[:, :, 0].contiguous(), *self.caches[layer], self.pages, lengths)[:, :, None]


class Torchs:
    """torch's own functions; the cache of a layer is (batch, key heads, keys, 128)."""

    name, dtype = "torch", torch.bfloat16
    linear = staticmethod(F.linear)

    @staticmethod
    def norm(x, weight, eps, residual=None):
        x = x if residual is None else x + residual
        y = F.rms_norm(x, (x.shape[-1],), weight, eps)
        return y if residual is None else (y, x)

    @staticmethod
    def rotary(q, k, cos, sin):
        def turned(x):
            a, b = x.float().chunk(2, -1)
            return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(x.dtype)

        return turned(q), turned(k)

    def __init__(self, shape, batch, most, device):
        size = (batch, shape.key_heads, most, shape.of_head)
        self.caches = [tuple(torch.zeros(size, device=device, dtype=self.dtype) for _ in "kv") for _ in range(shape.layers)]
        self.places = torch.arange(most, device=device)

    def prefill(self, layer, q, k, v):
        for cache, new in zip(self.caches[layer], (k, v)):
            cache[:, :, : new.shape[2]] = new
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    def decode(self, layer, q, k, v, place):
        for cache, new in zip(self.caches[layer], (k, v)):
            cache[:, :, place] = new
        seen = (self.places <= place)[None, None, None]
        return F.scaled_dot_product_attention(q, *self.caches[layer], attn_mask=seen, enable_gqa=True)


class Exact(Torchs):
    """The same in float32: what rounding to bf16 moves tokens away from. Attention is torch's plain one, of two matmuls."""

    name, dtype = "float32", torch.float32

    def prefill(self, *given):
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            return super().prefill(*given)

    def decode(self, *given):
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            return super().decode(*given)

    @staticmethod
    def weights(given):
        """Those of a model, in float32."""
        def wide(of):
            return types.SimpleNamespace(**{name: x.float() if isinstance(x, torch.Tensor) else [wide(layer) for layer in x]
                                            for name, x in vars(of).items()})

        return wide(given)


# ---- The model -----------------------------------------------------------------------------------------------------------------


def forward(shape, weights, use, tokens, cos, sin, place=None):
    """Logits, in float32, of the last token of each sequence. `place` is that of the one token, where there is a cache."""
    batch, rows = tokens.shape
    of_heads, of_keys = shape.heads * shape.of_head, shape.key_heads * shape.of_head
    x, branch = None, F.embedding(tokens, weights.words)
    for number, layer in enumerate(weights.layers):
        y, x = (use.norm(branch, layer.first, shape.eps), branch) if x is None else use.norm(branch, layer.first, shape.eps, x)
        q, k, v = (part.reshape(batch, rows, -1, shape.of_head).transpose(1, 2)
                   for part in use.linear(y, layer.qkv).split((of_heads, of_keys, of_keys), -1))
        q, k = use.rotary(q, k, cos, sin)
        o = use.prefill(number, q, k, v) if place is None else use.decode(number, q, k, v, place)
        y, x = use.norm(use.linear(o.transpose(1, 2).reshape(batch, rows, of_heads), layer.out), layer.second, shape.eps, x)
        gate, up = use.linear(y, layer.up).chunk(2, -1)
        branch = use.linear(F.silu(gate) * up, layer.down)
    y, _ = use.norm(branch[:, -1:].contiguous(), weights.last, shape.eps, x[:, -1:].contiguous())
    return use.linear(y, weights.head)[:, 0].float()


def tables(shape, most, device):
    half = shape.of_head // 2
    angles = torch.arange(most, device=device)[:, None] / shape.base ** (torch.arange(half, device=device) / half)
    return angles.cos().float(), angles.sin().float()


class Step:
    """One token after the other: a CUDA graph where there is a GPU. `place` and `tokens` are its inputs, `logits` its output."""

    def __init__(self, shape, weights, use, batch, most, device):
        self.tables = cos, sin = tables(shape, most, device)  # kept: a graph reads them, and holds on to nothing
        self.place = torch.zeros(1, device=device, dtype=torch.long)
        self.tokens = torch.zeros(batch, 1, device=device, dtype=torch.long)

        def run():
            self.logits = forward(shape, weights, use, self.tokens, cos[self.place], sin[self.place], self.place)
            self.tokens.copy_(self.logits.argmax(-1, keepdim=True))
            self.place += 1

        self.run = run

    def capture(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.run()
        self.run = graph.replay


@torch.no_grad()
def generate(shape, weights, use, prompt, count):
    """The tokens (batch, count), the logits of each, and seconds of the prompt and of the rest."""
    device, (batch, rows) = prompt.device, prompt.shape
    most = -(-(rows + count) // PAGE) * PAGE
    use = use(shape, batch, most, device)
    is_gpu = device.type == "cuda"
    wait = torch.cuda.synchronize if is_gpu else lambda: None
    cos, sin = (table[:rows].contiguous() for table in tables(shape, most, device))
    step = Step(shape, weights, use, batch, most, device)
    if is_gpu:
        # The libraries of both are loaded, then the step is captured.
        forward(shape, weights, use, prompt, cos, sin)
        step.run()
        step.capture()
    wait()
    start = time.perf_counter()
    logits = forward(shape, weights, use, prompt, cos, sin)
    tokens, seen = [logits.argmax(-1, keepdim=True)], [logits]
    wait()
    seconds_of_prompt = time.perf_counter() - start
    step.tokens.copy_(tokens[0])
    step.place.fill_(rows)
    start = time.perf_counter()
    for _ in range(count - 1):
        step.run()
        tokens.append(step.tokens.clone())
        seen.append(step.logits.clone())
    wait()
    return torch.cat(tokens, 1), torch.stack(seen, 1), seconds_of_prompt, time.perf_counter() - start


def compare(name, tokens, exact, logits, exact_logits):
    """Whether these are the tokens of float32, in words: at a first difference, what the logits of float32 say of both
    candidates, and by how much the logits differ."""
    equal, explained = 0, True
    for sequence in range(tokens.shape[0]):
        different = (tokens[sequence] != exact[sequence]).nonzero()
        if not len(different):
            equal += 1
            continue
        at = int(different[0])
        here, there = logits[sequence, at], exact_logits[sequence, at]
        taken, wanted = int(tokens[sequence, at]), int(exact[sequence, at])
        gap = float(there[wanted] - there[taken])
        apart = float((here - there).abs().max())
        explained = explained and gap <= 2 * apart
        print(f"{name:5}: sequence {sequence}, token {at}: {taken} when float32 has {wanted}, whose logit is {gap:.4f} above; "
              f"logits differ by {float((here - there).std()):.4f}, at most {apart:.4f}, of {float(there.std()):.2f}")
    print(f"{name:5}: {equal} of {tokens.shape[0]} sequences have the {tokens.shape[1]} tokens of float32" +
          ("" if equal == tokens.shape[0] else "; each first difference is a near tie" if explained else "; NOT explained by a tie"))
    return explained


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="a folder with config.json and *.safetensors")
    parser.add_argument("--prompt", help="tokens, as 1,2,3; else random ones")
    parser.add_argument("--rows", type=int, default=512, help="tokens of a random prompt")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--count", type=int, default=64, help="tokens to generate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda", help="cpu with TKC_CPU=emulator tries it without a GPU, slowly")
    for name, value in (("width", 2048), ("layers", 8), ("heads", 16), ("key-heads", 4), ("inner", 5632), ("words", 32000)):
        parser.add_argument(f"--{name}", type=int, default=value, help="of random weights")
    options = parser.parse_args()
    if options.model:
        shape, weights = load(options.model, options.device)
    else:
        shape = shape_of({"hidden_size": options.width, "num_hidden_layers": options.layers, "num_attention_heads": options.heads,
                          "num_key_value_heads": options.key_heads, "intermediate_size": options.inner,
                          "vocab_size": options.words, "head_dim": 128})
        weights = random_weights(shape, options.device, options.seed)
    if options.prompt:
        prompt = torch.tensor([[int(token) for token in options.prompt.split(",")]], device=options.device)
    else:
        prompt = torch.randint(shape.words, (options.batch, options.rows), device=options.device)
    results = []
    for use in (Ours, Torchs):
        for _ in range(2 if options.device == "cuda" else 1):  # the first one compiles and warms up
            result = generate(shape, weights, use, prompt, options.count)
        results.append(result)
        tokens = prompt.shape[0] * (options.count - 1)
        print(f"{use.name:5}: prompt {prompt.numel() / result[2]:10.0f} tokens/s, then {tokens / result[3]:8.1f} tokens/s "
              f"({1e3 * result[3] / max(options.count - 1, 1):.3f} ms a step)")
    torch.backends.cuda.matmul.allow_tf32 = False
    exact, exact_logits, *_ = generate(shape, Exact.weights(weights), Exact, prompt, options.count)
    print("tokens of the first sequence:", *exact[0, :16].tolist(), "...")
    explained = [compare(use.name, tokens, exact, logits, exact_logits) for use, (tokens, logits, *_) in zip((Ours, Torchs), results)]
    return 0 if explained[0] else 1


if __name__ == "__main__":
    raise SystemExit(main())
