"""space.py - Which values a template's parameters may take: 'BM=64,128,256 BN=64:256:32 PingPong=false,true'."""
import itertools
import re

from ..errors import CompileError

MOST_POINTS = 4096
_VALUE = re.compile(r"-?\d+|[A-Za-z_][\w:]*")


def _values(name, text):
    values = []
    for part in text.split(","):
        bounds = part.split(":")
        if len(bounds) == 3 and all(re.fullmatch(r"-?\d+", bound) for bound in bounds):
            first, last, step = map(int, bounds)
            if step < 1 or last < first:
                raise CompileError(f"the range {part} of {name} is empty; write first:last:step, as 64:256:32")
            if (last - first) // step >= MOST_POINTS:
                raise CompileError(f"the range {part} of {name} has {(last - first) // step + 1} values; at most {MOST_POINTS} are taken")
            values += [str(value) for value in range(first, last + 1, step)]
        elif _VALUE.fullmatch(part):
            values.append(part)
        else:
            raise CompileError(f"'{part}' of {name} is no value; write numbers or names, separated by commas, or first:last:step")
    return list(dict.fromkeys(values))


def parse(text):
    """{name: values}, refused if it is empty or has too many points."""
    space = {}
    for part in text.split():
        name, equals, values = part.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise CompileError(f"'{part}' of the space is no NAME=VALUES, as BM=64,128")
        if name in space:
            raise CompileError(f"the space names {name} twice")
        space[name] = _values(name, values)
    if not space:
        raise CompileError("the space is empty; name parameters of the template, as 'BM=64,128 BN=64:256:32'")
    count = 1
    for values in space.values():
        count *= len(values)
    if count > MOST_POINTS:
        raise CompileError(f"the space has {count} points; at most {MOST_POINTS} are compiled, leave values out")
    return space


def points(space):
    """Each as {name: value}."""
    return [dict(zip(space, values)) for values in itertools.product(*space.values())]


def split_parameters(text):
    """{'BM': '128', 'T': 'pair<int, int>'} of what a plan says of the template's arguments."""
    parameters, depth, start = {}, 0, 0
    for i, c in enumerate(text + ","):
        if c in "<([{":
            depth += 1
        elif c in ">)]}":
            depth -= 1
        elif c == "," and depth == 0:
            name, equals, value = text[start:i].strip().partition(" = ")
            if equals:
                parameters[name] = value
            start = i + 1
    return parameters
