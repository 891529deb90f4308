"""prune.py - Takes out of a program what no output depends on.

A statement stays if a variable that it writes is read by one that stays. (Which value is read is not
asked: a variable that is written twice keeps both, unless the second value stands in the same block,
after the first, and does not depend on the variable.)
"""
from .tree import Assign, Declare, DeclareStruct, If, Loop, Store, names_in


def prune(program):
    """Takes out dead statements, and tensors nobody uses."""
    while drop_unread(program.body, needed(program.body)) or drop_overwritten(program.body, set()):
        pass
    used = " ".join(program.text().split("{", 1)[1:]) if program.head else "\n".join(
        line for statement in program.body for line in statement.lines())
    mentioned = lambda name: any(name + end in used for end in (",", ".", ")", " "))
    program.helpers = [text for text in program.helpers if called(text) in used]
    program.tensors = [tensor for tensor in program.tensors if mentioned(tensor.name)]


def called(text):
    """How a program names a helper: 'f3(' of a function, 'Sz4 ' of a struct."""
    words = text.split("(")[0].split()
    return words[1] + " " if words[0] == "struct" else words[-1] + "("


def needed(body, result=None):
    """All variables on which an output depends (or those of `result`)."""
    result = result or names_in([s for s in walk(body) if isinstance(s, Store)])
    while True:
        more = set(result)
        for statement in walk(body):
            if isinstance(statement, (Declare, DeclareStruct, Assign)) and statement.written() & result:
                more |= statement.names()
            elif isinstance(statement, If):
                more |= statement.condition.names()
        if more == result:
            return result
        result = more


def walk(body):
    for statement in body:
        yield statement
        for block in blocks_of(statement):
            yield from walk(block)


def blocks_of(statement):
    if isinstance(statement, Loop):
        return [statement.body]
    return [statement.then, statement.otherwise] if isinstance(statement, If) else []


def drop_unread(body, read):
    """Whether anything was taken out."""
    before = len(body)
    inner = [drop_unread(block, read) for statement in body for block in blocks_of(statement)]
    dead = lambda s: (isinstance(s, (Declare, DeclareStruct, Assign)) and not s.written() & read) or (
        isinstance(s, (Loop, If)) and not any(blocks_of(s)))
    body[:] = [statement for statement in body if not dead(statement)]
    return len(body) != before or any(inner)


def drop_overwritten(body, read_after):
    """Takes out an assignment whose value is replaced, or never read, in straight-line code."""
    live, kept, changed = set(read_after), [], False
    for statement in reversed(body):
        name = getattr(statement, "to", None) and statement.to.index is None and statement.to.name
        if isinstance(statement, Assign) and name and name not in live:
            changed = True
            continue
        if isinstance(statement, (Assign, Declare, DeclareStruct)):
            live -= {name} if name else set()
            live |= statement.names()
        elif isinstance(statement, Loop):
            inside = live | statement.names()
            changed |= drop_overwritten(statement.body, inside)
            live = inside
        elif isinstance(statement, If):
            for block in blocks_of(statement):
                changed |= drop_overwritten(block, live)
            live |= statement.names()
        else:
            live |= statement.names()
        kept.append(statement)
    body[:] = reversed(kept)
    return changed
