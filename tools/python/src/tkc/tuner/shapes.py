"""shapes.py - The arguments that a kernel is tuned for: extents of tensors, numbers, how inputs are filled.

A shape is an object: {"A": [4096, 1024], "B": [1024, 512], "scale": 0.125}. Extents of tensors that the kernel only stores
may be left out where others determine them. {"extents": [64], "range": [0, 9]} fills a tensor with numbers of a range;
others are normally distributed.
"""
from .. import plan as plans
from ..errors import CompileError

SIZES = {"bf16": 2, "f16": 2, "f32": 4, "e4m3": 1, "e5m2": 1, "i8": 1, "i32": 4}
DTYPES = list(plans.DTYPES)


def describe(arguments, most=None):
    """'A 4096x1024, B 1024x512, scale 0.125' of a shape as JSON; cut after `most` characters."""
    texts = []
    for name, value in arguments.items():
        extents = value.get("extents") if isinstance(value, dict) else value
        texts.append(f"{name} {'x'.join(map(str, extents)) if isinstance(extents, list) else format(extents, 'g')}")
    text = ", ".join(texts)
    return text if most is None or len(text) <= most else text[:most - 3] + "..."


class Shape:
    """Checked: `extents` by tensor, `scalars` by name, `ranges` of those tensors that have one."""

    def __init__(self, function, given):
        if not isinstance(given, dict):
            raise CompileError(f"a shape is an object of extents, as {{\"A\": [4096, 1024]}}, not {given!r}")
        self.extents, self.scalars, self.ranges, self.given = {}, {}, {}, given
        self.arguments = function["arguments"]
        names = [argument["name"] for argument in self.arguments]
        for name in given:
            if name not in names:
                raise CompileError(f"{function['name']} has no argument '{name}'; it has {', '.join(names)}")
        optional = set(plans.optional_arguments(function))
        for number, argument in enumerate(self.arguments):
            if argument["name"] in given:
                self._take(argument, given[argument["name"]])
            elif argument["kind"] == "scalar" or number not in optional:
                raise CompileError(f"the shape {given} says nothing of '{argument['name']}', which {function['name']} takes")
        for number, dims in enumerate(plans.sources_of_extents(function)):
            if number in optional and names[number] not in given:
                self.extents[names[number]] = [self._derived(names, *dim) for dim in dims]
        self._check(function)

    def _take(self, argument, value):
        name = argument["name"]
        if argument["kind"] == "scalar":
            if not isinstance(value, (int, float)):
                raise CompileError(f"'{name}' is a number, not {value!r}")
            self.scalars[name] = value
            return
        if isinstance(value, dict):
            self.ranges[name] = value.get("range")
            value = value.get("extents")
        if not isinstance(value, list) or len(value) != argument["rank"] or not all(type(n) is int and 0 < n < 2**31 for n in value):
            raise CompileError(f"'{name}' takes {argument['rank']} extents of at least 1, not {value!r}")
        self.extents[name] = value

    def _derived(self, names, constant, others):
        if constant >= 0:
            return constant
        for place in others:
            name = names[place // plans.MAX_RANK]
            if name in self.extents:
                return self.extents[name][place % plans.MAX_RANK]
        raise CompileError(f"no extent of {', '.join(self.extents)} determines one that is left out; write it down")

    def _check(self, function):
        names = [argument["name"] for argument in self.arguments]
        for required in function["requirements"]:
            here = names[required["argument"]]
            if required["kind"] == "extent" and self.extents[here][required["dimension"]] != required["extent"]:
                raise CompileError(f"the kernel refuses the shape {self.text()}: dimension {required['dimension']} of {here} is "
                                   f"{self.extents[here][required['dimension']]} when the kernel is compiled for {required['extent']}")
            if required["kind"] in ("same_extent", "rounded_extent"):
                there = names[required["other"]]
                a, b = self.extents[here][required["dimension"]], self.extents[there][required["other_dimension"]]
                if required["kind"] == "rounded_extent":
                    b = -(-b // 16) * 16
                if a != b:
                    raise CompileError(f"the kernel refuses the shape {self.text()}: dimension {required['dimension']} of {here} is {a} "
                                       f"when it should equal dimension {required['other_dimension']} of {there}, which is {b}")

    def text(self):
        """As it was given."""
        return describe(self.given)

    def key(self):
        """What tells shapes apart."""
        return describe(self.as_json())

    def as_json(self):
        tensors = {name: {"extents": extents, "range": self.ranges[name]} if self.ranges.get(name) else extents
                   for name, extents in self.extents.items()}
        return tensors | self.scalars

    def tensor_arguments(self):
        return [argument for argument in self.arguments if argument["kind"] == "tensor"]

    def strides(self, argument):
        """Of rows that are padded to 16 bytes, which TMA wants; in elements."""
        extents, size = self.extents[argument["name"]], SIZES[argument["dtype"]]
        strides, step = [], 1
        for number, extent in enumerate(reversed(extents)):
            strides.append(step)
            step *= extent if number else -(-extent * size // 16) * 16 // size
        return strides[::-1]

    def bytes(self, argument):
        return self.strides(argument)[0] * self.extents[argument["name"]][0] * SIZES[argument["dtype"]] + 16
