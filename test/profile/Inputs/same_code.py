"""same_code.py - Whether the roles of a profiled kernel are those of the kernel, and records: same_code.py CUDA PROFILED"""
import re
import sys


def roles(path):
    """The code of all roles, without comments and without what records."""
    code, inside = "", False
    for line in open(path):
        inside = (inside or "// ---- " in line) and not line.startswith("}")
        if inside:
            code += line.split("//")[0].strip() + " "
    code = re.sub(r"profile_stream profile\([^;]*;|profile\.\w+\([^;]*;", "", code)
    return code.split()


plain, profiled = map(roles, sys.argv[1:])
assert plain and plain == profiled, [pair for pair in zip(plain, profiled) if pair[0] != pair[1]][:3]
text = open(sys.argv[2]).read()
numbers = re.findall(r"profile\.(?:record|sample|tile)\((\d+)", text)
assert len(numbers) > 10
