"""fit.py - From measurements to what --tuned compiles: which instances, and how efficient each is.

The launcher predicts 3000 + tiles / efficiency cycles. Least squares, of the logarithms of measured over predicted time:
first the clock, from the default instance at the efficiency that the source says, then the efficiency of each instance in whole percent.
"""
import math

FIXED = 3000  # cycles that no efficiency changes: runtime/host/choice.h
WITHIN = 1.01  # of the best instance's time: as good as it


def _residual(efficiency, base, pairs, clock):
    return sum(math.log(ms * clock / (FIXED + (cycles - FIXED) * base / efficiency)) ** 2 for ms, cycles in pairs)


def pairs_of(entry, number):
    """(ms, cycles) of an instance, of the shapes it was measured at."""
    number = str(number)
    return [(shape["times"][number], shape["cycles"][number]) for shape in entry["shapes"] if number in shape["times"]]


def fit_efficiency(entry):
    """Sets the efficiency of every instance that was measured. `cycles` are those at the source's own efficiencies."""
    measured = [(number, pairs_of(entry, number)) for number in range(len(entry["instances"]))]
    first = next((pairs for _, pairs in measured if len(pairs) > 1), None)
    if not first:
        return
    clock = math.exp(-sum(math.log(ms / cycles) for ms, cycles in first) / len(first))
    for number, pairs in measured:
        instance = entry["instances"][number]
        base = instance.setdefault("source_efficiency", 100)
        if pairs:
            instance["efficiency"] = min(range(25, 401), key=lambda e: _residual(e, base, pairs, clock))


def keep_instances(entry, most=8):
    """The source's own, and as few others as make every shape as fast as its best instance, nearly."""
    kept = list(range(entry["own"]))
    shapes = entry["shapes"]

    def loss(shape, numbers):
        times = [shape["times"][str(number)] for number in numbers if str(number) in shape["times"]]
        return max(1.0, min(times) / shape["ms"]) if times else 2.0

    while len(kept) < entry["own"] + most:
        if all(loss(shape, kept) <= WITHIN for shape in shapes):
            break
        others = [number for number in range(len(entry["instances"])) if number not in kept]
        if not others:
            break
        kept.append(min(others, key=lambda number: sum(math.log(loss(shape, [*kept, number])) for shape in shapes)))
    entry["kept"] = kept
    for shape in shapes:  # the fastest of those
        shape["chosen"] = min((number for number in kept if str(number) in shape["times"]),
                              key=lambda number: (shape["times"][str(number)], number))


def finish(entry):
    fit_efficiency(entry)
    keep_instances(entry)


def gain(entry):
    """The geometric mean of default over tuned time."""
    logs = [math.log(shape["default_ms"] / shape["ms"]) for shape in entry["shapes"]]
    return math.exp(sum(logs) / len(logs)) if logs else 1.0
