"""programs - Random .tk programs whose results can be compared.

    bounds.py     what is known of a value: its range, its grid, how far two right results may differ
    tree.py       a program: types, expressions, statements; its text; its bounds
    operations.py      the table of operations: what they take, how they are written, what they do to bounds
    features.py   which parts of the language the compiler has
    generate.py   from a seed to a program
    statements.py random statements, one after another
    harness.py    many programs in one file: compiled, run on two backends, compared
    shrink.py     from a failing program to a small one
"""
