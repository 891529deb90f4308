"""fit.py - From measurements to what --tuned compiles: which instances, and how efficient each is.

The launcher predicts fixed + tiles / efficiency cycles. Least squares, of the logarithms of measured over predicted time:
first the clock, from the default instance at the efficiency that the source says, then the efficiency of each instance in whole
percent. The source's efficiency counts as much as a few shapes, or noise at a few shapes would overrule it.

An instance is good where it was measured, which the launcher's table knows, and may harm elsewhere, where the prediction
likes it too much. So each shape is also predicted by efficiencies that were fitted without it.
"""
import math

PRIOR = 3  # shapes that the source's efficiency counts as
LEAST, MOST = 25, 400  # percent
ENOUGH = 0.0025  # of the time: an instance is worth compiling
MOST_ADDED, MOST_FOLDS = 8, 40


def _best_efficiency(base, fixed, pairs):
    """Of (logarithm of measured cycles, cycles that an efficiency scales); the sum has one minimum. No efficiency changes
    `fixed` cycles."""
    def residual(efficiency):
        scale = base / efficiency
        return sum((log - math.log(fixed + cycles * scale)) ** 2 for log, cycles in pairs) + PRIOR * math.log(scale) ** 2

    low, high = LEAST, MOST
    while high - low > 2:
        middle = (low + high) // 2
        if residual(middle) <= residual(middle + 1):
            high = middle + 1
        else:
            low = middle
    return min(range(low, high + 1), key=residual)


def _efficiencies(entry, shapes):
    """Of every instance, fitted at these shapes; the source's where there is nothing to fit."""
    base = [instance.get("source_efficiency", 100) for instance in entry["instances"]]
    measured = [[(math.log(shape["times"][number]), shape["cycles"][number]) for shape in shapes if number in shape["times"]]
                for number in map(str, range(len(base)))]
    first = next((pairs for pairs in measured if len(pairs) > 1), None)
    if not first:
        return base
    clock = sum(math.log(cycles) - log for log, cycles in first) / len(first)
    fixed = entry["fixed"]
    return [_best_efficiency(own, fixed, [(log + clock, cycles - fixed) for log, cycles in pairs]) if pairs else own
            for own, pairs in zip(base, measured)]


def predicted(entry, shape, efficiencies):
    """Cycles of each instance that was measured at a shape; `cycles` are those at the source's own efficiencies."""
    fixed = entry["fixed"]
    return {number: fixed + (shape["cycles"][str(number)] - fixed) * instance.get("source_efficiency", 100) / efficiency
            for number, (instance, efficiency) in enumerate(zip(entry["instances"], efficiencies)) if str(number) in shape["times"]}


def fit_efficiency(entry):
    """Sets the efficiency of every instance that was measured."""
    for instance, efficiency in zip(entry["instances"], _efficiencies(entry, entry["shapes"])):
        instance.setdefault("source_efficiency", 100)
        instance["efficiency"] = efficiency


def _foretold(entry):
    """Of each shape what the efficiencies predict that were fitted without it, and without some others if there are many."""
    shapes, result = entry["shapes"], []
    folds = min(len(shapes), MOST_FOLDS)
    without = [_efficiencies(entry, [shape for place, shape in enumerate(shapes) if place % folds != fold]) for fold in range(folds)]
    for place, shape in enumerate(shapes):
        result.append(predicted(entry, shape, without[place % folds]))
    return result


def keep_instances(entry):
    """The source's own, and those others that make shapes faster: measured ones, for which the table has the fastest of all that
    are kept, and others, for which the prediction chooses. Both count alike."""
    shapes, foretold = entry["shapes"], _foretold(entry)
    logs = [{int(number): math.log(ms) for number, ms in shape["times"].items()} for shape in shapes]

    def time(numbers):
        """The mean logarithm."""
        total = 0
        for times, cycles in zip(logs, foretold):
            here = [number for number in numbers if number in times]
            total += min(times[number] for number in here) + times[min(here, key=lambda number: (cycles[number], number))]
        return total / (2 * len(shapes))

    kept = list(range(entry["own"]))
    now = time(kept) if shapes else 0
    others = [number for number in range(entry["own"], len(entry["instances"])) if any(number in times for times in logs)]
    while others and len(kept) < entry["own"] + MOST_ADDED:
        then, best = min((time([*kept, number]), number) for number in others)
        if now - then <= ENOUGH:
            break
        now = then
        kept.append(best)
        others.remove(best)
    _set_kept(entry, kept)


def _set_kept(entry, kept):
    entry["kept"] = kept
    for shape in entry["shapes"]:
        shape["chosen"] = min((number for number in kept if str(number) in shape["times"]),
                              key=lambda number: (shape["times"][str(number)], number))


def keep_winners(entry):
    """What a search that goes on leaves: the source's own instances and the best of each shape."""
    _set_kept(entry, sorted({*range(entry["own"]), *(shape["best"] for shape in entry["shapes"])}))


def finish(entry):
    fit_efficiency(entry)
    keep_instances(entry)


def gain(entry):
    """The geometric mean of default over tuned time."""
    logs = [math.log(shape["default_ms"] / shape["ms"]) for shape in entry["shapes"]]
    return math.exp(sum(logs) / len(logs)) if logs else 1.0
