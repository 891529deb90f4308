"""operations.py - The table of operations: for a wanted type, ways to make a value of it.

A recipe is a function (gen, want, depth) that gives a Call, or None if it cannot make this type. It
asks `gen` for operands (generate.py), which are variables, numbers, or smaller expressions. Each recipe
stands in RECIPES with the feature it needs and how often it is taken.
"""
from . import bounds, lambdas
from .tree import Call, Type, literal

RECIPES = []  # (feature, weight, recipe)


def recipe(feature, weight=1.0):
    def add(function):
        RECIPES.append((feature, weight, function))
        return function

    return add


def call(operation, want, args, limit, code=None, destination=None):
    """A call in its usual spelling: operation(operands), and operation(to, operands)."""
    holes = ", ".join(f"{{{i}}}" for i in range(len(args)))
    into = f"{operation}({{to}}, {holes})" if args else f"{operation}({{to}})"
    return Call(operation, want, tuple(args), code or f"{operation}({holes})", limit, into if destination is None else destination)


def vector_along(want, rows):
    """The vector that lies along a tile's rows (one value for each row), or its columns."""
    if rows:
        return Type("col_vec", want.element, rows=want.rows)
    return Type("row_vec", want.element, cols=want.cols)


# Each function, what its operand is brought into first, and its bound.
FUNCTIONS = {
    "exp": ("low", bounds.exp),
    "exp2": ("low", bounds.exp2),
    "log": ("positive", bounds.log),
    "log2": ("positive", bounds.log2),
    "tanh": ("small", bounds.tanh),
    "gelu": ("small", bounds.gelu),
    "gelu_tanh": ("small", bounds.gelu_tanh),
    "silu": ("small", bounds.silu),
}
ROOTS = {"sqrt": bounds.sqrt, "rsqrt": bounds.rsqrt, "rcp": bounds.rcp}
SIGNS = {"abs": bounds.absolute, "neg": bounds.neg, "relu": bounds.relu}
BINARY = {
    "add": (bounds.add, "+"),
    "sub": (bounds.sub, "-"),
    "mul": (bounds.mul, "*"),
    "max": (bounds.larger, None),
    "min": (bounds.smaller, None),
}


def brought(gen, x, domain):
    """`x`, or what arithmetic makes of it, so that a function accepts it (most of the time)."""
    if "arithmetic" not in gen.features or gen.rng.random() < 0.2:
        return x
    if domain == "positive":
        size = call("abs", x.type, [x], bounds.absolute)
        return call("add", x.type, [size, literal(gen.rng.choice((0.5, 1, 2)))], bounds.add, "{0} + {1}")
    if domain == "low":
        return call("min", x.type, [x, literal(gen.rng.choice((0, 1, 3)))], bounds.smaller)
    scaled = literal(gen.rng.choice((0.25, 0.125, 0.0625)))
    return call("mul", x.type, [x, scaled], bounds.mul, "{0} * {1}") if gen.rng.random() < 0.5 else x


@recipe("functions", 4)
def function(gen, want, depth):
    if want.element in bounds.INTEGERS:
        return None
    operation = gen.rng.choice(list(FUNCTIONS))
    domain, limit = FUNCTIONS[operation]
    return call(operation, want, [brought(gen, gen.operand(want, depth), domain)], limit)


@recipe("arithmetic", 2)
def sign(gen, want, depth):
    operation = gen.rng.choice(list(SIGNS))
    code = "-{0}" if operation == "neg" and gen.rng.random() < 0.5 else None
    x = gen.operand(want, 0 if code else depth)
    return call(operation, want, [x], SIGNS[operation], code)


