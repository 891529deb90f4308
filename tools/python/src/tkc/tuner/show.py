"""show.py - Measurements as text, and how well the prediction orders candidates."""
import math

from . import fit
from .shapes import describe


def _ranks(values):
    """Of equal values the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, start = [0.0] * len(values), 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in range(start, end + 1):
            ranks[order[place]] = (start + end) / 2
        start = end + 1
    return ranks


def rank_correlation(first, second):
    """Spearman's: 1 if both have one order, -1 if one is the other's reverse; None where there is no order."""
    a, b = _ranks(first), _ranks(second)
    mean = (len(a) - 1) / 2
    spread = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    return sum((x - mean) * (y - mean) for x, y in zip(a, b)) / spread if spread else None


def correlations(entry):
    """Of predicted cycles and measured times, of each shape that has both of three candidates or more."""
    result = []
    for shape in entry["shapes"]:
        numbers = [number for number in shape["times"] if number in shape["cycles"]]
        if len(numbers) >= 3:
            result.append(rank_correlation([shape["cycles"][number] for number in numbers],
                                           [shape["times"][number] for number in numbers]))
    return [each for each in result if each is not None]


def losses(entry, tuned):
    """At the shapes of an entry, how many times as long as the best of the instances that `tuned` keeps takes the one that is
    chosen: by the efficiencies of `tuned`, by the source's own, and by the untuned function, which has the source's alone."""
    efficiency = {tuned["instances"][number]["function"]: tuned["instances"][number]["efficiency"] for number in tuned["kept"]}
    by_tuned, by_source, untuned = [], [], []
    for shape in entry["shapes"]:
        here = [number for number, instance in enumerate(entry["instances"])
                if str(number) in shape["times"] and instance["function"] in efficiency]
        times, by_itself = {number: shape["times"][str(number)] for number in here}, shape["cycles"]
        cycles = fit.predicted(entry, shape, [efficiency.get(each["function"], each["efficiency"]) for each in entry["instances"]])
        best = min(times.values())
        by_tuned.append(times[min(here, key=lambda number: (cycles[number], number))] / best)
        by_source.append(times[min(here, key=lambda number: (by_itself[str(number)], number))] / best)
        untuned.append(shape["times"][str(shape["default"])] / best)
    return by_tuned, by_source, untuned


def print_losses(entry, tuned):
    def loss(ratios):
        return f"{100 * (math.exp(sum(map(math.log, ratios)) / len(ratios)) - 1):.2f} % (at most {100 * (max(ratios) - 1):.1f} %)"

    by_tuned, by_source, untuned = losses(entry, tuned)
    print(f"{entry['kernel']} on {entry['device']}, {len(by_tuned)} shapes, {len(tuned['kept'])} instances: to the best of them, "
          f"geometric mean, the choice loses {loss(by_tuned)}, with the source's own efficiencies {loss(by_source)}, the untuned "
          f"function {loss(untuned)}")


def print_entry(entry):
    print(f"{entry['kernel']} of {entry['source']} on {entry['device']} ({entry['sms']} SMs), {entry['date']}, tkc {entry['tkc']}")
    print(f"  space {entry['space']}; {len(entry['instances'])} instances, {entry['own']} of them the source's own; "
          f"{len(entry['refused'])} refused or left out")
    for shape in entry["shapes"]:
        best, gain = entry["instances"][shape["best"]], 100 * (shape["default_ms"] / shape["ms"] - 1)
        print(f"  {shape['ms']:9.4f} ms  {gain:+6.1f} %  spread {100 * shape['spread']:4.1f} %  {shape['trials']:3} trials  "
              f"{describe(shape['arguments'])}  {best['function']}")
    print("  --tuned compiles: " + ", ".join(f"{entry['instances'][number]['function']} "
                                             f"({entry['instances'][number]['efficiency']} %)" for number in entry["kept"]))
    print(f"  {fit.gain(entry):.3f} times as fast as the default, geometric mean of {len(entry['shapes'])} shapes")
    orders = correlations(entry)
    if orders:
        print(f"  rank correlation of predicted and measured time: {sum(orders) / len(orders):.2f}, from {min(orders):.2f} to "
              f"{max(orders):.2f}, of {len(orders)} shapes")
