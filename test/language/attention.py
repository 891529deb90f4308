"""attention.py - Three attention kernels with every backend there is, against float64.

The seeds of the language: attention over tiles of the block with an online softmax, by two warpgroups that
share keys and values, and warp by warp with both operands of an MMA in registers. The outputs are bf16: a
right one is within 2^-8 of the true value, and a little more because the probabilities are rounded to bf16
before the second MMA.
"""
import ctypes
import os
import sys

import numpy as np

from tkc_run.attention import Causal, Plain, attend
from tkc_run.builds import Kernels
from tkc_run.tensors import HostTensor
from tkc_run.backends import EMULATOR_TIMINGS, Backend, available, set_emulator

HERE = os.path.dirname(os.path.abspath(__file__))


def check(backend, name, d, causal, batch, heads, kv_heads, rows, keys):
    """Runs one kernel at one shape; whether it is right."""
    rng = np.random.default_rng([rows, keys, d])
    draw = lambda heads, rows: HostTensor.random(rng, (batch, heads, rows, d))
    q, k, v = draw(heads, rows), draw(kv_heads, keys), draw(kv_heads, keys)
    # The rows of O are further apart than they need be, and what lies between them is watched.
    o = HostTensor((batch, heads, rows, d), extra_stride=8)
    scale = float(np.float32(d**-0.5))
    status = backend.call(name, [q, k, v, o], [ctypes.c_float(scale)])
    label = f"{name} {backend.name} batch {batch} heads {heads}/{kv_heads} rows {rows} keys {keys}"
    if status.code:
        print(f"FAIL {label}: {status}")
        return False
    form = (Causal if causal else Plain)(rng, None)
    truth = attend(*(x.values().astype(np.float64) for x in (q, k, v)), scale, form.change)
    error = np.abs(o.values() - truth.o)
    allowed = 2.0**-8 * np.abs(truth.o) + 2.0**-8 * truth.magnitude + 1e-5
    worst = float((error / allowed).max())
    right = worst <= 1 and not o.stray_writes() and not o.unwritten()
    print(f"{'ok  ' if right else 'FAIL'} {label}: largest error {error.max():.2g}, {worst:.2f} of what is allowed, "
          f"{o.stray_writes()} stray, {o.unwritten()} unwritten, {backend.seconds:.2f} s", flush=True)
    return right


# file: kernel, head size, causal, batch, heads of Q, heads of K and V, rows of Q, rows of K and V
CASES = {
    "attention": [
        ("attention", 128, False, 1, 2, 1, 130, 257),
        ("attention_causal", 128, True, 1, 1, 1, 200, 200),
        ("attention_64", 64, False, 2, 4, 2, 65, 95),
        ("attention_64", 64, False, 1, 1, 1, 1, 1),
        ("attention_64_causal", 64, True, 1, 2, 2, 193, 193),
    ],
    "attention_warps": [
        ("attention_warps", 64, False, 2, 2, 1, 71, 97),
        ("attention_warps", 64, False, 1, 1, 1, 1, 33),
    ],
    "attention_warpgroups": [
        ("attention_warpgroups", 64, False, 1, 4, 2, 129, 65),
        ("attention_warpgroups_causal", 64, True, 2, 1, 1, 200, 200),
        ("attention_warpgroups_causal", 64, True, 1, 1, 1, 1, 1),
    ],
}


def main():
    names = sys.argv[1].split(",") if len(sys.argv) > 1 else available()[0]
    right = True
    for file, cases in CASES.items():
        kernels = Kernels(os.path.join(HERE, file + ".tk"))
        for backend in [Backend(name, kernels) for name in names]:
            for i, case in enumerate(cases):
                set_emulator(i, EMULATOR_TIMINGS[i % len(EMULATOR_TIMINGS)])
                right &= check(backend, *case)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
