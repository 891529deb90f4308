"""hand_overs.py - Programs in which warpgroups hand tiles to each other in a pipeline loop.

    for (int k : pipeline(trips)) {
      st<bf16, 64, 128> s1 = load(X1, {k, 0});
      for (int w : warpgroups(2))
        if (w == 0)
          store(s2, {0, 0}, x);
      for (int w : warpgroups(2))
        if (w == 1)
          mma_AB(x3[w], s2, slice<64, 64>(s1, 0, 0));
    }

A shared tile or vector is written by one warpgroup, again and again, and read by another one, by all or by the writer, in
loops over warpgroups in any order; so are the elements of an array, of which each writes its own. The loaded tiles may be an
array, too, of which each warpgroup reads its own and any other. MMAs and stages of the loads run at the same time, so what is
tested is who waits for whom.
"""
import random
from dataclasses import dataclass

from . import bounds
from .bounds import Bound
from .prune import prune, walk
from .tree import Assign, Call, Declare, If, Loop, Program, Ref, Scalar, Store, Tensor, Type, literal, run_all

ROWS = 64
TILE = Type("rt", "float", ROWS, ROWS)
NARROW = Type("rt", "bf16", ROWS, ROWS)
VECTOR = Type("col_vec", "float", rows=ROWS)
SHARED = Type("st", "bf16", ROWS, ROWS)
PLACES = 2  # parts of a shared vector


@dataclass
class IfWorker(If):
    """A branch that some of the workers take."""

    workers: frozenset = frozenset()

    def run(self, env):
        if env["w"] in self.workers:
            run_all(self.then, env)


@dataclass
class DeclareParts(Declare):
    """A vector that is written in parts: before, nothing is in it."""

    def run(self, env):
        env[self.name] = bounds.number(0)


def scalar(code, *uses):
    return Scalar(code, Bound(0, 64, 1.0), frozenset(uses))


def same(x):
    return x


