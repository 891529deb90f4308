"""lambdas.py - Random functions of one element, and predicates over its row and column.

A lambda's body is a scalar expression: a pair of its text and a function from what is known of its
variables (a dictionary) to its bound.
"""
from dataclasses import dataclass

from . import bounds
from .bounds import Bound


@dataclass(frozen=True)
class Lambda:
    """An operand that is a lambda. `limit` gives the bound of its value from its arguments'."""

    code: str
    limit: callable
    uses: frozenset = frozenset()

    def text(self):
        return self.code

    def names(self):
        return set(self.uses)

    def bound(self, env):
        return None


def predicate(gen):
    """A lambda bool(int r, int c), true at some places."""
    rng = gen.rng
    shift = gen.index_expression(32)
    code = rng.choice(
        (
            f"r >= c + {shift.text()}",
            f"r + {shift.text()} != c",
            f"c < {shift.text()} + 16",
            f"r * 2 + 1 > c && c >= {rng.randrange(8)}",
            f"(r + c) % {rng.choice((2, 3, 5))} != 0",
            f"r < {rng.randrange(1, 64)} || c > {shift.text()}",
            f"!(r == c)",
        )
    )
    return Lambda(f"[=](int r, int c) {{ return {code}; }}", lambda *_: None, shift.uses if shift.text() in code else frozenset())


def elementwise(gen, want, count):
    """A lambda of `count` values, and of their row and column (an index, for a vector) now and then."""
    rng = gen.rng
    integer = want.element in bounds.INTEGERS
    kind = "int" if integer else "float"
    values = ["x", "y", "z"][:count]
    places = []
    if rng.random() < 0.5:
        places = ["r", "c"] if want.is_tile else ["i"]
    known = {"r": Bound(0, max(want.rows - 1, 0), 1.0), "c": Bound(0, max(want.cols - 1, 0), 1.0)}
    known["i"] = Bound(0, want.count - 1, 1.0)
    uses = set()
    code, limit = expression(gen, values, places, 3, integer, uses)
    head = ", ".join([f"{kind} {v}" for v in values] + [f"int {p}" for p in places])

    def result(*arguments):
        return limit(known | dict(zip(values, arguments)))

    return Lambda(f"[=]({head}) {{ return {code}; }}", result, frozenset(uses))


def expression(gen, values, places, depth, integer, uses):
    """A random scalar expression."""
    rng = gen.rng
    if depth == 0 or rng.random() < 0.15:
        return leaf(gen, values, places, integer, uses)
    first, limit_first = expression(gen, values, places, depth - 1, integer, uses)
    kind = rng.choice(("binary", "binary", "binary", "choice", "function"))
    if kind == "function" and not integer and "functions" in gen.features:
        action = rng.choice(("tanh", "exp2", "abs", "floor", "sin", "cos", "erf"))
        bound = {"abs": bounds.absolute}.get(action) or getattr(bounds, action)
        if action == "exp2":
            return f"exp2(min({first}, 2.0f))", lambda env: bound(bounds.smaller(limit_first(env), bounds.number(2)))
        return f"{action}({first})", lambda env: bound(limit_first(env))
    second, limit_second = expression(gen, values, places, depth - 1, integer, uses)
    if kind == "choice":
        value = values[0]
        other = rng.randrange(-2, 3)

        def limit(env):
            bounds.exact(env[value])
            return bounds.join(limit_first(env), limit_second(env))

        return f"({value} > {other} ? {first} : {second})", limit
    symbol, action = rng.choice((("+", bounds.add), ("-", bounds.sub), ("*", bounds.mul)))
    if rng.random() < 0.2:
        action, name = rng.choice(((bounds.larger, "max"), (bounds.smaller, "min")))
        return f"{name}({first}, {second})", lambda env: action(limit_first(env), limit_second(env))
    return f"({first} {symbol} {second})", lambda env: action(limit_first(env), limit_second(env))


def leaf(gen, values, places, integer, uses):
    rng = gen.rng
    kind = rng.choice(("value", "value", "place", "number", "scalar"))
    if kind == "place" and places:
        name = rng.choice(places)
        if integer:
            return name, lambda env: env[name]
        return f"{name} * 0.125f", lambda env: bounds.mul(env[name], bounds.number(0.125))
    if kind == "number":
        number = rng.choice((1, 2, 3, -1)) if integer else rng.choice((0.5, 1.0, 2.0, -1.5, 0.25))
        return (str(number) if integer else f"{number}f"), lambda env: bounds.number(number)
    if kind == "scalar":
        scalar = gen.index_expression(8)
        uses.update(scalar.uses)
        return scalar.text(), lambda env: scalar.known
    name = rng.choice(values)
    return name, lambda env: env[name]
