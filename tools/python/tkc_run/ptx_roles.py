"""ptx_roles.py - Kernels that have one role each, cut from the PTX of kernels with several.

In the PTX of a kernel, each other role ends where its setmaxnreg is, the role's own is left out, and its registers become the
limit of the kernel: ptxas alone tells then what the role takes, without another run of nvcc. What nvcc computes before the roles
part is still there, for all of them; ptxas.py cuts roles from CUDA, which tells less by that and costs as much as the kernels.
"""
import re

from .ptxas import MOST_REGISTERS, alone, plain_name

KINDS = ("producer", "consumer", "reducer")
ROLE = rf"// ---- ({'|'.join(KINDS)})s? -+\n\s*setmaxnreg_(inc|dec)<(\d+)>"
SETMAXNREG = re.compile(r"setmaxnreg\.(inc|dec)\.sync\.aligned\.u32 (\d+);")
JUMP = re.compile(r"\s*(@!?%\w+\s+)?(?:bra(?:\.uni)?\s+(\$L\w+)|ret|exit);")


def roles_of(text):
    """{kernel: {(inc or dec, its registers): role}} of emitted text. A kernel without a producer has no roles."""
    result = {}
    for name, kernel in re.findall(r"^__global__ [^;]*?(\w+)_kernel\((.*?)^}\n", text, re.M | re.S):
        found = re.findall(ROLE, kernel)
        result[name] = {(change, registers): role for role, change, registers in found}
        if len(result[name]) != len(found):
            raise ValueError(f"two roles of {name} cannot be told apart by their setmaxnreg")
    return result


def reachable(lines):
    """The lines of a kernel in PTX without what no path reaches: ptxas would count what a matmul there needs."""
    blocks, following, name, is_open = {"": []}, {"": []}, "", True
    for line in lines:
        label, jump = re.match(r"(\$L\w+):", line), JUMP.match(line)
        if label:
            if is_open:
                following[name].append(label[1])
            name, is_open = label[1], True
            blocks[name], following[name] = [], []
        blocks[name].append(line)
        if jump:
            following[name] += [jump[2]] * bool(jump[2]) + [name + "'"] * bool(jump[1])
            name, is_open = name + "'", bool(jump[1])
            blocks[name], following[name] = [], []
    seen, work = set(), [""]
    while work:
        if (here := work.pop()) not in seen:
            seen.add(here)
            work += following[here]
    return [line for name, block in blocks.items() if name in seen for line in block]


def kernel_alone(kernel, name, role, change, registers):
    def end_others(match):
        return "" if match.groups() == (change, registers) else "ret;"

    kernel, found = SETMAXNREG.subn(end_others, kernel)
    if found < 2:
        raise ValueError(f"{name} has {found} setmaxnreg where a kernel with roles has two or more")
    kernel = re.sub(r"^\.maxntid[^\n]*\n", "", kernel, flags=re.M)
    kernel = re.sub(r"^\.minnctapersm[^\n]*", f".maxnreg {min(MOST_REGISTERS, int(registers))}", kernel, flags=re.M)
    symbol = re.match(r"\.visible \.entry (\w+)", kernel)[1]
    alone_name = alone(name, role)
    kernel = kernel.replace(symbol, f"_Z{len(alone_name)}{alone_name}")
    body = kernel.rstrip().removesuffix("}")
    return "".join(reachable(body.splitlines(keepends=True))) + "}\n"


def roles_alone(ptx, roles):
    """PTX of kernels that have one role each, of a file of PTX and the roles of its kernels."""
    begins = [match.start() for match in re.finditer(r"^\.visible \.entry", ptx, re.M)]
    kernels = [ptx[begin:end] for begin, end in zip(begins, [*begins[1:], len(ptx)])]
    result = [ptx[: begins[0]]]
    for kernel in kernels:
        name = plain_name(re.match(r"\.visible \.entry (\w+)", kernel)[1])
        result += [kernel_alone(kernel, name, role, *change) for change, role in roles[name].items()]
    return "".join(result)
