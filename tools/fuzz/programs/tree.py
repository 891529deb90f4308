"""tree.py - A program as a tree: its text, the names it uses, and its bounds.

A program is one kernel: tensors, scalars, a grid, and statements. Every node can

    text()        be written as C++
    names()       say which variables it reads
    bound(env)    say what is known of its value (bounds.py); statements change `env` by `run(env)`

`env` maps a variable's name to its Bound. An element of an array is the variable `a[1]`; in a loop that
is unrolled it may be written `a[i]`, and `env` then holds the number that i has at the moment.
"""
from dataclasses import dataclass, field

from . import bounds
from .bounds import Bound


@dataclass(frozen=True)
class Type:
    """A tile (rt, st) or a vector (col_vec: one value for each row; row_vec; sv)."""

    kind: str
    element: str
    rows: int = 0
    cols: int = 0
    layout: str = "row"

    def text(self):
        sizes = {"rt": (self.rows, self.cols), "st": (self.rows, self.cols), "col_vec": (self.rows,)}
        size = sizes.get(self.kind, (self.cols,))
        tag = ", col" if self.layout == "col" else ""
        return f"{self.kind}<{self.element}, {', '.join(map(str, size))}{tag}>"

    @property
    def is_register(self):
        return self.kind in ("rt", "col_vec", "row_vec")

    @property
    def is_tile(self):
        return self.kind in ("rt", "st")

    @property
    def count(self):
        return max(self.rows, 1) * max(self.cols, 1)

    def of(self, element):
        return Type(self.kind, element, self.rows, self.cols, self.layout)


@dataclass(frozen=True)
class Ref:
    """A variable, or an element of an array of them: the index is a number or a loop's variable."""

    name: str
    type: Type
    index: int | str | None = None

    def text(self):
        return self.name if self.index is None else f"{self.name}[{self.index}]"

    def names(self):
        return {self.name} | ({self.index} if isinstance(self.index, str) else set())

    def key(self, env):
        return self.name if self.index is None else f"{self.name}[{env.get(self.index, self.index)}]"

    def bound(self, env):
        return env[self.key(env)]


@dataclass(frozen=True)
class Scalar:
    """A scalar expression with its bound; `uses` are the variables in it."""

    code: str
    known: Bound
    uses: frozenset = frozenset()

    def text(self):
        return self.code

    def names(self):
        return set(self.uses)

    def bound(self, env):
        return self.known


def literal(value, integer=False):
    if integer:
        return Scalar(str(int(value)), bounds.number(int(value)))
    if value == -bounds.INF:
        return Scalar("-inf", bounds.number(value))
    return Scalar(f"{float(value)!r}f", bounds.number(value))


@dataclass(frozen=True)
class Call:
    """An operation and its operands. `code` is a format of their texts; `limit` gives the bound from theirs."""

    operation: str
    type: Type
    args: tuple
    code: str
    limit: callable
    destination: str = ""  # the format of the form with the destination first; {to} is the destination

    def text(self):
        return self.code.format(*(arg.text() for arg in self.args))

    def into(self, to):
        return self.destination.format(*(arg.text() for arg in self.args), to=to.text())

    def names(self):
        return set().union(*(arg.names() for arg in self.args)) if self.args else set()

    def bound(self, env):
        result = self.limit(*(arg.bound(env) for arg in self.args))
        return bounds.stored(result, self.type.element)


@dataclass
class Declare:
    """`type name = value;`, an array of `count`, or without a value (one is assigned later)."""

    name: str
    type: Type
    value: object = None
    count: int = 0

    def lines(self):
        array = f"[{self.count}]" if self.count else ""
        value = f" = {self.value.text()}" if self.value else ""
        return [f"{self.type.text()} {self.name}{array}{value};"]

    def names(self):
        return self.value.names() if self.value else set()

    def written(self):
        return {self.name}

    def run(self, env):
        if self.value:
            env[self.name] = bounds.stored(self.value.bound(env), self.type.element)


@dataclass
class DeclareStruct:
    """`kind name;`, a struct whose fields are variables of their own."""

    kind: str
    name: str
    fields: tuple

    def lines(self):
        return [f"{self.kind} {self.name};"]

    def names(self):
        return set()

    def written(self):
        return set(self.fields)

    def run(self, env):
        pass


@dataclass
class Continue:
    """Leaves out a point of the grid."""

    condition: Scalar

    def lines(self):
        return [f"if ({self.condition.text()})", "  continue;"]

    def names(self):
        return self.condition.names()

    def written(self):
        return set()

    def run(self, env):
        pass


@dataclass
class Assign:
    """`to = value;`, or the form with the destination first, or `to += other;`."""

    to: Ref
    value: object
    form: str = "="

    def lines(self):
        if self.form == "destination":
            return [self.value.into(self.to) + ";"]
        if self.form != "=":
            return [f"{self.to.text()} {self.form} {self.value.args[1].text()};"]
        return [f"{self.to.text()} = {self.value.text()};"]

    def names(self):
        index = {self.to.index} if isinstance(self.to.index, str) else set()
        return self.value.names() | index

    def written(self):
        return {self.to.name}

    def run(self, env):
        env[self.to.key(env)] = bounds.stored(self.value.bound(env), self.to.type.element)


# Tensors to which stores add, or whose extremes they keep, begin with integers of at most this magnitude.
INITIAL = 2


