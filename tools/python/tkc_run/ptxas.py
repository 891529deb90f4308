"""ptxas.py - What ptxas says about emitted kernels, and what it would say about one role of them.

With setmaxnreg, ptxas reports the registers with which a kernel starts, whatever its roles use. So a role
is measured by itself: the other role's code is left out, setmaxnreg too, and the role's registers become
the limit of the kernel. What ptxas then uses is within three registers of the highest one that the role
names in the whole kernel (checked with nvdisasm). Here the role is cut from the CUDA; ptx_roles.py cuts it from nvcc's PTX.
"""
import re

# The branch in which each role has its code, as the backend prints it: two of them or three.
CONDITION = r"if \(warpgroup_index\(\) (?:==|<) \d+\)"
ROLES = re.compile(r"  " + CONDITION + r" \{\n(.*?)\n  \} else (?:" + CONDITION +
                   r" \{\n(.*?)\n  \} else )?\{\n(.*?)\n  \}\n\}\n", re.S)
BANNER = r"// ---- %ss? -+\n\s*setmaxnreg_\w+<(\d+)>"
MOST_REGISTERS = 255


def read_report(text):
    """Yields (kernel, registers, spilled bytes) for each kernel of a ptxas report."""
    for part in text.split("Compiling entry function ")[1:]:
        name = re.match(r"'(\w+)'", part).group(1)
        spilled = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", part)
        registers = re.search(r"Used (\d+) registers", part)
        if not spilled or not registers:
            raise ValueError(f"the report of ptxas on {name} cannot be read:\n{part}")
        yield name, int(registers.group(1)), int(spilled.group(1)) + int(spilled.group(2))


def plain_name(symbol):
    """gemm of _Z11gemm_kernel14CUtensorMap_st..."""
    length = re.match(r"_Z(\d+)", symbol)
    name = symbol[length.end() : length.end() + int(length.group(1))]
    return name.removesuffix("_kernel")


def alone(kernel, role):
    """The plain name of a kernel that has one role only."""
    return f"{kernel}_{role}_alone"


def roles_alone(text, wanted):
    """Emitted text, of whose kernels are left those roles, each by itself, whose names as `alone` gives them are wanted."""
    kernels = re.findall(r"^__global__ .*?^}\n", text, re.M | re.S)
    parts = [kernel_alone(kernel, role) for kernel in kernels for role in ("producer", "consumer", "reducer")
             if alone(re.search(r"(\w+)_kernel\(", kernel)[1], role) in wanted and re.search(BANNER % role, kernel)]
    declared = re.sub(r"^(__global__ [^{]*?) \{.*?^}\n", r"\1;\n", text, flags=re.M | re.S)
    # The other roles' variables are unused.
    return f"{declared}#pragma nv_diag_suppress 177, 550\n" + "\n".join(parts)


def code_of(match, role):
    return next(code for code in match.groups() if code and re.search(rf"// ---- {role}s? -", code))


def kernel_alone(text, role):
    limit = min(MOST_REGISTERS, int(re.search(BANNER % role, text).group(1)))
    text = re.sub(r"setmaxnreg_(dec|inc)<\d+>\(\);", "", text)
    text, found = ROLES.subn(lambda match: f"  {{\n{code_of(match, role)}\n  }}\n}}\n", text)
    if found != 1:
        raise ValueError(f"{found} branches on the role where a kernel has one:\n{text[:2000]}")
    text = re.sub(r"(\w+)_kernel\(", lambda match: alone(match.group(1), role) + "_kernel(", text, count=1)
    return re.sub(r"__launch_bounds__\(\w+::threads, \d+\)", f"__maxnreg__({limit})", text)
