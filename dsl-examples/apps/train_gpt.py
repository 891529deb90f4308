#!/usr/bin/env python3
"""train_gpt.py - Trains a GPT, as nanoGPT is one, with tkc's kernels and beside it with torch's own functions.

    python train_gpt.py                        # three seeds, 300 steps each, both; losses, times, loss.png
    python train_gpt.py --compile              # under torch.compile
    python train_gpt.py --width 512 --rows 256 --steps 1000 book.txt

Attention, norms, rotary embedding, linear layers and cross entropy are kernels of tkc.kernels, gradients too. The text is given,
or the library of this Python; letters are bytes.
"""
import argparse
import glob
import os
import statistics
import sys
import time
import types

import torch
import torch.nn.functional as F

from tkc import kernels

import chart

WORDS = 256


def torch_rms_norm(x, weight, eps=1e-6, residual=None):
    if residual is None:
        return F.rms_norm(x, (x.shape[-1],), weight, eps)
    total = x + residual
    return F.rms_norm(total, (x.shape[-1],), weight, eps), total


def torch_rotary(q, k, cos, sin):
    def turned(x):
        a, b = x.float().chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(x.dtype)

    return turned(q), turned(k)


OURS = types.SimpleNamespace(
    name="tkc", linear=kernels.linear, norm=kernels.rms_norm, rotary=kernels.rotary_qk, prepare=kernels.RMSNorm,
    attention=lambda q, k, v: kernels.attention(q, k, v, causal=True), loss=kernels.cross_entropy)
TORCH = types.SimpleNamespace(
    name="torch", linear=F.linear, norm=torch_rms_norm, rotary=torch_rotary, prepare=lambda width: None,
    attention=lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    loss=lambda logits, targets: F.cross_entropy(logits.float(), targets.long()))


def parameter(*shape, device, std=0.02):
    return torch.nn.Parameter((torch.randn(*shape, device=device) * std).bfloat16())


class Block(torch.nn.Module):
    """Attention and a feed-forward network. `x` is the sum of all before, without `branch`, the last one: the norm adds it."""

    def __init__(self, width, heads, use, device):
        super().__init__()
        self.heads, self.use = heads, use
        use.prepare(width)  # kernels for this width, before torch.compile traces
        self.first, self.second = (torch.nn.Parameter(torch.ones(width, device=device, dtype=torch.bfloat16)) for _ in range(2))
        self.qkv, self.out = parameter(3 * width, width, device=device), parameter(width, width, device=device)
        self.up, self.down = parameter(4 * width, width, device=device), parameter(width, 4 * width, device=device)

    def forward(self, x, branch, cos, sin):
        use, (batch, rows, width) = self.use, branch.shape
        y, x = (use.norm(branch, self.first), branch) if x is None else use.norm(branch, self.first, residual=x)
        q, k, v = (part.reshape(batch, rows, self.heads, -1).transpose(1, 2) for part in use.linear(y, self.qkv).chunk(3, -1))
        q, k = use.rotary(q, k, cos, sin)
        o = use.attention(q, k, v).transpose(1, 2).reshape(batch, rows, width)
        y, x = use.norm(use.linear(o, self.out), self.second, residual=x)
        return x, use.linear(F.gelu(use.linear(y, self.up), approximate="tanh"), self.down)


class Gpt(torch.nn.Module):
    def __init__(self, words, width, layers, heads, use, device="cuda"):
        super().__init__()
        self.words = parameter(words, width, device=device)
        self.blocks = torch.nn.ModuleList([Block(width, heads, use, device) for _ in range(layers)])
        self.last = torch.nn.Parameter(torch.ones(width, device=device, dtype=torch.bfloat16))
        self.use, self.width_of_head = use, width // heads

    def forward(self, tokens, targets):
        x, branch = None, F.embedding(tokens, self.words)
        cos, sin = tables(tokens.shape[1], self.width_of_head, tokens.device)
        for block in self.blocks:
            x, branch = block(x, branch, cos, sin)
        y, _ = self.use.norm(branch, self.last, residual=x)
        logits = self.use.linear(y, self.words).reshape(-1, self.words.shape[0])
        return self.use.loss(logits, targets.reshape(-1).int())


