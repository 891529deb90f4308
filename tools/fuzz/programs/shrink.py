"""shrink.py - From a failing program to a small one that fails in the same way.

Delta debugging on the tree: take out a statement (with everything that needs its variable), put a
loop's or branch's body in its place, replace an operand by a number, as long as the failure stays. A
try costs a compilation, so there is a limit.
"""
import copy

from .bounds import Unknown
from .harness import run_batch
from .prune import blocks_of, prune
from .tree import Assign, Call, Declare, DeclareStruct, If, Loop, Ref, Store, literal

MOST_TRIES = 150


def shrink(outcome, folder, backend):
    """The smallest program found."""
    best, tries = outcome.program, 0
    changed = True
    while changed and tries < MOST_TRIES:
        changed = False
        for candidate in candidates(best):
            tries += 1
            if tries > MOST_TRIES:
                break
            if fails_alike(candidate, outcome, folder, backend):
                best, changed = candidate, True
                break
    return best


def fails_alike(program, outcome, folder, backend):
    found = run_batch([program], folder, 0, backend)[0]
    return found.kind == outcome.kind


def candidates(program):
    """Smaller programs, the smallest first."""
    for path in sorted(paths(program.body), key=lambda path: len(path)):
        for change in (remove, unwrap):
            smaller = changed_at(program, path, change)
            if smaller:
                yield smaller
    for path in paths(program.body):
        for smaller in simpler_values(program, path):
            yield smaller


def paths(body):
    """The place of each statement: numbers of statements and blocks, outermost first."""
    for i, statement in enumerate(body):
        yield (i,)
        for b, block in enumerate(blocks_of(statement)):
            for rest in paths(block):
                yield (i, b, *rest)


def find(program, path):
    """The block and the number within it that a path names."""
    block = program.body
    for i, b in zip(path[:-1:2], path[1::2]):
        block = blocks_of(block[i])[b]
    return block, path[-1]


def changed_at(program, path, change):
    """A copy of the program with a change at one place, if it is still a program."""
    result = copy.deepcopy(program)
    block, at = find(result, path)
    if not change(block, at):
        return None
    return valid(result)


def valid(program):
    """The program without what nobody needs any more; None if it is none."""
    try:
        drop_undeclared(program.body, set())
        prune(program)
        if not any(isinstance(statement, Store) for statement in program.body):
            return None
        # The grid takes its extents from an output, which must be written to.
        if any(tensor.output and tensor.name not in program.bounds() for tensor in program.tensors):
            return None
        return program
    except (Unknown, KeyError):
        return None


def remove(block, at):
    del block[at]
    return True


def unwrap(block, at):
    statement = block[at]
    if not isinstance(statement, (Loop, If)):
        return False
    inner = statement.body if isinstance(statement, Loop) else statement.then + statement.otherwise
    block[at : at + 1] = inner
    return bool(inner)


def drop_undeclared(body, known):
    """Takes out what reads a variable that is no longer declared."""
    kept = []
    for statement in body:
        variables = {name for name in reads(statement) if name[0] in "xvstz" and name[1].isdigit()}
        if variables - known:
            continue
        inner = [set(known) for _ in blocks_of(statement)]
        for block, names in zip(blocks_of(statement), inner):
            drop_undeclared(block, names)
        if isinstance(statement, (Loop, If)) and not any(blocks_of(statement)):
            continue
        if isinstance(statement, (Declare, DeclareStruct)):
            known |= statement.written()
        kept.append(statement)
    body[:] = kept


def reads(statement):
    """The variables that a statement itself needs to be there."""
    if isinstance(statement, (Loop, If)):
        return set()
    written = {statement.to.name} if isinstance(statement, Assign) else set()
    return statement.names() | written


def simpler_values(program, path):
    """Copies in which one operand of a call is replaced by a number or by the call's own operand."""
    block, at = find(program, path)
    value = getattr(block[at], "value", None)
    if not isinstance(value, Call) or getattr(block[at], "form", "=") != "=":
        return
    for i, arg in enumerate(value.args):
        if isinstance(arg, Call) and arg.type == value.type:
            yield from with_value(program, path, arg)
        if isinstance(arg, Call) and arg.type.is_register:
            zero = Call("fill", arg.type, (literal(1, integer=True),), arg.type.text() + "({0})", lambda x: x, "")
            args = (*value.args[:i], zero, *value.args[i + 1 :])
            yield from with_value(program, path, Call(value.operation, value.type, args, value.code, value.limit, value.destination))


def with_value(program, path, value):
    result = copy.deepcopy(program)
    block, at = find(result, path)
    block[at].value = value
    if valid(result):
        yield result
