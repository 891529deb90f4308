"""ptxas.py - What ptxas says about emitted kernels, and what it would say about one role of them.

With setmaxnreg, ptxas reports the registers with which a kernel starts, whatever its roles use. So a role
is measured by itself: the other role's code is left out, setmaxnreg too, and the role's registers become
the limit of the kernel. What ptxas then uses is within three registers of the highest one that the role
names in the whole kernel (checked with nvdisasm).
"""
import re

from . import builds, toolchain

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


def measure(source, output):
    """{kernel: (registers, spilled bytes)} of a file of CUDA, kernels by their names in the .tk file."""
    flags = [*builds.NVCC_FLAGS, *builds.includes("gpu"), "-Xptxas", "-v"]
    report = builds.run([toolchain.find_nvcc(), *flags, "-cubin", source, "-o", output], "nvcc")
    return {plain_name(name): (registers, spilled) for name, registers, spilled in read_report(report)}


def plain_name(symbol):
    """gemm of _Z11gemm_kernel14CUtensorMap_st..."""
    length = re.match(r"_Z(\d+)", symbol)
    name = symbol[length.end() : length.end() + int(length.group(1))]
    return name.removesuffix("_kernel")


def role_alone(text, role):
    """Emitted text in which each kernel has one role only. A kernel without a producer stays as it is."""
    first, *kernels = re.split(r"(?=^__global__ )", text, flags=re.M)
    return first + "".join(kernel_alone(kernel, role) for kernel in kernels)


def code_of(match, role):
    return next(code for code in match.groups() if code and re.search(rf"// ---- {role}s? -", code))


def kernel_alone(text, role):
    registers = re.search(BANNER % role, text)
    if not registers:
        return text
    limit = min(MOST_REGISTERS, int(registers.group(1)))
    text = re.sub(r"setmaxnreg_(dec|inc)<\d+>\(\);", "", text)
    text, found = ROLES.subn(lambda match: f"  {{\n{code_of(match, role)}\n  }}\n}}\n", text)
    if found != 1:
        raise ValueError(f"{found} branches on the role where a kernel has one:\n{text[:2000]}")
    return re.sub(r"__launch_bounds__\(\w+::threads, 1\)", f"__maxnreg__({limit})", text)
