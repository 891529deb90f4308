"""statements.py - Random statements of a program, appended to a block if its bounds allow them.

A part of the generator (generate.py), which knows the variables in sight and makes the expressions.
"""
import math

from . import bounds, operations
from .bounds import Bound, Unknown
from .lambdas import Lambda
from .tree import Assign, Call, Declare, DeclareStruct, If, Loop, Ref, Scalar, Store, Type, literal


class Statements:
    """What Generator appends: declarations, changes, matmuls, loops, branches, arrays, structs and calls."""

    def keep(self, statement):
        """Appends a statement to the block, if the bounds allow it."""
        block = self.blocks[-1]
        block.append(statement)
        try:
            if self.outer:
                env = dict(self.outer[1])
                self.outer[0].run(env)
            else:
                env = dict(self.env)
                statement.run(env)
        except Unknown:
            block.pop()
            return False
        if not self.outer:
            self.env = env
        return True

    def declare(self, type, value):
        """A new variable, or None."""
        name = self.new_name({"rt": "x", "st": "s", "sv": "s"}.get(type.kind, "v"))
        if not self.keep(Declare(name, type, value)):
            return None
        ref = Ref(name, type)
        self.scopes[-1].append(ref)
        return ref

    def random_type(self):
        """A register type that this kernel computes with."""
        rng = self.rng
        element = rng.choice(["float"] * 3 + self.elements)
        if "vectors" in self.features and rng.random() < 0.35:
            if rng.random() < 0.6:
                return Type("col_vec", element, rows=self.bm)
            return Type("row_vec", element, cols=self.bn)
        sizes = [(self.bm, self.bn)] * 4
        if "parts" in self.features:
            sizes += [(self.bm, n) for n in (self.bn // 2, self.bn * 2) if n % 16 == 0]
            sizes += [(self.bm // 2, self.bn)] * (self.bm == 128)
        sizes = [size for size in sizes if self.register_tile_fits(*size)]
        layout = "col" if self.has_layouts and rng.random() < 0.1 else "row"
        return Type("rt", element, *rng.choice(sizes), layout)

    def source(self, type):
        """A value from outside: loaded, gathered from shared memory, filled or random."""
        rng = self.rng
        options = []
        if type.is_tile and "register_loads" in self.features and type.element not in bounds.INTEGERS:
            options += ["load"] * 2
        if type.is_tile and "shared_loads" in self.features and type.element not in bounds.INTEGERS:
            options += ["shared"] * 3
        if not type.is_tile and "vectors" in self.features and type.element not in bounds.INTEGERS:
            options += ["load"] * 3
        if not type.is_tile and "shared_vectors" in self.features and type.element not in bounds.INTEGERS:
            options += ["shared"]
        choice = rng.choice(options or ["fill"])
        if choice == "load":
            return self.load(type)
        if choice == "shared":
            element = type.element if type.element in self.tensor_elements else rng.choice(self.tensor_elements)
            kind = Type("st", element, type.rows, type.cols) if type.is_tile else Type("sv", element, cols=type.count)
            shared = self.shared_operand(kind)
            return shared and Call("load", type, (shared,), "load({0})", lambda x: x, "load({to}, {0})")
        return Call("fill", type, (self.number(type.element),), "{0}", lambda x: x, "fill({to}, {0})")

    def statement(self, depth):
        """Appends one random statement."""
        rng, f = self.rng, self.features
        kinds = {
            "new": 6,
            "change": 6,
            "source": 3,
            "accumulate": 5 * ("matmuls" in f),
            "chain": 2 * ("chains" in f and depth > 0),
            "loop": 2 * (depth > 0),
            "if": 1 * ("if" in f and depth > 0),
            "round trip": 1 * ("shared_stores" in f and "shared_loads" in f),
            "array": 1 * ("unrolled" in f and depth > 0),
            "struct": 1 * ("structs" in f),
            "choice": 1 * ("choices" in f),
            "reduced": 20 * ("reducers" in f and depth > 0),
            "scanned": 20 * ("scanners" in f and depth > 0),
            "carried": 20 * ("recurrences" in f and depth > 0),
        }
        kind = rng.choices(list(kinds), list(kinds.values()))[0]
        getattr(self, "make_" + kind.replace(" ", "_"))(depth)

    def make_new(self, depth):
        type = self.random_type()
        value = self.expression(type, 2)
        if value and value.code:
            self.declare(type, value)

    def make_source(self, depth):
        type = self.random_type()
        value = self.source(type)
        if value:
            self.declare(type, value)

    def make_change(self, depth):
        """A new value for a variable that is there, in one of the forms."""
        refs = [ref for scope in self.scopes for ref in scope if ref.type.is_register]
        if not refs:
            return
        to = self.rng.choice(refs)
        value = self.expression(to.type, 2)
        if not value:
            return
        if self.rng.random() < 0.15 and "helpers" in self.features:
            value = self.helper(to.type) or value
        form = "="
        symbol = {"add": "+=", "sub": "-=", "mul": "*=", "div": "/="}.get(value.operation)
        if symbol and value.args[0] == to and len(value.args) == 2 and self.rng.random() < 0.7:
            form = symbol
        elif value.destination and (not value.code or self.rng.random() < 0.4):
            form = "destination"
        self.keep(Assign(to, value, form))

    def make_accumulate(self, depth):
        """`mma_*(acc, a, b)`."""
        type = Type("rt", "float", self.bm, self.bn)
        if not self.register_tile_fits(self.bm, self.bn):
            return
        known, block = self.visible(type), self.blocks[-1]
        if "continued" not in self.features:
            known = [ref for ref in known if self.multiplied.get(ref, block) is block]
        acc = self.rng.choice(known) if known else self.declare(type, self.zero(type))
        self.multiplied[acc] = block
        operands = acc and self.matmul_operands(type)
        if not operands:
            return
        form, a, b, inner = operands
        subtracts = "mms" in self.features and self.rng.random() < 0.6
        limit = lambda acc, a, b: bounds.matmul(acc, bounds.neg(a) if subtracts else a, b, inner)
        builtin = f"{'mms' if subtracts else 'mma'}_{form}"
        call = Call(builtin, type, (acc, a, b), "", limit, f"{builtin}({{to}}, {{1}}, {{2}})")
        self.keep(Assign(acc, call, "destination"))

    def make_chain(self, depth):
        """A pipeline loop of two matmuls, as in attention: the first one's left operand stays in registers, the second
        one's is the first one's result."""
        needs = {"pipeline", "register_matmuls", "narrow_tiles", "conversions", "mm"}
        acc_type = Type("rt", "float", self.bm, self.bn)
        if not self.may_pipeline() or self.scope == "warps" or not needs <= self.features or not self.register_tile_fits(self.bm, self.bn):
            return
        rng = self.rng
        element = rng.choice([e for e in self.tensor_elements if e in ("bf16", "half")])
        inner, middle = rng.choice((16, 32, 64)), rng.choice((16, 32, 64))
        held = self.register_operand(Type("rt", element, self.bm, inner))
        if isinstance(held, Call):
            held = self.declare(held.type, held)
        is_summed = {"sums", "vectors", "along"} <= self.features and rng.random() < 0.6
        starts = (0,) * 9 + (1,) if is_summed else (0, 0, 0, 1)
        acc = held and self.declare(acc_type, self.zero(acc_type, starts))
        if not acc:
            return
        column = Type("col_vec", "float", rows=self.bm)
        sums = is_summed and self.declare(column, self.zero(column, starts))
        variable, trips = self.new_name("k"), rng.randint(2, 4)
        node = Loop(f"int {variable} : pipeline({trips}){rng.choice(('', '.overlap(false)'))}", variable, trips)
        self.loops.append((variable, trips))
        self.fill(node, node.body, lambda: self.chain(held, acc, sums, inner, middle))
        self.loops.pop()

    def chain(self, held, acc, sums, inner, middle):
        """`s = mm_ABt(held, k); mma_AB(acc, narrow(s), v);`, perhaps with the row sums of narrow(s) beside."""
        element = held.type.element
        k = self.shared_operand(Type("st", element, middle, inner))
        v = k and self.shared_operand(Type("st", element, middle, acc.type.cols))
        if not v:
            return
        wide = Type("rt", "float", held.type.rows, middle)
        first = lambda a, b: bounds.matmul(bounds.number(0), a, b, inner)
        s = self.declare(wide, Call("mm_ABt", wide, (held, k), "mm_ABt({0}, {1})", first))
        if not s:
            return
        if self.rng.random() < 0.5:
            self.make_change(0)
        narrow = Call("copy", wide.of(element), (s,), f"{wide.of(element).text()}({{0}})", lambda x: x)
        if sums:
            narrow = self.declare(narrow.type, narrow)
            if not narrow:
                return
            self.add_sums(acc, sums, narrow)
        self.multiplied[acc] = self.blocks[-1]
        second = lambda acc, a, b: bounds.matmul(acc, a, b, middle)
        self.keep(Assign(acc, Call("mma_AB", acc.type, (acc, narrow, v), "", second, "mma_AB({to}, {1}, {2})"), "destination"))

    def make_adding_loop(self, needs, body):
        """A pipeline loop whose iterations, which `body(acc, variable)` makes, add to a tile of registers."""
        acc_type = Type("rt", "float", self.bm, self.bn)
        if not self.may_pipeline() or not needs | {"pipeline"} <= self.features or not self.register_tile_fits(self.bm, self.bn):
            return
        acc = self.declare(acc_type, self.zero(acc_type))
        if not acc:
            return
        variable, trips = self.new_name("k"), self.rng.randint(2, 4)
        node = Loop(f"int {variable} : pipeline({trips})", variable, trips)
        self.loops.append((variable, trips))
        self.fill(node, node.body, lambda: body(acc, variable))
        self.loops.pop()

    def make_reduced(self, depth):
        """A pipeline loop as in attention's gradients: one matmul multiplies what the iteration wrote to shared memory, and its
        result is added to a tensor; another one goes on."""
        needs = {"register_matmuls", "narrow_tiles", "conversions", "mm", "shared_stores", "store_add"}
        if self.scope == "block":
            self.make_adding_loop(needs, self.reduced)

    def reduced(self, acc, variable):
        """`store(all, narrow(mm_ABt(a, b))); mma_AB(acc, narrow, c); store_add(Y, {k, 0}, mm_AtB(all, d));`"""
        rng = self.rng
        element = rng.choice([e for e in self.tensor_elements if e in ("bf16", "half")])
        inner, middle, width = rng.choice((16, 32, 64)), rng.choice((64, 64, 64, 128)), rng.choice((64, 64, 128))
        if not self.register_tile_fits(self.bm, middle) or not self.register_tile_fits(middle, width):
            return
        sizes = (self.bm, inner), (middle, inner), (middle, acc.type.cols), (self.bm, width)
        a, b, c, d = (self.shared_operand(Type("st", element, *size)) for size in sizes)
        if not (a and b and c and d):
            return
        wide = Type("rt", "float", self.bm, middle)
        s = self.declare(wide, Call("mm_ABt", wide, (a, b), "mm_ABt({0}, {1})", lambda a, b: bounds.matmul(bounds.number(0), a, b, inner)))
        if s and "hidden_blocks" in self.features:
            s = self.hide(s, variable)
        if s and rng.random() < 0.5:
            self.make_change(0)
        narrow = wide.of(element)
        p = s and self.declare(narrow, Call("copy", narrow, (s,), f"{narrow.text()}({{0}})", lambda x: x))
        every = p and self.declare(Type("st", element, self.bm, middle), None)
        if not every or not self.keep(Assign(every, Call("store", every.type, (p,), "", lambda x: x, "store({to}, {0})"), "destination")):
            return
        goes_on = lambda acc, a, b: bounds.matmul(acc, a, b, middle)
        self.keep(Assign(acc, Call("mma_AB", acc.type, (acc, p, c), "", goes_on, "mma_AB({to}, {1}, {2})"), "destination"))
        result = Type("rt", "float", middle, width)
        leaves = lambda a, b: bounds.matmul(bounds.number(0), a, b, self.bm)
        part = self.declare(result, Call("mm_AtB", result, (every, d), "mm_AtB({0}, {1})", leaves))
        if part and rng.random() < 0.5:
            part = self.declare(result, Call("mul", result, (part, literal(0.5)), "({0} * {1})", bounds.mul))
        if not part:
            return
        place = (self.index(variable), rng.choice((literal(0, integer=True), self.index("n"))))
        tensor = self.tensor("float", self.place_for(result, place), output=True)
        self.added.add(tensor.name)
        walked = {name for index in place for name in index.uses}
        times = math.prod(trips for name, trips in self.coordinates if name not in walked)
        self.keep(Store(tensor.name, place, part, "float", "store_add", times))

    def hide(self, s, variable):
        """`s = mask(s, r <= k * 64 + c + shift, 0.0f)`: the first blocks are hidden from some warpgroups' rows, or from all."""
        shift = self.rng.choice((0, -1, -17, -63, -64, -65, -100, -200, 16, 64))
        keeps = Lambda(f"[=](int r, int c) {{ return r <= {variable} * {s.type.cols} + c + {shift}; }}", lambda *_: None, frozenset({variable}))
        limit = lambda x, keep, other: bounds.join(x, other)
        return self.declare(s.type, Call("mask", s.type, (s, keeps, literal(0.0)), "mask({0}, {1}, {2})", limit))

    def make_scanned(self, depth):
        """A pipeline loop as in layers with a state: running sums of a loaded vector scale a matmul's result, which the loop
        adds up; the sums depend on nothing that it carries."""
        if self.scope != "warps":
            self.make_adding_loop({"shared_vectors", "vectors", "cumsum", "along", "mm"}, self.scanned)

    def scanned(self, acc, variable):
        """`now = cumsum(load(v)); acc = acc + mul_row(mm_ABt(a, b), now);`, perhaps with more made of the vectors, with other
        work on the loop's tiles, or with the sums along the columns, by way of a vector in shared memory."""
        rng, column = self.rng, Type("col_vec", "float", rows=self.bm)
        vector = self.shared_operand(Type("sv", "float", cols=self.bm))
        now = vector and self.declare(column, Call("load", column, (vector,), "load({0})", lambda x: x))
        if now and rng.random() < 0.5:
            now = self.declare(column, Call("mul", column, (now, literal(rng.choice((0.5, 0.25, -0.5)))), "({0} * {1})", bounds.mul))
        before = now
        sums = lambda x: bounds.join(x, bounds.total(x, column.count))
        scan = rng.choice(("cumsum", "cumsum", "reverse_cumsum"))
        now = now and self.declare(column, Call(scan, column, (now,), scan + "({0})", sums))
        if now and rng.random() < 0.5:
            now = self.declare(column, Call("add", column, (now, before), "({0} + {1})", bounds.add))
        if not now:
            return
        if rng.random() < 0.5:
            self.make_change(0)
        form, scale = "mul_row", now
        if self.bm == self.bn and rng.random() < 0.5:
            through = self.declare(Type("sv", "float", cols=self.bm), None)
            if not through or not self.keep(Assign(through, Call("store", through.type, (now,), "", lambda x: x, "store({to}, {0})"), "destination")):
                return
            row = Type("row_vec", "float", cols=self.bn)
            form, scale = "mul_col", self.declare(row, Call("load", row, (through,), "load({0})", lambda x: x))
        operands = scale and self.matmul_operands(acc.type)
        if not operands:
            return
        matmul, a, b, inner = operands
        product = lambda a, b: bounds.matmul(bounds.number(0), a, b, inner)
        s = self.declare(acc.type, Call(f"mm_{matmul}", acc.type, (a, b), f"mm_{matmul}({{0}}, {{1}})", product))
        s = s and self.declare(acc.type, Call(form, acc.type, (s, scale), f"{form}({{0}}, {{1}})", bounds.mul))
        if s:
            self.keep(Assign(acc, Call("add", acc.type, (acc, s), "({0} + {1})", bounds.add), "="))

    def make_carried(self, depth):
        """A pipeline loop as in layers with a state: it carries a tile, writes it to shared memory, and stores what a matmul makes of
        it in every iteration."""
        needs = {"register_matmuls", "narrow_tiles", "conversions", "mm", "shared_stores"}
        if self.scope == "block" and not self.loops:
            vector = Type("row_vec", "float", cols=self.bm)
            value = self.source(vector) if self.rng.random() < 0.4 else None
            factors = value and self.declare(vector, value)
            self.make_adding_loop(needs, lambda acc, variable: self.carried(acc, variable, factors))

    def carried(self, acc, variable, factors):
        """`store(past, narrow(acc)); acc = acc * 0.5f; mma_AB(acc, a, b); store(Y, {m, k, n}, mm_ABt(c, past));`, perhaps with more
        made of the result, of a vector from before the loop, too, or in another order."""
        rng, rows, cols = self.rng, acc.type.rows, acc.type.cols
        element = rng.choice([e for e in self.tensor_elements if e in ("bf16", "half")])
        past = self.declare(Type("st", element, rows, cols), None)
        if past:
            self.scopes[-1].remove(past)  # nothing reads it before it is written
        height = rng.choice((64, 64, self.bm))
        seen = past and self.shared_operand(Type("st", element, height, cols))
        operands = seen and self.matmul_operands(acc.type)
        if not operands or not self.register_tile_fits(height, rows):
            return
        matmul, a, b, inner = operands
        narrow = acc.type.of(element)
        state = self.declare(narrow, Call("copy", narrow, (acc,), f"{narrow.text()}({{0}})", lambda x: x))
        if not state or not self.keep(Assign(past, Call("store", past.type, (state,), "", lambda x: x, "store({to}, {0})"), "destination")):
            return
        self.scopes[-1].append(past)
        goes_on = lambda acc, a, b: bounds.matmul(acc, a, b, inner)
        update = Assign(acc, Call(f"mma_{matmul}", acc.type, (acc, a, b), "", goes_on, f"mma_{matmul}({{to}}, {{1}}, {{2}})"), "destination")
        if rng.random() < 0.7:
            self.keep(Assign(acc, Call("mul", acc.type, (acc, literal(0.5)), "({0} * {1})", bounds.mul)))
        is_first = rng.random() < 0.5
        if is_first:
            self.keep(update)
        result = Type("rt", "float", height, rows)
        y = self.declare(result, Call("mm_ABt", result, (seen, past), "mm_ABt({0}, {1})", lambda a, b: bounds.matmul(bounds.number(0), a, b, cols)))
        if y and rng.random() < 0.5:
            y = self.declare(result, Call("mul", result, (y, literal(0.5)), "({0} * {1})", bounds.mul))
        if y and factors:
            y = self.declare(result, Call("mul_col", result, (y, factors), "mul_col({0}, {1})", bounds.mul))
        if y and rng.random() < 0.3:
            self.make_change(0)
        if y:
            place = tuple(self.index(name) for name in [name for name, _ in self.grid[2:]] + ["m", variable, "n"])
            tensor = self.tensor(rng.choice(("float", "bf16")), self.place_for(result, place), output=True)
            self.keep(Store(tensor.name, place, y, tensor.element))
        if not is_first:
            self.keep(update)

    def add_sums(self, acc, sums, narrow):
        """`sums = sums * factor + row_sum(float(narrow)); acc = mul_row(acc, factor);`, or without the factor."""
        column, wide = sums.type, narrow.type.of("float")
        again = Call("copy", wide, (narrow,), f"{wide.text()}({{0}})", lambda x: x)
        added = Call("row_sum", column, (again,), "row_sum({0})", lambda x: bounds.total(x, wide.cols))
        before = sums
        if self.rng.random() < 0.6:
            factor = self.declare(column, self.operand(column, 1))
            if not factor:
                return
            before = Call("mul", column, (sums, factor), "({0} * {1})", bounds.mul)
            scaled = Call("mul_row", acc.type, (acc, factor), "mul_row({0}, {1})", bounds.mul)
            if not self.keep(Assign(acc, scaled)):
                return
        self.keep(Assign(sums, Call("add", column, (before, added), "({0} + {1})", bounds.add)))

    def zero(self, type, starts=(0, 0, 0, 1)):
        return Call("fill", type, (literal(self.rng.choice(starts), integer=True),), "{0}", lambda x: x, "fill({to}, {0})")

    def nested(self, node, block, depth, count):
        """Fills the body of a loop or branch with random statements."""
        self.fill(node, block, lambda: [self.statement(depth - 1) for _ in range(count)])

    def fill(self, node, block, statements):
        """Fills the body of a loop or branch and keeps it, if anything is in it."""
        outermost = self.outer is None
        if outermost:
            self.outer = (node, dict(self.env))
        elif True:
            self.blocks[-1].append(node)
        self.blocks.append(block)
        self.scopes.append([])
        statements()
        self.scopes.pop()
        self.blocks.pop()
        if outermost:
            self.outer = None
            if block:
                self.keep(node)
        elif not block:
            self.blocks[-1].remove(node)

    def may_pipeline(self):
        """True where a pipeline loop may stand: in other loops and branches only as a feature of its own."""
        return "nested_pipelines" in self.features or not (self.outer or any(name.startswith("k") for name, _ in self.loops))

    def make_loop(self, depth):
        rng = self.rng
        kinds = [k for k in ("pipeline", "pipeline", "for", "unrolled") if k in self.features]
        kinds = [k for k in kinds if k != "pipeline" or self.may_pipeline()]
        if not kinds:
            return
        kind = rng.choice(kinds)
        trips = rng.randint(1, 3)
        variable = self.new_name("k" if kind == "pipeline" else "i")
        if kind == "pipeline":
            stages = f".stages({rng.randint(1 if 'one_stage' in self.features else 2, 3)})" if rng.random() < 0.3 else ""
            head = f"int {variable} : pipeline({trips}){stages}"
        elif kind == "unrolled":
            head = f"int {variable} : unrolled({trips})"
        elif "descending" in self.features and rng.random() < 0.5:
            head = f"int {variable} = {trips - 1}; {variable} >= 0; --{variable}"
        else:
            head = f"int {variable} = 0; {variable} < {trips}; ++{variable}"
        node = Loop(head, variable, trips)
        self.loops.append((variable, trips))
        self.nested(node, node.body, depth, rng.randint(1, 4))
        self.loops.pop()

    def make_if(self, depth):
        condition = self.index_expression(4)
        if "w" in condition.uses:  # loads in the branch would differ between warpgroups
            return
        code = self.rng.choice((f"{condition.text()} > 3", f"{condition.text()} % 2 == 0", f"{condition.text()} != 1"))
        node = If(Scalar(code, Bound(0, 1, 1.0), condition.uses))
        self.nested(node, node.then, depth, self.rng.randint(1, 2))

    def make_choice(self, depth):
        """A branch that does nothing but choose between variables."""
        refs = [ref for scope in self.scopes for ref in scope if ref.type.is_register]
        to = self.rng.choice(refs) if refs else None
        others = [ref for ref in refs if to and ref.type == to.type and ref != to]
        condition = self.index_expression(4)
        if not others:
            return
        node = If(Scalar(f"{condition.text()} % 2 == 0", Bound(0, 1, 1.0), condition.uses), [Assign(to, self.rng.choice(others))])
        if len(others) > 1 and self.rng.random() < 0.5:
            node.otherwise.append(Assign(to, self.rng.choice(others)))
        self.keep(node)

    def make_round_trip(self, depth):
        """A register tile through shared memory."""
        refs = [r for scope in self.scopes for r in scope if r.type.kind == "rt" and r.type.layout == "row" and r.type.element in ("bf16", "half")]
        if not refs:
            return
        ref = self.rng.choice(refs)
        shared = self.declare(Type("st", ref.type.element, ref.type.rows, ref.type.cols), None)
        call = Call("store", shared.type, (ref,), "", lambda x: x, "store({to}, {0})")
        self.keep(Assign(shared, call, "destination"))

    def make_array(self, depth):
        """An array of tiles, each given a value, and changed in an unrolled loop."""
        count = self.rng.randint(2, 3)
        type = self.random_type()
        if type.count > self.largest_tile // count:
            return
        name, variable = self.new_name("t"), self.new_name("u")
        if not self.keep(Declare(name, type, None, count)):
            return
        elements = [Ref(name, type, i) for i in range(count)]
        for element in elements:
            if not self.keep(Assign(element, self.zero(type), "destination")):
                return
        node = Loop(f"int {variable} : unrolled({count})", variable, count)
        self.loops.append((variable, count))
        self.scopes.append([Ref(name, type, variable)])
        self.nested(node, node.body, 1, self.rng.randint(1, 3))
        self.scopes.pop()
        self.loops.pop()
        self.scopes[-1] += elements

    def make_struct(self, depth):
        """A variable of a struct of one or two register values, each given a value."""
        fields = [self.random_type() for _ in range(self.rng.randint(1, 2))]
        name = self.new_name("z")
        members = " ".join(f"{type.text()} f{i};" for i, type in enumerate(fields))
        struct = f"S{name}_{self.program.name}"
        declared = DeclareStruct(struct, name, tuple(f"{name}.f{i}" for i in range(len(fields))))
        if not self.keep(declared):
            return
        self.program.helpers.append(f"struct {struct} {{ {members} }};")
        for field, type in zip(declared.fields, fields):
            ref = Ref(field, type)
            if self.keep(Assign(ref, self.zero(type), "destination")):
                self.scopes[-1].append(ref)

    def helper(self, want):
        """A call of a new function of one or two parameters that gives this type, or None."""
        rng = self.rng
        types = [want] + [rng.choice([want, operations.vector_along(want, rng.random() < 0.5)])] * (
            want.kind == "rt" and rng.random() < 0.5)
        if not all(self.has(type) for type in types):
            return None
        parameters = [Ref(f"a{i}", type) for i, type in enumerate(types)]
        outside = self.scopes, self.loops, self.grid, self.program.scalars, self.features
        # Within the function only its parameters are in sight.
        self.scopes, self.loops, self.grid, self.program.scalars = [parameters], [], [], []
        self.features = self.features - {"gathers", "mm", "random", "helpers"}
        body = self.expression(want, 2)
        self.scopes, self.loops, self.grid, self.program.scalars, self.features = outside
        if not body:
            return None
        name = self.new_name("h") + "_" + self.program.name
        list_of = ", ".join(f"const {ref.type.text()} &{ref.name}" for ref in parameters)
        by_reference = rng.random() < 0.5
        if by_reference:
            text = f"void {name}({want.text()} &to, {list_of}) {{ to = {body.text()}; }}"
        else:
            text = f"{want.text()} {name}({list_of}) {{ return {body.text()}; }}"
        self.program.helpers.append(text)
        limit = lambda *known: body.bound({ref.name: bound for ref, bound in zip(parameters, known)})
        holes = ", ".join(f"{{{i}}}" for i in range(len(types)))
        args = tuple(rng.choice(self.visible(type)) for type in types)
        if by_reference:
            return Call(name, want, args, "", limit, f"{name}({{to}}, {holes})")
        return Call(name, want, args, f"{name}({holes})", limit, "")
