"""ptx_hazards.py - Does nvcc leave the registers of a matmul alone while it runs?

wgmma.mma_async reads and writes registers until a wgmma.wait_group covers it, and till then no other instruction may
touch its accumulator or write its left operand (PTX ISA, asynchronous warpgroup-level matrix instructions). Emitted
text keeps to that, but nvcc sees in a wait only a statement that must stay among others of its kind: it may move what
is not. So this follows every path through the PTX of a kernel, with the matmuls that are running on it.
"""
import re
from dataclasses import dataclass, field

REGISTER = re.compile(r"%[a-z]+\d+")
WITHOUT_RESULT = ("st.", "red.", "bra", "bar.", "ret", "exit", "wgmma.", "mbarrier.arrive", "cp.", "fence", "membar")
MOST_PENDING = 7  # groups that a wait may leave
MOST_STATES = 64  # of the matmuls running at the head of a block, before something must be wrong with this program


@dataclass
class Block:
    instructions: list = field(default_factory=list)  # (opcode, operands)
    next: list = field(default_factory=list)


def statements(text):
    """Labels and instructions of a kernel's body, in order. Labels within inline assembly are its own."""
    for label, instruction in re.findall(r"^(\$L\w+):|((?:@!?%?\w+\s+)?[a-z][\w.:]*(?:\s[^;]*)?);", text, re.M):
        yield label, instruction


def blocks_of(text):
    """The blocks of a kernel's body by label; "" is the first."""
    blocks, name = {"": Block()}, ""
    is_open = True
    for label, statement in statements(text):
        block = blocks[name]
        if label:
            if is_open:
                block.next.append(label)
            name, is_open = label, True
            blocks[name] = Block()
            continue
        guarded = re.match(r"@!?%?\w+\s+(.*)", statement)
        body = guarded.group(1) if guarded else statement
        opcode, _, operands = body.partition(" ") if " " in body else body.partition("\t")
        target = re.search(r"\$L\w+", operands) if opcode.startswith("bra") else None
        if target:
            block.next.append(target.group(0))
        if is_open:
            block.instructions.append((opcode, operands))
        if not guarded and (target or opcode in ("ret", "exit")):
            is_open = False
        elif target:  # what follows a branch is a block of its own
            name += "'"
            block.next.append(name)
            blocks[name] = Block()
    return blocks


def written(opcode, operands):
    """The registers that an instruction gives a value."""
    if opcode.startswith(WITHOUT_RESULT) or operands.lstrip().startswith("["):
        return set()
    first = re.match(r"\s*(\{[^}]*\}|[^,]*)", operands).group(1)
    return set(REGISTER.findall(first))


def registers_of(operands):
    """The accumulator of an MMA and its left operand, which is empty if that is in shared memory."""
    accumulator, _, rest = operands.partition("}")
    left = re.match(r"\s*,\s*\{([^}]*)\}", rest)
    return frozenset(REGISTER.findall(accumulator)), frozenset(REGISTER.findall(left.group(1)) if left else ())


def run(block, state):
    """The matmuls running after a block, as groups and what is not committed; and what touches them."""
    groups, begun, wrong = list(state[0]), list(state[1]), []
    for opcode, operands in block.instructions:
        if opcode.startswith("wgmma.mma_async"):
            begun.append(registers_of(operands))
        elif opcode.startswith("wgmma.commit_group"):
            groups.append(tuple(begun))
            begun = []
            if len(groups) > MOST_PENDING + 1:  # no wait tells the two oldest apart
                groups[:2] = [tuple(dict.fromkeys(groups[0] + groups[1]))]
        elif opcode.startswith("wgmma.wait_group"):
            pending = int(operands)
            groups = groups[len(groups) - pending :] if pending else []
        else:
            touched, changed = set(REGISTER.findall(operands)), written(opcode, operands)
            for accumulator, left in [matmul for group in [*groups, begun] for matmul in group]:
                if touched & accumulator:
                    wrong.append(f"{opcode} {operands.strip()} touches the accumulator of an MMA that may be running")
                elif changed & left:
                    wrong.append(f"{opcode} {operands.strip()} writes the left operand of a matmul that may be running")
    return (tuple(group for group in groups if group), tuple(begun)), wrong


def check_kernel(text):
    """What is wrong in a kernel's body, each once."""
    blocks, seen, wrong = blocks_of(text), {}, {}
    work = [("", ((), ()))]
    while work:
        name, state = work.pop()
        known = seen.setdefault(name, set())
        if state in known:
            continue
        known.add(state)
        if len(known) > MOST_STATES:
            raise ValueError(f"more than {MOST_STATES} states at {name or 'the beginning'}")
        after, found = run(blocks[name], state)
        wrong.update(dict.fromkeys(found))
        work += [(following, after) for following in blocks[name].next]
    return list(wrong)


def body_of(text, start):
    """What stands between the brace at `start` and its own closing one."""
    depth = 0
    for brace in re.finditer(r"[{}]", text[start:]):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return text[start + 1 : start + brace.start()]
    raise ValueError("a kernel without an end")


def check(text):
    """{kernel: (its matmuls, what is wrong)} of a file of PTX."""
    result = {}
    text = re.sub(r"//[^\n]*", "", text)
    for kernel in re.finditer(r"\.entry\s+(\w+)\([^)]*\)[^{;]*", text):
        body = body_of(text, kernel.end())
        result[kernel.group(1)] = (body.count("wgmma.mma_async"), check_kernel(body))
    return result
