"""fit.py - Which instances a database keeps, and whether its efficiencies choose well at shapes that were not measured.

Instance 0 is the source's own. All take (3000 + work / true efficiency) cycles of a nanosecond, with noise.
"""
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python", "src"))
from tkc.tuner import fit  # noqa: E402

generator = random.Random(35)


def make(shapes, instances, own=1, noise=0.0):
    """An entry; each instance is a function of the shape: the predicted work, and the true work."""
    rows = []
    for shape in shapes:
        works = [instance(shape) for instance in instances]
        times = [1e-6 * (3000 + true) * math.exp(generator.gauss(0, noise)) for _, true in works]
        best = times.index(min(times))
        rows.append({"arguments": {"A": list(shape)}, "best": best, "ms": times[best], "default": 0, "default_ms": times[0],
                     "times": {str(number): ms for number, ms in enumerate(times)},
                     "cycles": {str(number): 3000 + predicted for number, (predicted, _) in enumerate(works)}})
    return {"instances": [{"function": f"f<{number}>", "efficiency": 100, "source_efficiency": 100} for number in range(len(instances))],
            "own": own, "fixed": 3000, "kept": [], "shapes": rows}


def random_shapes(count):
    return [tuple(int(2 ** generator.uniform(7, 13)) for _ in range(3)) for _ in range(count)]


def work(m, n, k, bm, bn):
    return -(-(-(-m // bm) * -(-n // bn)) // 132) * (bm * bn * k / 2048 + 1000)


def tile(bm, bn, efficiency=100):
    return lambda shape: (work(*shape, bm, bn), work(*shape, bm, bn) * 100 / efficiency)


def losses(entry, unseen, efficiencies):
    """The mean loss of the choice among what is kept to the best of it."""
    total = 0
    for shape in unseen["shapes"]:
        cycles = fit.predicted(entry, shape, efficiencies)
        chosen = min(entry["kept"], key=cycles.__getitem__)
        total += math.log(shape["times"][str(chosen)] / min(shape["times"][str(number)] for number in entry["kept"]))
    return total / len(unseen["shapes"])


# True efficiencies are found, from two shapes nearly and from many well; a single shape says nothing of them.
tiles = [tile(128, 256), tile(128, 128, 80), tile(64, 128, 120)]
for count, allowed in ((1, 100), (2, 25), (100, 3)):
    entry = make(random_shapes(count), tiles)
    fit.finish(entry)
    found = [instance["efficiency"] for instance in entry["instances"]]
    assert all(abs(a - b) <= allowed for a, b in zip(found, (100, 80, 120))), (count, found)
    assert count > 1 or found == [100, 100, 100], found

# The winner of every shape is kept, one that never wins is not.
entry = make(random_shapes(20), [tile(128, 256), tile(128, 256, 110), tile(128, 256, 60)])
fit.finish(entry)
assert entry["kept"] == [0, 1] and all(shape["chosen"] == 1 for shape in entry["shapes"]), entry["kept"]


# Noise at two shapes says less than the source.
off = 0
for _ in range(50):
    entry = make(random_shapes(2), [tile(128, 256), tile(128, 128)], noise=0.2)
    fit.finish(entry)
    off += abs(math.log(entry["instances"][1]["efficiency"] / 100)) / 50
assert off < 0.1, off


# One that is better by 10 % where n is small and worse by 10 % elsewhere, where the prediction likes it, harms unless most shapes
# have a small n.
def fickle(shape):
    base = work(*shape, 128, 256)
    return (base, 0.9 * base) if shape[1] < 300 else (0.7 * base, 1.1 * base)


wide, narrow = [(4096, 2048 + 8 * i, 1024) for i in range(20)], [(4096, 200 + 2 * i, 1024) for i in range(40)]
entry = make(wide + narrow[:4], [tile(128, 256), fickle])
fit.finish(entry)
assert entry["kept"] == [0], entry["instances"]
entry = make(narrow + wide[:1], [tile(128, 256), fickle])
fit.finish(entry)
assert entry["kept"] == [0, 1], entry["instances"]

# At unseen shapes the fitted efficiencies choose better than the source's; more measured shapes do not make that worse.
tiles = [tile(128, 256), tile(128, 128, 90), tile(64, 128, 75), tile(256, 128, 98), tile(64, 256, 70), tile(128, 64, 60)]
unseen = make(random_shapes(200), tiles, noise=0.05)
for count in (12, 36, 100):
    entry = make(random_shapes(count), tiles, own=3, noise=0.05)
    fit.finish(entry)
    fitted = losses(entry, unseen, [each["efficiency"] for each in entry["instances"]])
    own = losses(entry, unseen, [100] * len(tiles))
    assert fitted < 0.03 and fitted < own, (count, fitted, own)
    print(f"{count} shapes measured: {len(entry['kept'])} kept, loss {fitted:.4f}, with the source's efficiencies {own:.4f}")
print("ok")