class HandOvers:
    def __init__(self, seed, name):
        self.rng = random.Random(f"{seed}.hand overs")
        self.program = Program(name)
        self.counter = 0
        self.count = self.rng.choice((2, 2, 2, 3))
        self.width = self.rng.choice((64, 128, 192))
        self.written, self.places = [], []  # shared tiles, and parts of vectors, that have a value

    def new_name(self, letter):
        self.counter += 1
        return f"{letter}{self.counter}"

    def for_workers(self, body, workers=None):
        """`for (int w : warpgroups(n))`, perhaps with a condition that lets only one of them through."""
        loop = Loop(f"int w : warpgroups({self.count})", "w", self.count)
        if workers is None:
            loop.body = body
            return loop
        (worker,) = workers
        is_other = self.count == 2 and self.rng.random() < 0.3
        code = f"w != {1 - worker}" if is_other else f"w == {worker}"
        loop.body = [IfWorker(Scalar(code, Bound(0, 1, 1.0), frozenset({"w"})), body, [], frozenset(workers))]
        return loop

    def some_worker(self):
        return {self.rng.randrange(self.count)}

    # -- Statements --------------------------------------------------------------------------------

    def part(self):
        """64 columns of one of the loaded tiles."""
        column = self.rng.randrange(self.width // ROWS) * ROWS
        loaded = self.rng.choice(self.loaded)
        if loaded.type == SHARED:
            return loaded
        return Call("slice", SHARED, (loaded,), f"slice<{ROWS}, {ROWS}>({{0}}, 0, {column})", same)

    def multiply(self, left, forms):
        form = self.rng.choice(forms)
        limit = lambda acc, a, b: bounds.matmul(acc, a, b, ROWS)
        return Assign(self.acc, Call(f"mma_{form}", TILE, (self.acc, left, self.part()), "", limit, f"mma_{form}({{to}}, {{1}}, {{2}})"), "destination")

    def write_part(self, vector, place, value):
        """Writes a part of a shared vector; the other ones stay."""
        return Assign(vector, Call("store", vector.type, (value, vector), "", bounds.join, f"store({{to}}, {{{{{place}}}}}, {{0}})"), "destination")

    def write(self):
        """One warpgroup writes a tile that it computes from the iteration's, perhaps more."""
        tile, x = self.rng.choice(self.tiles), Ref(self.new_name("x"), NARROW)
        times = self.rng.choice((1.0, 2.0, 0.5))
        value = x if times == 1.0 else Call("mul", NARROW, (x, literal(times)), "({0} * {1})", bounds.mul)
        body = [Declare(x.name, NARROW, Call("load", NARROW, (self.part(),), "load({0})", same)),
                Assign(tile, Call("store", SHARED, (value,), "", same, "store({to}, {{0, 0}}, {0})"), "destination")]
        if self.vector and self.rng.random() < 0.5:
            place = self.rng.randrange(PLACES)
            wide = Call("copy", TILE, (x,), f"{TILE.text()}({{0}})", same)
            body.append(self.write_part(self.vector, place, Call("row_max", VECTOR, (wide,), "row_max({0})", same)))
            self.places.append(place)
        if self.rng.random() < 0.4:
            body.append(self.multiply(self.part(), ("AtB",)))
        self.written.append(tile)
        return self.for_workers(body, self.some_worker())

    def write_own(self):
        """Each writes its element of an array, which all may read."""
        x, own = Ref(self.new_name("x"), NARROW), Ref(self.array, SHARED, "w")
        body = [Declare(x.name, NARROW, Call("load", NARROW, (self.part(),), "load({0})", same)),
                Assign(own, Call("store", SHARED, (x,), "", same, "store({to}, {0})"), "destination")]
        self.written += [Ref(self.array, SHARED, i) for i in range(self.count)]
        return self.for_workers(body)

    def read(self):
        """One of them multiplies by a tile that one has written."""
        return self.for_workers([self.multiply(self.rng.choice(self.written), ("AB", "AtB"))], self.some_worker())

    def read_all(self):
        return self.for_workers([self.multiply(self.rng.choice(self.written), ("AB", "AtB"))])

    def own(self):
        return self.for_workers([self.multiply(self.part(), ("AB",))], self.some_worker())

    def write_vector(self):
        place = self.rng.randrange(PLACES)
        self.places.append(place)
        more = Call("add", VECTOR, (self.sums, literal(1.0)), "({0} + {1})", bounds.add)
        return self.for_workers([self.write_part(self.vector, place, more)], self.some_worker())

    def read_vector(self):
        """One of them changes its sums, and its accumulator as a reference that has moved does."""
        x = Ref(self.new_name("v"), VECTOR)
        load = Call("load", VECTOR, (self.vector,), f"load({{0}}, {{{{{self.rng.choice(self.places)}}}}})", same)
        half = Call("mul", VECTOR, (self.sums, literal(0.5)), "({0} * {1})", bounds.mul)

        def factor(x):
            bounds.need(x.error == 0, "one of two results by a number that is not exact")
            return Bound(0.5, 1.0, 0.5)

        chosen = Call("map", VECTOR, (x,), "map({0}, [](float x) {{ return x > 2 ? 0.5f : 1.0f; }})", factor)
        return self.for_workers([
            Declare(x.name, VECTOR, load),
            Assign(self.sums, Call("add", VECTOR, (half, x), "({0} + {1})", bounds.add)),
            Assign(self.acc, Call("mul", TILE, (self.acc, chosen), "mul_row({0}, {1})", bounds.mul)),
        ], self.some_worker())

    def statement(self):
        kinds = [self.write, self.own]
        if self.written:
            kinds += [self.read] * 2 + [self.read_all]
        if self.array:
            kinds += [self.write_own] * 2
        if self.vector:
            kinds.append(self.write_vector)
        if self.places:
            kinds.append(self.read_vector)
        if not self.written:
            kinds = [self.write_own if self.array else self.write]
        return self.rng.choice(kinds)()

    # -- The whole ---------------------------------------------------------------------------------

    def declare(self, letter, type, count=0):
        name = self.new_name(letter)
        self.program.body.append((DeclareParts if type.kind == "sv" else Declare)(name, type, None, count))
        return Ref(name, type, "w" if count else None)

    def tensor(self, letter, element, extents, **more):
        made = Tensor(self.new_name(letter), element, tuple(extents), padding=self.rng.choice((0, 8)), **more)
        self.program.tensors.append(made)
        return made

    def make(self):
        rng, body = self.rng, self.program.body
        is_array = rng.random() < 0.3  # of loaded tiles
        loads, trips, tiles = self.count if is_array else rng.choice((1, 2)), rng.randint(1, 4), rng.randint(1, 2)
        self.acc, self.sums = self.declare("x", TILE, self.count), self.declare("v", VECTOR, self.count)
        zero = lambda type: Call("fill", type, (literal(0, integer=True),), "{0}", same, "fill({to}, {0})")
        body.append(self.for_workers([Assign(ref, zero(ref.type), "destination") for ref in (self.acc, self.sums)]))
        self.tiles = [self.declare("s", SHARED) for _ in range(rng.choice((1, 1, 2)))]
        self.array = self.declare("s", SHARED, self.count).name if rng.random() < 0.4 else None
        self.vector = self.declare("s", Type("sv", "float", cols=PLACES * ROWS)) if rng.random() < 0.6 else None

        rows = ROWS * loads * trips - rng.choice((0, 0, 1, 17))
        source = self.tensor("X", "bf16", (rows, self.width), top=2, unit=1.0, static=True)
        stages = rng.choice(("", ".stages(1)", ".stages(1)", ".stages(2)", ".stages(3)"))
        loop = Loop(f"int k : pipeline(cdiv({source.name}.rows(), {ROWS * loads})){stages}", "k", trips)
        self.loaded = []
        type, array = Type("st", "bf16", ROWS, self.width), self.new_name("s") if is_array else None
        if array:
            loop.body.append(Declare(array, type, None, loads))
            self.loaded += [Ref(array, type, "w")] * loads
        for i in range(loads):
            value = Call("load", type, (scalar(f"{loads} * k + {i}", "k"),), f"load({source.name}, {{{{{{0}}, 0}}}})", lambda _: source.bound())
            tile = Ref(array or self.new_name("s"), type, i if array else None)
            loop.body.append(Assign(tile, value) if array else Declare(tile.name, type, value))
            self.loaded.append(tile)
        loop.body += [self.statement() for _ in range(rng.randint(2, 8))]
        body.append(loop)

        height = max(1, ROWS * self.count * tiles - rng.choice((0, 0, 1, 70)))
        result, sums = (self.tensor("Y", "float", extents, output=True) for extents in ((height, ROWS), (1, height)))
        row = scalar(f"m * {self.count} + w", "m", "w")
        body.append(self.for_workers([Store(result.name, (row, literal(0, integer=True)), self.acc, "float"),
                                      Store(sums.name, (literal(0, integer=True), row), self.sums, "float")]))
        self.program.head = f"int m : grid(cdiv({result.name}.rows(), {ROWS * self.count}))"
        prune(self.program)
        for loop in walk(body):
            if isinstance(loop, Loop) and "load(X" not in "".join(loop.lines()):
                loop.head = loop.head.split(".stages")[0]  # there is nothing to buffer
        return self.program
