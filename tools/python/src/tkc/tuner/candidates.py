"""candidates.py - The instances that are worth measuring: those that compile, the fastest by prediction, of many tile shapes."""
import concurrent.futures
import json
import math
import os
from dataclasses import dataclass, field

from .. import compiler, plan as plans
from ..errors import CompileError
from .expressions import predicted_cycles, values_of
from .space import points, split_parameters

A_TILE_SHAPE = 3  # at most so many candidates share one
WARNED = 1.25  # what the prediction does not know: spilled registers, serialised MMAs


@dataclass
class Candidate:
    function: str  # "gemm<64, 128, 64>", as C++ names it
    parameters: str  # "BM = 64, BN = 128, BK = 64"
    plan: dict
    source: compiler.Source
    warnings: list = field(default_factory=list)
    cycles: list = field(default_factory=list)  # of each shape

    def tile_shape(self):
        return tuple(tuple(parameter["box"]) for parameter in self.plan["parameters"] if parameter["kind"] == "tensor_map")


def jobs():
    return int(os.environ.get("TKC_JOBS", 0)) or len(os.sched_getaffinity(0))


def find_function(plan, name):
    for function in plan["functions"]:
        if function["name"] == name:
            return function
    names = [function["name"] for function in plan["functions"]]
    raise CompileError(f"{plan['source']} has no function '{name}'; it has {', '.join(names)}")


class Space:
    """A function of a source, its own instances, and those that a space adds to them."""

    def __init__(self, source, kernel, space):
        self.source, self.name = source, kernel
        made, _, said, _ = compiler.run(source, "plan")
        self.plan = plans.check_format(json.loads(made))
        self.function = find_function(self.plan, kernel)
        self.own = [Candidate(each.get("function", each["name"]), each["parameters_of_template"], each, source)
                    for each in plans.kernels_of(self.plan, self.function)]
        for own in self.own:
            own.warnings = [each.message for each in said if each.severity == "warning" and own.plan["name"] in each.message]
        self.refused = []
        default = self.own[0]
        self.parameters = split_parameters(default.parameters)
        self.template = default.function.split("<")[0]
        if "a lambda" in default.parameters:
            raise CompileError(f"{kernel} has a lambda among its template arguments, which has no name; write it as a struct")
        for name in space:
            if name not in self.parameters:
                has = ", ".join(self.parameters) or "none"
                raise CompileError(f"{kernel} has no template parameter '{name}'; it has {has}")
        self.points = points(space)
        # What comes after the last parameter of the space may depend on those before it: its defaults are taken anew,
        # where the default instance has the defaults.
        self.spelled = 1 + max(list(self.parameters).index(name) for name in space)
        again = self._compile({}) if self.spelled < len(self.parameters) else None
        if not isinstance(again, Candidate) or again.parameters != default.parameters:
            self.spelled = len(self.parameters)

    def _spelling(self, point):
        return f"{self.template}<{', '.join(list((self.parameters | point).values())[:self.spelled])}>"

    def _compile(self, point):
        """A candidate, or its name and why it is none."""
        spelling = self._spelling(point)
        source = self.source.with_instances([spelling])
        try:
            made, _, said, _ = compiler.run(source, "plan")
        except CompileError as error:
            reasons = [each.message for each in error.diagnostics if each.severity == "error"]
            return spelling, reasons[0] if reasons else str(error)
        functions = json.loads(made)["functions"]
        found = [each for each in functions if each["kind"] == "kernel" and each["name"] not in self._names()
                 and each["parameters_of_template"]]
        if len(found) != 1:
            return spelling, "it is no instance of its own"
        if found[0]["arguments"] != self.function["arguments"]:
            return spelling, "it takes other arguments than the default instance"
        own = found[0]["name"]
        return Candidate(found[0].get("function", spelling), found[0]["parameters_of_template"], found[0], source,
                         [each.message for each in said if each.severity == "warning" and own in each.message])

    def _names(self):
        return {each["name"] for each in self.plan["functions"]}

    def compile(self, progress):
        """All candidates: the source's own, then those of the space that compile."""
        found, seen = list(self.own), {own.parameters for own in self.own}
        with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
            for number, made in enumerate(pool.map(self._compile, self.points)):
                progress.show(number + 1, len(self.points), "compiling")
                if isinstance(made, Candidate) and made.parameters not in seen:
                    seen.add(made.parameters)
                    found.append(made)
                elif isinstance(made, tuple):
                    self.refused.append({"function": made[0], "why": made[1]})
        progress.clear()
        if len(found) == len(self.own) and len(self.refused) == len(self.points):
            raise CompileError(f"none of the {len(self.points)} candidates compiles; the first, {self.refused[0]['function']}: "
                               f"{self.refused[0]['why']}")
        return found


def predict(candidates, function, shapes, num_sms):
    for candidate in candidates:
        candidate.cycles = [predicted_cycles(candidate.plan, values_of(candidate.plan, function["arguments"], shape.extents,
                                                                       shape.scalars), num_sms) for shape in shapes]


def scores(candidates):
    """How much longer each is predicted to take than the best: the geometric mean over all shapes, times its best one's."""
    best = [min(cycles) for cycles in zip(*(candidate.cycles for candidate in candidates))]
    result = []
    for candidate in candidates:
        ratios = [cycles / least for cycles, least in zip(candidate.cycles, best)]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        result.append(mean * min(ratios) * (WARNED if candidate.warnings else 1))
    return result


def keep(candidates, own, count):
    """The source's own, and the best `count` others by score: two thirds of them of many tile shapes and of different predicted
    times, and of the rest, which the prediction cannot tell from those, the best."""
    order = [candidate for _, candidate in sorted(zip(scores(candidates), candidates), key=lambda pair: pair[0])]
    first, later, of_shape = [], [], {}
    known = {(each.tile_shape(), tuple(each.cycles)) for each in candidates[:own]}
    for candidate in order:
        if candidate in candidates[:own]:
            continue
        shape, like = candidate.tile_shape(), (candidate.tile_shape(), tuple(candidate.cycles))
        if like in known or of_shape.get(shape, 0) >= A_TILE_SHAPE:
            later.append(candidate)
        else:
            of_shape[shape] = of_shape.get(shape, 0) + 1
            first.append(candidate)
        known.add(like)
    distinct = first[:max(-(-2 * count // 3), count - len(later))]
    return candidates[:own] + distinct + later[:count - len(distinct)]
