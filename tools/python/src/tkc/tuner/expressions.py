"""expressions.py - What a launch plan computes: tiles of the grid and predicted cycles, as runtime/host/choice.h.

test/tuner/choice.py compares the choice with the emitted launcher's.
"""
import math

from .shapes import SIZES

UNKNOWN_TRIPS = 8


def _wrap(value):
    return (int(value) + 2**31) % 2**32 - 2**31


def _quotient(a, b):
    return int(math.trunc(a / b)) if abs(a) < 2**52 else (abs(a) // abs(b)) * (1 if (a > 0) == (b > 0) else -1)


_BINARY = {
    "add": lambda a, b: _wrap(a + b), "sub": lambda a, b: _wrap(a - b), "mul": lambda a, b: _wrap(a * b),
    "div": lambda a, b: _quotient(a, b), "rem": lambda a, b: int(math.fmod(a, b)),
    "ceil_div": lambda a, b: _quotient(a, b) + (math.fmod(a, b) != 0 and (a > 0) == (b > 0)),
    "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: _wrap(a << (b & 31)), "shr": lambda a, b: a >> (b & 31), "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b), "lt": lambda a, b: int(a < b), "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b), "ge": lambda a, b: int(a >= b), "fadd": lambda a, b: a + b, "fmul": lambda a, b: a * b}


def evaluate(postfix, values):
    stack = []
    for item in postfix:
        if isinstance(item, (int, float)):
            stack.append(item)
        elif item.startswith("$"):
            stack.append(values[item[1:]])
        elif item == "select":
            no, yes, condition = stack.pop(), stack.pop(), stack.pop()
            stack.append(yes if condition else no)
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(_BINARY[item](a, b))
    return stack[0]


def _row_factor(kernel, arguments, extents):
    """host::row_factor of what a tile loads, with rows that are padded to 16 bytes."""
    total = weighted = 0
    for parameter in kernel["parameters"]:
        loaded = parameter.get("loaded_bytes", 0)
        if not loaded:
            continue
        argument = arguments[parameter["argument"]]
        *outer, last = extents[argument["name"]]
        row = -(-last * SIZES[argument["dtype"]] // 16) * 16 if any(extent > 1 for extent in outer) else 0
        total += loaded
        launch = kernel["cost"]["launch"]
        weighted += loaded * (launch["rows_within_sector"] if row % 32 else launch["rows_within_line"] if row % 128 else 1)
    return weighted / total if total else 1


def values_of(kernel, arguments, extents, scalars):
    """What the names in a kernel's expressions stand for, and how much longer loads take because of where rows begin.
    `extents` and `scalars` are by argument's name."""
    values = {"unknown_trips": UNKNOWN_TRIPS, "row_factor": _row_factor(kernel, arguments, extents)}
    for parameter in kernel["parameters"]:
        if parameter["kind"] == "extent":
            values[parameter["name"]] = extents[arguments[parameter["argument"]]["name"]][parameter["dimension"]]
        elif parameter["kind"] == "scalar":
            values[parameter["name"]] = scalars[arguments[parameter["argument"]]["name"]]
    return values


def count_tiles(kernel, values):
    tiles = 1
    for extent in kernel["launch"]["tiles"]:
        tiles *= max(0, evaluate(extent["postfix"], values))
    return tiles


def predicted_cycles(kernel, values, num_sms, efficiency=None):
    """From launch to end; with an efficiency in percent in the place of the plan's."""
    cost = kernel["cost"]
    computes = loads = 0.0
    uppers = (0, 1) if cost["middle"] else (0,)
    for upper in uppers:
        computes += evaluate(cost["computes"], values | {"upper": upper}) / len(uppers)
        loads += evaluate(cost["loads"], values | {"upper": upper}) / len(uppers)
    loads *= values["row_factor"]
    if efficiency:
        scale = cost.get("efficiency", 100) / efficiency
        computes, loads = computes * scale, loads * scale
    computes += cost["launch"]["power_of_loads"] * loads
    tiles = count_tiles(kernel, values)
    waves = -(-tiles // num_sms)
    is_dynamic = any(parameter["kind"] == "tile_counter" for parameter in kernel["parameters"])
    lengths = tiles / num_sms + 0.5 if is_dynamic and waves > 1 else waves
    return cost["launch"]["fill_and_drain"] + lengths * max(computes, loads)