@recipe("bits", 4)
def bits(gen, want, depth):
    x = gen.operand(want, depth)
    if want.element == "float":
        code, limit = gen.rng.choice((("^ 1 << 31", bounds.neg), ("& 0x7fffffff", bounds.absolute)))
        return call("int_as_float", want, [x], limit, f"int_as_float(float_as_int({{0}}) {code})",
                    f"int_as_float({{to}}, float_as_int({{0}}) {code})")
    if want.element not in bounds.INTEGERS:
        return None
    if gen.rng.random() < 0.5:
        return call("bit_not", want, [x], lambda a: bounds.sub(bounds.neg(a), bounds.number(1)),
                    "~{0}" if gen.rng.random() < 0.5 else None)
    infix = "({0} << {1})" if gen.rng.random() < 0.5 else None
    return call("shift_left", want, [x, literal(1)], lambda a, _: bounds.mul(a, bounds.number(2)), infix)


@recipe("division", 1)
def root(gen, want, depth):
    if want.element in bounds.INTEGERS:
        return None
    operation = gen.rng.choice(list(ROOTS))
    return call(operation, want, [brought(gen, gen.operand(want, depth), "positive")], ROOTS[operation])


@recipe("arithmetic", 8)
def binary(gen, want, depth):
    operation = gen.rng.choice(list(BINARY))
    return two_operands(gen, want, depth, operation, *BINARY[operation])


@recipe("division", 1)
def quotient(gen, want, depth):
    if want.element in bounds.INTEGERS:
        return None
    below = gen.rng.choice((brought(gen, gen.operand(want, 0), "positive"), literal(gen.rng.choice((2, 4, 3)))))
    return call("div", want, [gen.operand(want, depth), below], bounds.div)


def two_operands(gen, want, depth, operation, limit, symbol):
    x = gen.operand(want, depth)
    kind = gen.rng.choice(("same", "same", "number", "number first", "vector"))
    if kind == "vector" and (not takes_vectors(want) or "along" not in gen.features):
        kind = "same"
    if kind == "same":
        y = gen.operand(want, depth - 1)
    elif kind == "vector":
        y = gen.operand(vector_along(want, gen.rng.random() < 0.5), depth - 1)
    else:
        y = gen.number(want.element)
    args = [y, x] if kind == "number first" else [x, y]
    infix = symbol and gen.rng.random() < 0.6
    return call(operation, want, args, limit, f"({{0}} {symbol} {{1}})" if infix else None)


@recipe("arithmetic", 2)
def multiply_add(gen, want, depth):
    others = [gen.operand(want, 0) if gen.rng.random() < 0.5 else gen.number(want.element) for _ in range(2)]
    return call("fma", want, [gen.operand(want, depth), *others], bounds.fma)


def takes_vectors(type):
    """Whether vectors lie along tiles of this type."""
    return type.kind == "rt" and type.layout == "row"


@recipe("along", 4)
def along(gen, want, depth):
    if not takes_vectors(want):
        return None
    rows = gen.rng.random() < 0.5
    operation = gen.rng.choice(("add", "sub", "mul"))
    vector = gen.operand(vector_along(want, rows), depth - 1)
    return call(f"{operation}_{'row' if rows else 'col'}", want, [gen.operand(want, depth), vector], BINARY[operation][0])


@recipe("outer", 2)
def outer(gen, want, depth):
    if not takes_vectors(want):
        return None
    if gen.rng.random() < 0.6:
        operation = gen.rng.choice(("add", "sub", "mul"))
        vectors = [gen.operand(vector_along(want, rows), depth - 1) for rows in (True, False)]
        return call(f"outer_{operation}", want, vectors, BINARY[operation][0])
    vector = gen.operand(vector_along(want, gen.rng.random() < 0.5), depth - 1)
    return call("broadcast", want, [vector], lambda x: x, f"broadcast<{want.text()}>({{0}})")


