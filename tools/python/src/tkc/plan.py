"""plan.py - The launch plans of --emit=plan, as the native module reads them (tools/python/launch/reader.cpp)."""
from .errors import CompileError

FORMAT = 1
DTYPES = {name: number for number, name in enumerate(("bf16", "f16", "f32", "e4m3", "e5m2", "i8", "i32"))}
DTYPE_NAMES = {number: name for name, number in DTYPES.items()}
BOOLEAN = 100
OPERATIONS = ("constant", "value", "add", "sub", "mul", "div", "rem", "ceil_div", "min", "max", "and", "or", "xor", "shl", "shr",
              "select", "eq", "ne", "lt", "le", "gt", "ge", "fadd", "fmul")
REQUIREMENTS = ("tensor", "elements", "extent", "same_extent", "written", "fragments", "rounded_extent")
PARAMETERS = ("tensor_map", "view", "tile_counter", "extent", "scalar")
LAUNCH_MODEL = ("fill_and_drain", "power_of_loads", "rows_within_line", "rows_within_sector")
MAX_RANK = 4


def check_format(plan):
    if not isinstance(plan, dict) or plan.get("format") != FORMAT:
        found = plan.get("format") if isinstance(plan, dict) else None
        raise CompileError(f"the launch plan has format {found} when this tkc reads {FORMAT}; compile the source again")
    return plan


def is_optional(argument):
    """An output that a call may leave out: only stored, never read or added to."""
    return argument["kind"] == "tensor" and argument["written"] and not argument["read"] and not argument["added"]


def sources_of_extents(function):
    """For each dimension of each optional output where a new one's extent comes from: a constant or -1, and the dimensions of
    other tensors that are equal to it."""
    leader = {}

    def find(place):
        while leader.get(place, place) != place:
            place = leader[place]
        return place

    constants = {}
    for required in function["requirements"]:
        if required["kind"] == "same_extent":
            leader[find((required["argument"], required["dimension"]))] = find((required["other"], required["other_dimension"]))
    for required in function["requirements"]:
        if required["kind"] == "extent":
            constants[find((required["argument"], required["dimension"]))] = required["extent"]
    equal = {}
    for number, argument in enumerate(function["arguments"]):
        for dim in range(argument["rank"] if argument["kind"] == "tensor" else 0):
            equal.setdefault(find((number, dim)), []).append((number, dim))

    def source(number, dim):
        here = find((number, dim))
        return constants.get(here, -1), tuple(a * MAX_RANK + d for a, d in equal[here] if a != number)

    return [tuple(source(number, dim) for dim in range(argument.get("rank", 0)))
            for number, argument in enumerate(function["arguments"])]


def optional_arguments(function, sources=None):
    """Numbers of the outputs that can be left out: those whose extents are constant or those of an argument that is given.
    Of two outputs that only have each other's extents, the first is given."""
    sources = sources or sources_of_extents(function)
    made = [number for number, argument in enumerate(function["arguments"]) if is_optional(argument)]

    def is_known(number):
        return all(constant >= 0 or any(place // MAX_RANK not in made for place in others)
                   for constant, others in sources[number])

    while unknown := [number for number in made if not is_known(number)]:
        made.remove(unknown[0])
    return made


def _arguments(function):
    sources = sources_of_extents(function)
    optional = set(optional_arguments(function, sources))
    for number, argument in enumerate(function["arguments"]):
        is_tensor = argument["kind"] == "tensor"
        dtype = BOOLEAN if argument["dtype"] == "bool" else DTYPES[argument["dtype"]]
        yield (argument["name"], is_tensor, dtype, argument.get("rank", 0), number in optional, sources[number])


def _requirements(function):
    return tuple((REQUIREMENTS.index(each["kind"]), each["argument"], each.get("other", 0), each.get("dimension", 0),
                  each.get("other_dimension", 0), each.get("extent", 0)) for each in function["requirements"])


def _expression(items, values):
    def item(each):
        if isinstance(each, (int, float)):
            return (0, 0, float(each))
        if each.startswith("$"):
            return (1, values[each[1:]], 0.0)
        return (OPERATIONS.index(each, 2), 0, 0.0)

    return tuple(item(each) for each in items)


def _kernel(function, special):
    values = {parameter["name"]: number for number, parameter in enumerate(function["parameters"])} | special
    parameters = []
    for parameter in function["parameters"]:
        box = parameter.get("box", [])
        parameters.append((PARAMETERS.index(parameter["kind"]), parameter.get("argument", 0), parameter.get("dimension", 0),
                           tuple([1] * (MAX_RANK - len(box)) + box), parameter.get("swizzle", 0),
                           parameter.get("loaded_bytes", 0), parameter.get("output", False), parameter.get("parts", False)))
    launch, cost = function["launch"], function.get("cost", {})
    return (function["name"], function["symbol"], _requirements(function), tuple(parameters),
            tuple(_expression(tile["postfix"], values) for tile in launch["tiles"]),
            _expression(cost.get("computes", []), values), _expression(cost.get("loads", []), values),
            cost.get("middle", False), tuple(cost["launch"][name] for name in LAUNCH_MODEL), launch["threads"],
            launch["shared_bytes"], launch["cluster"], launch.get("blocks_per_sm", 1), launch["persistent"],
            launch["overlaps"])


def _measured(function, most_places):
    """What tkc tune measured of a choice: SMs, places of extents, and rows of extents with the fastest kernel's number."""
    table = function.get("measured")
    if not table or len(table["places"]) > most_places:
        return ()
    return (table["sms"], tuple((place["argument"], place["dimension"]) for place in table["places"]),
            tuple((*row["extents"], row["kernel"]) for row in table["rows"]))


def kernels_of(plan, function):
    """The kernels that a function may launch."""
    if function["kind"] == "kernel":
        return [function]
    by_name = {each["name"]: each for each in plan["functions"]}
    return [by_name[name] for name in function["kernels"]]


def native_arguments(plan, function, native):
    """What _launch.Function takes."""
    special = {"upper": native.UPPER, "unknown_trips": native.UNKNOWN_TRIPS}
    try:
        kernels = tuple(_kernel(kernel, special) for kernel in kernels_of(plan, function))
        return (function["name"], tuple(_arguments(function)), _requirements(function), kernels, function["kind"] == "choice",
                _measured(function, native.MOST_PLACES))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise CompileError(f"the launch plan is malformed ({error}); compile the source again") from None


def signature(function):
    """'gemm(A: bf16[M, N], ...) -> C': what print shows."""
    optional = set(optional_arguments(function))
    names = ("cols", "rows", "depth", "batch")
    texts = []
    for number, argument in enumerate(function["arguments"]):
        if argument["kind"] == "scalar":
            texts.append(f"{argument['name']}: {dict(f32='float', i32='int', bool='bool')[argument['dtype']]}")
            continue
        rank = argument["rank"]
        extents = ", ".join(names[rank - 1 - dim] if extent is None else str(extent)
                            for dim, extent in enumerate(argument["extents"]))
        access = " added to" if argument["added"] else " written" if argument["written"] else ""
        texts.append(f"{argument['name']}: {argument['dtype']}[{extents}]{access}{' (made)' if number in optional else ''}")
    made = [function["arguments"][number]["name"] for number in sorted(optional)]
    return f"{function['name']}({', '.join(texts)})" + (f" -> {', '.join(made)}" if made else "")
