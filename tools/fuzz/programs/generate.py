"""generate.py - From a seed to a program.

The generator appends one random statement after another to a block, and keeps a statement only if the
program's bounds stay useful with it (bounds.py). What is left unread at the end is taken out again, so
that every statement counts for an output.
"""
import random

from . import bounds, operations
from .bounds import Bound, Unknown
from .hand_overs import HandOvers
from .prune import needed, prune, walk
from .statements import Statements
from .tree import Call, Continue, Loop, Program, Scalar, Store, Tensor, Type, literal

WIDTHS = (16, 32, 48, 64, 96, 128)


class Generator(Statements):
    """Makes one program; `operand`, `number` and the like serve the recipes of operations.py."""

    def __init__(self, seed, name, features):
        self.rng = random.Random(seed)
        self.rng_of_blocks = random.Random(f"{seed}.blocks")  # so that a seed's program stays what it was
        self.features = features
        self.program = Program(name)
        self.counter = 0
        self.scopes = [[]]  # variables in sight, a list for each block
        self.loops = []  # (variable, trips) around the place where we are
        self.extents = {}  # what an index of the grid or a loop walks in steps of n: one extent for all
        self.outer = None  # the outermost loop or branch under construction, and env before it
        self.env = {}
        self.reads = 0
        self.added = set()  # outputs of statements in loops
        self.multiplied = {}  # accumulator: the block of its last matmul

    # -- What the recipes ask for ----------------------------------------------------------------

    def visible(self, type):
        return [ref for scope in self.scopes for ref in scope if ref.type == type]

    def has(self, type):
        return bool(self.visible(type))

    def operand(self, type, depth):
        """An expression of this type."""
        known = self.visible(type)
        if depth > 0 and (not known or self.rng.random() < 0.25):
            made = self.expression(type, depth - 1)
            if made and made.code:
                return made
        if known:
            return self.rng.choice(known[-4:])
        return Call("fill", type, (self.number(type.element),), type.text() + "({0})", lambda x: x, "")

    def expression(self, type, depth):
        """A call of a random operation that gives this type, or None."""
        recipes = [(r, w) for feature, w, r in operations.RECIPES if feature in self.features]
        for _ in range(6 if recipes else 0):
            recipe = self.rng.choices([r for r, _ in recipes], [w for _, w in recipes])[0]
            made = recipe(self, type, depth)
            if made:
                return made
        return None

    def number(self, element):
        """A number that can stand beside elements of this type."""
        if element in bounds.INTEGERS:
            if self.rng.random() < 0.3:
                return self.index_expression(8)
            return literal(self.rng.choice((0, 1, 2, 3, -1, -2)), integer=True)
        floats = [(name, value) for kind, name, value in self.program.scalars if kind == "float"]
        if floats and self.rng.random() < 0.4:
            name, value = self.rng.choice(floats)
            return Scalar(name, bounds.number(value), frozenset())
        return literal(self.rng.choice((0.0, 1.0, 2.0, 0.5, -1.0, 3.0, -0.25, 1.5)))

    def index_expression(self, largest):
        """An int: a constant, or made of the coordinates and the int parameters."""
        variables = [(name, 0, trips - 1) for name, trips in self.coordinates if trips * 16 <= 128]
        variables += [(name, value, value) for kind, name, value in self.program.scalars if kind == "int"]
        if not variables or self.rng.random() < 0.4:
            return literal(self.rng.randrange(largest), integer=True)
        name, lo, hi = self.rng.choice(variables)
        step, shift = self.rng.choice((1, 2, 16)), self.rng.randrange(8)
        known = Bound(min(lo, hi) * step + shift, max(lo, hi) * step + shift, 1.0)
        if known.largest > 512:
            return literal(self.rng.randrange(largest), integer=True)
        scaled = name if step == 1 else f"{name} * {step}"
        code = f"({scaled} + {shift})" if shift else scaled if step == 1 else f"({scaled})"
        return Scalar(code, known, frozenset({name}))

    def coordinate(self):
        """An int that is not negative."""
        name, trips = self.rng.choice(self.coordinates)
        return Scalar(f"{name} * 16", Bound(0, 16 * trips, 1.0), frozenset({name}))

    @property
    def coordinates(self):
        return self.grid + self.loops

    def tile_with(self, vector, rows):
        """The type of a tile along which this vector lies, one that there are variables of if possible."""
        fits = lambda t: (t.kind, t.element, t.layout) == ("rt", vector.element, "row") and (
            t.rows if rows else t.cols) == vector.count
        known = [ref.type for scope in self.scopes for ref in scope if fits(ref.type)]
        if known:
            return self.rng.choice(known)
        size = (vector.count, self.bn) if rows else (self.bm, vector.count)
        return Type("rt", vector.element, *size) if self.register_tile_fits(*size) else None

    def larger_tiles(self, want):
        fits = lambda t: (t.kind, t.element, t.layout) == (want.kind, want.element, want.layout)
        known = {ref.type for scope in self.scopes for ref in scope if fits(ref.type)}
        larger = [t for t in known if t.rows >= want.rows and t.cols >= want.cols and t != want]
        return sorted(larger, key=lambda t: (t.rows, t.cols))

    # -- Shapes and tensors ----------------------------------------------------------------------

    @property
    def has_layouts(self):
        """Whether tiles may be `col`: only matmuls of warps take them."""
        return "layouts" in self.features and self.scope == "warps"

    def register_tile_fits(self, rows, cols):
        return rows * cols <= self.largest_tile

    def choose_shapes(self):
        rng = self.rng
        self.scope = rng.choice([s for s in ("block", "block", "block", "warpgroups", "warps") if s == "block" or s in self.features])
        if self.scope == "warps":
            self.bm, self.groups = rng.choice((16, 16, 32)), rng.choice((4, 8))
            self.bn = rng.choice((16, 32, 64))
            self.bk = rng.choice((16, 32))
            self.largest_tile = self.bm * 64
        elif self.scope == "block" and "low_tiles" in self.features:
            self.bm, self.groups = rng.choice((16, 16, 32)), 1
            self.bn, self.bk = rng.choice((16, 32)), rng.choice((16, 32, 64))
            self.largest_tile = self.bm * 64
        else:
            self.bm = 64 if self.scope == "warpgroups" else rng.choice((64, 64, 128))
            self.groups = rng.choice((1, 2)) if self.scope == "warpgroups" else 1
            self.bn, self.bk = rng.choice(WIDTHS[: 6 if self.bm == 64 else 4]), rng.choice((16, 32, 64))
            self.largest_tile = 64 * 128
        if "wide_tiles" in self.features:
            self.bn = rng.choice((256, 320, 384, 512))
            self.largest_tile = self.bm * self.bn
        self.elements = ["float"]
        if "narrow_tiles" in self.features:
            self.elements += ["bf16"] + ["half"] * ("half" in self.features)
        if "integers" in self.features:
            self.elements += ["int32"]
        self.tensor_elements = ["bf16"] + ["half"] * ("half" in self.features)
        self.tensor_elements += ["float"] * ("float_tensors" in self.features)

    def extent(self, index, step):
        """The extent of a dimension walked by an index in steps; one for all that walk alike."""
        name = index.text()
        trips = dict(self.coordinates).get(name, 2)
        make = lambda: max(1, step * (trips - 1) + self.rng.choice((step, step, step - 1, 1, self.rng.randint(1, step))))
        if name not in dict(self.coordinates):
            return max(1, step * self.rng.randint(1, 2) - self.rng.choice((0, 0, 1, 7)))
        return self.extents.setdefault((name, step), make())

    def row_index(self):
        """The index of this block's rows, in tiles of its own height."""
        if self.scope == "block":
            return self.index("m")
        return Scalar(f"m * {self.groups} + w", Bound(0, 64, 1.0), frozenset({"m", "w"}))

    def index(self, name):
        """The number of a coordinate, of a pipeline loop perhaps from the last iteration to the first."""
        last = dict(self.coordinates)[name] - 1
        descends = "descending" in self.features and name.startswith("k") and self.rng.random() < 0.5
        return Scalar(f"({last} - {name})" if descends else name, Bound(0, last, 1.0), frozenset({name}))

    def some_index(self):
        """A place along a dimension, for an input: a coordinate or a small constant."""
        if self.rng.random() < 0.2:
            return literal(self.rng.randrange(2), integer=True)
        return self.index(self.rng.choice([name for name, _ in self.coordinates]))

    def new_name(self, letter):
        self.counter += 1
        return f"{letter}{self.counter}"

    def tensor(self, element, extents, **more):
        output = more.get("output", False)
        name = self.new_name("Y" if output else "X")
        top, unit = self.rng.choice(((2, 1.0), (4, 1.0), (2, 0.5), (1, 1.0), (8, 1.0), (1, 0.25)))
        padding = self.rng.choice((0, 0, 8, 24))
        made = Tensor(name, element, tuple(extents), top, unit, padding=padding, **more)
        self.program.tensors.append(made)
        return made

    def pages_of(self, type, indices):
        """Places in the first dimension for parts of the rows of a tile, or none."""
        if "pages" not in self.features or not type.is_tile or len(indices) < 3 or self.rng.random() < 0.3:
            return []
        count = self.rng.choice([n for n in (2, 4) if type.rows % (8 * n) == 0])
        return [self.rng.choice(("{0}", "{0} + 1", "{0} - 1")) for _ in range(count)]

    def place_for(self, type, indices, pages=1):
        """Extents of a tensor that a value of this type is moved to or from at these indices."""
        steps = [1] * (len(indices) - 1) + [type.cols or type.rows]
        if type.is_tile:
            steps[-2] = type.rows // pages
        return [self.extent(index, step) for index, step in zip(indices, steps)]

    def input_place(self, type):
        """Indices for a load, as many as a tensor may have dimensions."""
        ranks = (1, 2, 3, 4) if "ranks" in self.features else (1, 2)
        rank = self.rng.choice([r for r in ranks if r >= 1 + type.is_tile])
        return [self.some_index() for _ in range(rank)]

    def load(self, type):
        """A call that loads a value of this type from a new tensor."""
        indices = self.input_place(type)
        element = type.element if type.element in self.tensor_elements else self.rng.choice(self.tensor_elements)
        if type.kind in ("st", "sv") and type.element != element:
            return None
        if type.element in bounds.INTEGERS:
            return None
        pages = self.pages_of(type, indices)
        tensor = self.tensor(element, self.place_for(type, indices, len(pages) or 1))
        holes = ", ".join(f"{{{i}}}" for i in range(len(indices)))
        if "halos" in self.features:
            at = self.rng.randrange(max(0, len(indices) - 1 - type.is_tile), len(indices))
            step = (type.cols or type.rows) if at == len(indices) - 1 else type.rows if type.is_tile else 1
            holes = holes.replace(f"{{{at}}}", f"elements(({{{at}}}) * {step} + {self.rng.choice((-16, 8, 32) if at == len(indices) - 1 else (-17, -1, 1, 30))})")
        if pages:
            holes = holes.replace("{0}", "{{" + ", ".join(pages) + "}}", 1)
        policy = self.policy()
        code = f"load({tensor.name}, {{{{{holes}}}}}{', ' if policy else ''}{policy})"
        destination = f"load({{to}}, {tensor.name}, {{{{{holes}}}}})"
        return Call("load", type, tuple(indices), code, lambda *_: tensor.bound(), destination)

    def policy(self):
        """A hint for L2, or none."""
        return self.rng.choice(("", "evict_first", "evict_last")) if "cache_policies" in self.features else ""

    def prefetch(self):
        """The hint that asks L2 for the first loads, of a block with one tile or with several."""
        if "prefetch" not in self.features:
            return ""
        return self.rng.choice((".order(static_order)", ".persistent(false)")) + f".prefetch({self.rng.choice((1, 2, 4))})"

    def blocks_per_sm(self):
        """How many blocks share an SM: by a hint, or, of some programs, as the compiler chooses."""
        rng = self.rng_of_blocks
        if "blocks" in self.features:
            return f".blocks_per_sm({rng.choice((1, 2, 2, 3))})"
        return ".persistent(true)" if rng.random() < 0.4 else ""

    # -- Matmuls --------------------------------------------------------------------------------

    def matmul_operands(self, want):
        """A form of matmul and two operands for a result of this type, or None."""
        if want.kind != "rt" or want.layout != "row" or want.element != "float":
            return None
        rng = self.rng
        form = rng.choice(("AB", "AB", "ABt", "ABt", "AtB", "AtBt")[: 6 if "transposed_a" in self.features else 4])
        in_warps = self.scope == "warps"
        if in_warps and "warp_matmuls" not in self.features:
            return None
        element = rng.choice([e for e in self.tensor_elements if e in ("bf16", "half")])
        inner = rng.choice((16, 32, 64))
        a_size = (inner, want.rows) if form.startswith("At") else (want.rows, inner)
        b_size = (want.cols, inner) if form.endswith("Bt") else (inner, want.cols)
        if in_warps:
            if form not in ("AB", "ABt") or not {"narrow_tiles", "layouts"} <= self.features:
                return None
            a = self.register_operand(Type("rt", element, *a_size))
            b = self.register_operand(Type("rt", element, *b_size, "col" if form == "AB" else "row"))
            return a and b and (form, a, b, inner)
        if form in ("AB", "ABt") and {"register_matmuls", "narrow_tiles"} <= self.features and rng.random() < 0.4:
            a = self.register_operand(Type("rt", element, *a_size))
        else:
            a = self.shared_operand(Type("st", element, *a_size))
        b = self.shared_operand(Type("st", element, *b_size))
        return a and b and (form, a, b, inner)

    def shared_operand(self, type):
        if "shared_parts" in self.features and self.rng.random() < 0.15:
            return self.shared_part(type)
        known = self.visible(type)
        if known and self.rng.random() < 0.6:
            return self.rng.choice(known)
        if self.reads >= 6:
            return None
        self.reads += 1
        value = self.load(type)
        return value and self.declare(type, value)

    def shared_part(self, type):
        """A part of a larger shared tile, at a constant place or at the scope's own."""
        rng = self.rng
        count = 2 if self.scope == "block" else self.groups
        by_columns = rng.random() < 0.5
        rows, cols = (type.rows, type.cols * count) if by_columns else (type.rows * count, type.cols)
        size = 4 if type.element == "float" else 2
        atom_cols = next(span // size for span in (128, 64, 32, 16) if cols * size % span == 0)
        if type.kind != "st" or rows * cols * size > 32768 or (type.cols % atom_cols and atom_cols % type.cols):
            return None
        whole = self.shared_operand(Type("st", type.element, rows, cols))
        if not whole:
            return None
        step = type.cols if by_columns else type.rows
        if self.scope == "block" or rng.random() < 0.3:
            place = literal(step * rng.randrange(count), integer=True)
        else:
            place = Scalar(rng.choice((f"w * {step}", f"({count - 1} - w) * {step}")), Bound(0, step * (count - 1), float(step)), frozenset({"w"}))
        zero = literal(0, integer=True)
        args = (whole, zero, place) if by_columns else (whole, place, zero)
        code = f"slice<{type.rows}, {type.cols}>({{0}}, {{1}}, {{2}})"
        return Call("slice", type, args, code, lambda x, i, j: x)

    def register_operand(self, type):
        if self.has(type):
            return self.rng.choice(self.visible(type))
        wide = [ref for scope in self.scopes for ref in scope if ref.type == type.of("float")]
        if wide and "conversions" in self.features:
            return Call("copy", type, (self.rng.choice(wide),), f"{type.text()}({{0}})", lambda x: x)
        if type.layout == "col":
            row = self.register_operand(Type("rt", type.element, type.rows, type.cols))
            return row and Call("swap_layout", type, (row,), "swap_layout({0})", lambda x: x)
        value = self.source(type)
        return value and self.declare(type, value)

    def gather(self, want):
        """The value of a tensor by random row numbers."""
        if want.element not in ("float", "bf16", "half"):
            return None
        index = Type("col_vec", "int32", rows=want.rows) if want.rows else Type("row_vec", "int32", cols=want.cols)
        refs = self.visible(index)
        if not refs:
            return None
        element = self.rng.choice(self.tensor_elements)
        places = [literal(self.rng.randrange(3), integer=True)]
        if want.is_tile:
            places.append(self.some_index())
            extents = [self.rng.randint(1, 100), self.extent(places[1], want.cols)]
        else:
            extents = [self.rng.randint(1, 100)]
        tensor = self.tensor(element, extents)
        holes = ", ".join(f"{{{i + 1}}}" for i in range(len(places)))
        code = f"gather<{want.text()}>({tensor.name}, {{{{{holes}}}}}, {{0}})"
        return Call("gather", want, (self.rng.choice(refs), *places), code, lambda *_: tensor.bound(),
                    f"gather({{to}}, {tensor.name}, {{{{{holes}}}}}, {{0}})")

    # -- The whole -------------------------------------------------------------------------------

    def begin(self):
        """Grid, scalars, and the first output, whose extents the grid covers."""
        rng = self.rng
        self.choose_shapes()
        self.blocks = [self.program.body]
        self.grid = [("m", rng.randint(1, 2)), ("n", rng.randint(1, 2))]
        if "ranks" in self.features and rng.random() < 0.3:
            self.grid.append(("b", rng.randint(1, 2)))
        if "scalars" in self.features:
            for _ in range(rng.randrange(3)):
                kind = rng.choice(("int", "float"))
                value = rng.randrange(-3, 6) if kind == "int" else rng.choice((0.5, 2.0, -1.0, 1.5))
                self.program.scalars.append((kind, self.new_name("p"), value))
        if self.scope != "block":
            self.loops.append(("w", self.groups))
            self.program.wrapped = f"int w : {self.scope}({self.groups})"
        elif "continue" in self.features and rng.random() < 0.1:
            self.program.body.append(Continue(Scalar("(m + n) % 2 == 1", Bound(0, 1, 1.0), frozenset({"m", "n"}))))

    def finish(self):
        """Stores of what was computed, and the grid."""
        rng = self.rng
        refs = [ref for ref in self.scopes[0] if ref.type.is_register and ref.type.element not in bounds.INTEGERS]
        refs = [ref for ref in refs if ref.type.layout == "row"]  # as stores want them
        if "vectors" not in self.features:
            refs = [ref for ref in refs if ref.type.is_tile]
        full = [ref for ref in refs if ref.type == Type("rt", "float", self.bm, self.bn)]
        if not full:
            raise Unknown("nothing to store")
        if "shared_stores" in self.features:
            # It is stored by way of registers, which take whole blocks of rows.
            m_block = 16 if self.scope == "warps" or self.bm < 64 else 64
            refs += [ref for ref in self.scopes[0] if ref.type.kind == "st" and ref.type.rows % m_block == 0]
        # The first output has the kernel's whole tile: its extents give the grid. What took most to
        # compute comes first.
        full.sort(key=lambda ref: len(needed(self.program.body, {ref.name})))
        refs.sort(key=lambda ref: len(needed(self.program.body, {ref.name})))
        chosen = [rng.choice(full[-2:])] + rng.sample(refs[-4:], min(len(refs[-4:]), rng.choice((0, 1, 2))))
        rest = [self.index(name) for name, _ in self.grid[2:]]
        for ref in dict.fromkeys(chosen):
            rows, columns = self.row_index(), self.index("n")
            if not ref.type.is_tile:
                indices = [*rest, columns, rows] if ref.type.kind == "col_vec" else [*rest, rows, columns]
            else:
                indices = [*rest, rows, columns]
            operation = "store_add" if "store_add" in self.features and rng.random() < 0.15 else "store"
            if "extremes" in self.features and rng.random() < 0.5:
                operation = rng.choice(("store_max", "store_min"))
            elements = ["bf16"] + ["half"] * ("half" in self.features) + ["float"] * ("float_outputs" in self.features)
            element = "float" if operation == "store_add" else rng.choice(elements)
            tensor = self.tensor(element, self.output_extents(ref.type, indices), output=True)
            by_index = "scatters" in self.features and rng.random() < 0.5
            # Threads store vectors, indexed rows and extremes, which takes no policy.
            policy = self.policy() if ref.type.is_tile and operation in ("store", "store_add") and not by_index else ""
            if not self.keep(Store(tensor.name, tuple(indices), ref, element, operation, by_index=by_index, policy=policy)):
                raise Unknown("nothing to store")
        prune(self.program)
        for loop in walk(self.program.body):
            if isinstance(loop, Loop) and "load(X" not in "".join(loop.lines()):
                loop.head = loop.head.split(".stages")[0]  # there is nothing to buffer
        self.write_grid()
        return self.program

    def output_extents(self, type, indices):
        extents = self.place_for(type, indices)
        if self.scope != "block":  # 'm * W + w' walks as m does in steps of all W
            at = next(i for i, index in enumerate(indices) if "w" in index.uses)
            step = (type.rows or type.cols) if (type.is_tile or at == len(indices) - 1) and type.kind != "row_vec" else 1
            ragged = max(1, step * self.groups * dict(self.grid)["m"] - self.rng.choice((0, 0, 1, 5)))
            extents[at] = self.extents.setdefault(("m", step * self.groups), ragged)
        return extents

    def write_grid(self):
        rng = self.rng
        names = ", ".join(name for name, _ in self.grid)
        output = next(t for t in self.program.tensors if t.output and t.name not in self.added)
        rows = f"cdiv({output.name}.rows(), {self.bm * self.groups})"
        trips = [rows, f"cdiv({output.name}.cols(), {self.bn})"] + [str(n) for _, n in self.grid[2:]]
        if rng.random() < 0.3:
            self.program.before.append(f"const int tiles = {trips[1]};")
            trips[1] = "tiles"
        swizzle = f".swizzle({rng.choice((2, 8))})" if rng.random() < 0.3 else ""
        self.program.head = f"auto [{names}] : grid({', '.join(trips)}){swizzle}{self.prefetch() or self.blocks_per_sm()}"


def generate(seed, name, features):
    """The program of a seed. Attempts that come to nothing are repeated, so there is always one."""
    for attempt in range(1000):
        if "hand_overs" in features:
            program = HandOvers(f"{seed}.{attempt}", name).make()
            try:
                program.bounds()
                return program
            except Unknown:
                continue
        generator = Generator(f"{seed}.{attempt}", name, features)
        generator.begin()
        for _ in range(generator.rng.randint(2, 12)):
            generator.statement(2)
        try:
            program = generator.finish()
            program.bounds()
            # Most programs should do something; with few features there is little to do.
            if sum(1 for _ in walk(program.body)) > 8 - attempt // 4:
                return program
        except Unknown:
            continue
    raise RuntimeError(f"no program for seed {seed}")