@dataclass
class Store:
    """Writes a variable to its own tensor, which nothing else writes to."""

    tensor: str
    place: tuple
    value: Ref
    element: str  # of the tensor
    operation: str = "store"
    times: int = 1  # tiles of the grid, and iterations, that add to one place
    by_index: bool = False  # its rows, or elements, the last one first
    policy: str = ""  # its hint for L2, or none

    def scattered(self):
        type, places = self.value.type, [part.text() for part in self.place]
        row = type.kind == "row_vec"
        count = type.cols if row else type.rows
        at = -2 if type.is_tile else -1
        places[at] = f"({places[at]}) * {count}"
        index = f"{count - 1} - iota<{'row' if row else 'col'}_vec<int32, {count}>>()"
        return f"{self.operation.replace('store', 'scatter')}({self.tensor}, {{{', '.join(places)}}}, {self.value.text()}, {index});"

    def lines(self):
        if self.by_index:
            return [self.scattered()]
        place = ", ".join(part.text() for part in self.place)
        policy = f", {self.policy}" if self.policy else ""
        return [f"{self.operation}({self.tensor}, {{{place}}}, {self.value.text()}{policy});"]

    def names(self):
        return self.value.names().union(*(part.names() for part in self.place))

    def written(self):
        return set()

    def run(self, env):
        value, key = self.value.bound(env), "store " + self.tensor
        stored = bounds.stored(bounds.total(value, self.times) if self.times > 1 else value, self.element)
        if self.operation in ("store_max", "store_min"):
            stored = bounds.join(stored, Bound(-INITIAL, INITIAL, 1.0))
        env[key] = bounds.join(env[key], stored) if key in env else stored  # of an iteration before


def indented(statements):
    return ["  " + line for statement in statements for line in statement.lines()]


def run_all(statements, env):
    for statement in statements:
        statement.run(env)


def written_by(statements):
    return set().union(*(statement.written() for statement in statements)) if statements else set()


def names_in(statements):
    return set().union(*(statement.names() for statement in statements)) if statements else set()


@dataclass
class Loop:
    """A loop of `trips` steps at most, of `least` at least; `head` is its text up to the brace."""

    head: str
    variable: str
    trips: int
    uses: frozenset = frozenset()
    body: list = field(default_factory=list)
    least: int | None = None

    def lines(self):
        return [f"for ({self.head}) {{", *indented(self.body), "}"]

    def names(self):
        return set(self.uses) | (names_in(self.body) - {self.variable})

    def written(self):
        return written_by(self.body)

    def run(self, env):
        least = self.trips if self.least is None else self.least
        ends = [dict(env)] if least == 0 else []
        for step in range(self.trips):
            env[self.variable] = step
            run_all(self.body, env)
            if step + 1 >= least:
                ends.append(dict(env))
        merge(env, ends)
        env.pop(self.variable, None)


@dataclass
class If:
    """Either part may run; what is known afterwards holds for both."""

    condition: Scalar
    then: list = field(default_factory=list)
    otherwise: list = field(default_factory=list)

    def lines(self):
        result = [f"if ({self.condition.text()}) {{", *indented(self.then)]
        if self.otherwise:
            result += ["} else {", *indented(self.otherwise)]
        return result + ["}"]

    def names(self):
        return self.condition.names() | names_in(self.then) | names_in(self.otherwise)

    def written(self):
        return written_by(self.then) | written_by(self.otherwise)

    def run(self, env):
        other = dict(env)
        run_all(self.then, env)
        run_all(self.otherwise, other)
        merge(env, [dict(env), other])


def merge(env, ends):
    """`env` becomes what holds at all of these ends."""
    env.clear()
    first, *others = ends
    for key, value in first.items():
        if all(key in other for other in others):
            for other in others:
                value = bounds.join(value, other[key]) if isinstance(value, Bound) else value
            env[key] = value
    # An element that is stored at one of the ends may be stored.
    for end in ends:
        for key in (key for key in end if isinstance(key, str) and key.startswith("store ")):
            env[key] = bounds.join(env[key], end[key]) if key in env else end[key]


@dataclass
class Tensor:
    """A parameter. Inputs hold multiples of `unit` up to `top`; an output is written by one Store."""

    name: str
    element: str
    extents: tuple
    top: float = 0.0
    unit: float = 1.0
    output: bool = False
    static: bool = False  # the last extent is in the type
    padding: int = 0

    def text(self):
        if len(self.extents) == 2 and not self.static:
            return f"gl<{self.element}> {self.name}"
        sizes = ["-1"] * (len(self.extents) - 1) + [str(self.extents[-1]) if self.static else "-1"]
        return f"gl<{self.element}, {', '.join(sizes)}> {self.name}"

    def bound(self):
        return Bound(-self.top, self.top, self.unit)


@dataclass
class Program:
    """One kernel."""

    name: str
    tensors: list = field(default_factory=list)
    scalars: list = field(default_factory=list)  # (type, name, value)
    helpers: list = field(default_factory=list)  # texts that stand before the kernel
    head: str = ""  # of the grid loop
    before: list = field(default_factory=list)  # lines before the grid loop
    body: list = field(default_factory=list)
    wrapped: str = ""  # a loop over warpgroups or warps around the whole body

    def text(self):
        parameters = [tensor.text() for tensor in self.tensors]
        parameters += [f"{kind} {name}" for kind, name, _ in self.scalars]
        body = indented(self.body)
        if self.wrapped:
            body = [f"  for ({self.wrapped}) {{", *("  " + line for line in body), "  }"]
        lines = [*self.helpers, f"kernel {self.name}({', '.join(parameters)}) {{"]
        lines += ["  " + line for line in self.before]
        lines += [f"  for ({self.head}) {{", *("  " + line for line in body), "  }", "}"]
        return "\n".join(lines) + "\n"

    def bounds(self):
        """What is known of each output, by the tensor's name; Unknown if nothing useful."""
        env = {}
        run_all(self.body, env)
        return {key[6:]: value for key, value in env.items() if key.startswith("store ")}
