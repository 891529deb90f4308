"""pages.py - Tables of the documentation that a tool writes, between two lines that name them.

    <!-- NAME: begin -->
    ...
    <!-- NAME: end -->
"""


def _parts(path, name):
    """The text up to the table, the table, and the text after it, each with the lines that name it."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    with open(path) as file:
        before, rest = file.read().split(begin)
    table, after = rest.split(end)
    return before + begin, table, end + after


def read_table(path, name):
    return _parts(path, name)[1].splitlines()


def replace_table(path, name, lines):
    before, _, after = _parts(path, name)
    with open(path, "w") as file:
        file.write(before + "\n".join(lines) + "\n" + after)