def reduction(gen, want, depth, along_rows):
    of = gen.tile_with(want, along_rows)
    if not of:
        return None
    count = of.cols if along_rows else of.rows
    operation = gen.rng.choice(("max", "min", "sum"))
    args = [gen.operand(of, depth)]
    if gen.rng.random() < 0.3:
        args.append(gen.operand(want, 0))
    fold = {"max": bounds.larger, "min": bounds.smaller, "sum": bounds.add}[operation]

    def limit(x, init=None):
        result = bounds.total(x, count) if operation == "sum" else x
        return fold(result, init) if init else result

    return call(f"{'row' if along_rows else 'col'}_{operation}", want, args, limit)


@recipe("row_reductions", 6)
def row_reduction(gen, want, depth):
    return reduction(gen, want, depth, True) if want.kind == "col_vec" else None


@recipe("col_reductions", 6)
def column_reduction(gen, want, depth):
    return reduction(gen, want, depth, False) if want.kind == "row_vec" else None


@recipe("largest", 3)
def extreme(gen, want, depth):
    if want.is_tile:
        return None
    return call(gen.rng.choice(("largest", "smallest")), want, [gen.operand(want, depth)], lambda x: x)


@recipe("cumsum", 1)
def running_sum(gen, want, depth):
    if want.is_tile:
        return None

    def limit(x):
        return bounds.join(x, bounds.total(x, want.count))

    return call(gen.rng.choice(("cumsum", "reverse_cumsum")), want, [gen.operand(want, depth)], limit)


@recipe("masks", 3)
def mask(gen, want, depth):
    if want.kind != "rt":
        return None
    operation = gen.rng.choice(("causal", "tril", "triu", "right_fill", "left_fill", "lower_fill", "upper_fill"))
    args = [gen.operand(want, depth), gen.index_expression(64)]
    if gen.rng.random() < 0.5 or (operation == "causal" and want.element in bounds.INTEGERS):
        args.append(gen.number(want.element))
    default = -bounds.INF if operation == "causal" else 0
    return call(operation, want, args, lambda x, where, other=bounds.number(default): bounds.join(x, other))


@recipe("masks", 2)
def mask_by_lambda(gen, want, depth):
    if want.kind != "rt" or want.element in bounds.INTEGERS:
        return None
    args = [gen.operand(want, depth), lambdas.predicate(gen)]
    if gen.rng.random() < 0.7:
        args.append(gen.number(want.element))
    return call("mask", want, args, lambda x, keep, other=bounds.number(-bounds.INF): bounds.join(x, other))


@recipe("magnitudes", 40)
def weights(gen, want, depth):
    """Exponentials of the distances from a row's largest number, far from zero, hidden by a large number, or many times as
    far apart; the distances themselves are exact."""
    if not takes_vectors(want) or want.element != "float":
        return None
    args = [gen.operand(want, 0)]
    form = gen.rng.choice(("shifted", "hidden", "scaled"))
    large = 2.0 ** gen.rng.randrange(12, 23) if form == "shifted" else 2.0 ** gen.rng.randrange(-100, 100)
    hides = gen.rng.choice((-1e4, -1e9, -1e30, -3e38))
    moved = {"shifted": f"({{0}} + {large!r}f)", "scaled": f"({{0}} * {large!r}f)", "hidden": f"mask({{0}}, {{1}}, {hides!r}f)"}[form]
    if form == "hidden":
        args.append(lambdas.predicate(gen))

    def limit(x, *_):
        bounds.finite(x)
        bounds.exact(x)
        bounds.need(x.unit is not None, "no unit")
        apart = x.hi - x.lo
        if form == "shifted":
            bounds.need(x.largest + large <= x.unit * 2.0**bounds.FLOAT_BITS, "large")
        elif form == "scaled" and x.unit * large >= 128:  # one, or nothing
            return bounds.Bound(0.0, 1.0, 1.0)
        elif form == "scaled":
            apart *= large
        return bounds.exp(bounds.Bound(-apart, 0.0))

    return call("exp", want, args, limit, f"exp(sub_row({moved}, row_max({moved})))", destination="")