def tables(rows, width, device):
    """Cosines and sines of the angles of each position."""
    angles = torch.arange(rows, device=device)[:, None] / 10000 ** (torch.arange(width // 2, device=device) / (width // 2))
    return angles.cos().float(), angles.sin().float()


def read_text(paths):
    paths = paths or sorted(glob.glob(os.path.join(os.path.dirname(os.__file__), "*.py")))
    data = b"\n".join(open(path, "rb").read() for path in paths)
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)


def show_progress(what, step, steps, loss, milliseconds):
    done = 30 * step // steps
    sys.stderr.write(f"\r{what} [{'#' * done}{'.' * (30 - done)}] {step}/{steps}  loss {loss:.3f}  {milliseconds:.2f} ms ")
    sys.stderr.write("\n" if step == steps else "")
    sys.stderr.flush()


def train(use, seed, text, options):
    """The loss of each step, and the median milliseconds of a step after the first tenth."""
    torch.manual_seed(seed)
    model = Gpt(WORDS, options.width, options.layers, options.heads, use, options.device)
    step_of = torch.compile(model, mode=options.compile) if options.compile else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, fused=options.device == "cuda")
    places = torch.Generator().manual_seed(seed)
    text = text.to(options.device)
    inside = torch.arange(options.rows + 1, device=options.device)
    wait = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    losses, times, group = [], [], 10
    start = time.perf_counter()
    for step in range(1, options.steps + 1):
        first = torch.randint(len(text) - options.rows - 1, (options.batch, 1), generator=places).to(options.device)
        rows = text[first + inside].long()
        loss = step_of(rows[:, :-1], rows[:, 1:])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.detach().clone())  # a CUDA graph's result is overwritten by the next step
        if step % group == 0 or step == options.steps:
            wait()
            count = (step - 1) % group + 1
            times.append(1e3 * (time.perf_counter() - start) / count)
            show_progress(f"{use.name:5} seed {seed}", step, options.steps, float(losses[-1]), times[-1])
            start = time.perf_counter()
    return [float(loss) for loss in losses], statistics.median(times[len(times) // 10 :])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", nargs="*", help="files to learn; else the library of this Python")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--rows", type=int, default=1024, help="letters of a sequence")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--compile", nargs="?", const="default", metavar="MODE",
                        help="both under torch.compile; MODE is default or reduce-overhead, which makes CUDA graphs")
    parser.add_argument("--chart", default="loss.png")
    parser.add_argument("--device", default="cuda", help="cpu with TKC_CPU=emulator tries it without a GPU, slowly")
    options = parser.parse_args()
    text = read_text(options.text)
    curves, rows = [], []
    for seed in range(1, options.seeds + 1):
        for use in (OURS, TORCH):
            losses, milliseconds = train(use, seed, text, options)
            curves.append(losses)
            rows.append((use.name, seed, statistics.mean(losses[-20:]), milliseconds))
    chart.save(options.chart, curves)
    print(f"{'':6} seed  loss of the last 20 steps  ms a step")
    for name, seed, loss, milliseconds in rows:
        print(f"{name:6} {seed:4}  {loss:25.4f}  {milliseconds:9.2f}")
    ours, torchs = ([row for row in rows if row[0] == name] for name in (OURS.name, TORCH.name))
    noise = max(row[2] for row in torchs) - min(row[2] for row in torchs)
    apart = abs(statistics.mean(row[2] for row in ours) - statistics.mean(row[2] for row in torchs))
    speed = statistics.median(row[3] for row in torchs) / statistics.median(row[3] for row in ours)
    print(f"losses are {apart:.4f} apart, torch's seeds {noise:.4f}; a step takes {1 / speed:.3f} of torch's time "
          f"({speed:.3f} of its speed); {options.chart} has the curves (blue: tkc)")


if __name__ == "__main__":
    main()
