"""pages.py - Tables of the documentation that a tool writes, between two lines that name them.

    <!-- NAME: begin -->
    ...
    <!-- NAME: end -->
"""


def replace_table(path, name, lines):
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    with open(path) as file:
        before, rest = file.read().split(begin)
    after = rest.split(end)[1]
    with open(path, "w") as file:
        file.write(before + begin + "\n".join(lines) + "\n" + end + after)