@recipe("select", 2)
def select(gen, want, depth):
    x, y = gen.operand(want, depth), gen.operand(want, 0) if gen.rng.random() < 0.6 else gen.number(want.element)
    if want.kind == "rt" and gen.rng.random() < 0.5:
        return call("select", want, [x, y, lambdas.predicate(gen)], lambda x, y, keep: bounds.join(x, y))

    def limit(where, x, y):
        bounds.exact(where)
        return bounds.join(x, y)

    return call("select", want, [gen.operand(want, 0), x, y], limit)


@recipe("maps", 3)
def map_lambda(gen, want, depth):
    others = []
    if gen.rng.random() < 0.4:
        others = [gen.operand(want, 0) for _ in range(gen.rng.choice((1, 1, 2)))]
    function = lambdas.elementwise(gen, want, 1 + len(others))
    args = [gen.operand(want, depth), *others, function]
    destination = f"apply({{to}}, {{0}}, {{1}})" if not others else ""
    return call("map", want, args, lambda *args: function.limit(*args[:-1]), destination=destination)


@recipe("sequences", 2)
def sequence(gen, want, depth):
    if want.is_tile:
        return None
    if gen.rng.random() < 0.4:
        return call("iota", want, [], lambda: bounds.Bound(0, want.count - 1, 1.0), f"iota<{want.text()}>()")
    args = [gen.index_expression(100)]
    if gen.rng.random() < 0.5:
        args.append(literal(gen.rng.choice((1, 2, -1, 3)), integer=True))

    def limit(start, step=bounds.number(1)):
        ends = [start, bounds.add(start, bounds.mul(step, bounds.number(want.count - 1)))]
        return bounds.Bound(min(b.lo for b in ends), max(b.hi for b in ends), 1.0)

    holes = ", ".join(f"{{{i}}}" for i in range(len(args)))
    return call("arange", want, args, limit, f"arange<{want.text()}>({holes})")


@recipe("conversions", 2)
def conversion(gen, want, depth):
    source = gen.rng.choice([e for e in gen.elements if e != want.element] or [want.element])
    if source == want.element:
        return None
    x = gen.operand(want.of(source), depth)
    return call("copy", want, [x], lambda x: x, f"{want.text()}({{0}})")


@recipe("parts", 2)
def part(gen, want, depth):
    if want.kind == "col_vec":
        of = gen.tile_with(want, True)
        j = gen.rng.randrange(of.cols) if of else 0
        return of and call("column", want, [gen.operand(of, depth), literal(j, integer=True)], lambda x, j: x)
    if want.kind != "rt":
        return None
    return gen.rng.choice((slice_of, half_of, joined, every_other, interleaved))(gen, want, depth)


def slice_of(gen, want, depth):
    larger = gen.larger_tiles(want)
    if not larger:
        return None
    of = gen.rng.choice(larger)
    i = 16 * gen.rng.randrange((of.rows - want.rows) // 16 + 1) if gen.rng.random() < 0.7 else 0
    j = 16 * gen.rng.randrange((of.cols - want.cols) // 16 + 1)
    args = [gen.operand(of, depth), literal(i, integer=True), literal(j, integer=True)]
    return call("slice", want, args, lambda x, i, j: x, f"slice<{want.rows}, {want.cols}>({{0}}, {{1}}, {{2}})")


def half_of(gen, want, depth):
    sideways = Type("rt", want.element, want.rows, want.cols * 2, want.layout)
    upright = Type("rt", want.element, want.rows * 2, want.cols, want.layout)
    choices = [(sideways, "left_half"), (sideways, "right_half"), (upright, "upper_half"), (upright, "lower_half")]
    of, operation = gen.rng.choice(choices)
    if not gen.has(of):
        return None
    return call(operation, want, [gen.operand(of, 0)], lambda x: x, destination="")


def every_other(gen, want, depth):
    of = Type("rt", want.element, want.rows, want.cols * 2, want.layout)
    if want.layout != "row" or not gen.has(of):
        return None
    return call(gen.rng.choice(["even_cols", "odd_cols"]), want, [gen.operand(of, 0)], lambda x: x, destination="")


def interleaved(gen, want, depth):
    of = Type("rt", want.element, want.rows, want.cols // 2, want.layout)
    if want.layout != "row" or want.cols % 32 or not gen.has(of):
        return None
    return call("interleave_cols", want, [gen.operand(of, 0), gen.operand(of, 0)], bounds.join, destination="")


def joined(gen, want, depth):
    rows = gen.rng.random() < 0.4
    size = want.rows if rows else want.cols
    if size < 32:
        return None
    first = gen.rng.choice([n for n in (16, size // 2, size - 16) if n % 16 == 0])
    make = lambda n: Type("rt", want.element, *((n, want.cols) if rows else (want.rows, n)), want.layout)
    if not gen.has(make(first)) or not gen.has(make(size - first)):
        return None
    args = [gen.operand(make(first), 0), gen.operand(make(size - first), 0)]
    return call("concat_rows" if rows else "concat_cols", want, args, bounds.join, destination="")


@recipe("parts", 1)
def swapped(gen, want, depth):
    if want.kind != "rt" or want.layout != "row":
        return None
    return call("swap_pairs", want, [gen.operand(want, depth)], lambda x: x, destination="")


@recipe("transpose", 1)
def transposed(gen, want, depth):
    if want.kind == "rt":
        of = Type("rt", want.element, want.cols, want.rows, want.layout)
        if not gen.has(of):
            return None
        return call("transpose", want, [gen.operand(of, depth)], lambda x: x)
    flipped = Type("row_vec" if want.kind == "col_vec" else "col_vec", want.element, want.cols, want.rows)
    if not gen.has(flipped):
        return None
    return call("transpose", want, [gen.operand(flipped, depth)], lambda x: x, destination="")


@recipe("layouts", 1)
def swapped(gen, want, depth):
    if want.kind != "rt" or not gen.has_layouts:
        return None
    of = Type("rt", want.element, want.rows, want.cols, "col" if want.layout == "row" else "row")
    return call("swap_layout", want, [gen.operand(of, depth)], lambda x: x)


@recipe("random", 1)
def random_tile(gen, want, depth):
    if want.kind != "rt" or want.element != "float":
        return None
    args = [literal(gen.rng.randrange(100), integer=True), gen.coordinate(), gen.coordinate()]
    if gen.rng.random() < 0.5:
        args.append(literal(gen.rng.randrange(5), integer=True))
    holes = ", ".join(f"{{{i}}}" for i in range(len(args)))
    return call("random", want, args, lambda *_: bounds.Bound(0, 1, 2.0**-24), f"random<{want.text()}>({holes})")


@recipe("mm", 4)
def matmul_alone(gen, want, depth):
    operands = gen.matmul_operands(want)
    if not operands:
        return None
    form, a, b, inner = operands
    limit = lambda a, b: bounds.matmul(bounds.number(0), a, b, inner)
    return call(f"mm_{form}", want, [a, b], limit)


@recipe("helpers", 1)
def helper_call(gen, want, depth):
    return gen.helper(want)


@recipe("copies", 1)
def copied(gen, want, depth):
    return gen.has(want) and call("copy", want, [gen.operand(want, 0)], lambda x: x, "{0}", "copy({to}, {0})")


@recipe("fp8", 0.5)
def through_few_bits(gen, want, depth):
    if want.element != "float" or not want.is_tile:
        return None
    narrow = want.of(gen.rng.choice(("e4m3", "e5m2", "int8")))
    inner = call("copy", narrow, [gen.operand(want, depth)], lambda x: x, f"{narrow.text()}({{0}})")
    return call("copy", want, [inner], lambda x: x, f"{want.text()}({{0}})")


@recipe("gathers", 1)
def gathered(gen, want, depth):
    return gen.gather(want)
