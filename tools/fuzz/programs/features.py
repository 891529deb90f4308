"""features.py - The parts of the language that random programs may use.

The reference knows all of them. What the compiler does not lower yet is off by default, so that the
test says what works; switch a part on here when it lands. `--features all` tries everything,
`--features +masks,-half` changes the default.
"""

# name: (what it is, whether tkc and the emulator have it)
TABLE = {
    "products": ("mma_* of shared tiles", True),
    "continued": ("an accumulator that a pipeline loop goes on with after a product before it", False),
    "transposed_a": ("mma_AtB and mma_AtBt", False),
    "pipeline": ("pipeline loops", True),
    "for": ("for loops", False),
    "if": ("if on scalars", False),
    "scalars": ("scalar parameters of kernels", False),
    "ranks": ("tensors of 1, 3 and 4 dimensions", False),
    "float_outputs": ("tensors of float as outputs", False),
    "float_tensors": ("tensors of float as inputs", False),
    "half": ("half tensors and tiles", False),
    "narrow_tiles": ("register tiles of bf16 and half", False),
    "integers": ("tiles and vectors of int32", False),
    "register_loads": ("register tiles loaded from tensors", False),
    "shared_loads": ("register tiles loaded from shared tiles, and stored to them", False),
    "shared_stores": ("shared tiles stored to tensors", False),
    "vectors": ("vectors in registers: fills, loads and stores", False),
    "shared_vectors": ("vectors in shared memory", False),
    "functions": ("exp, log, tanh, gelu and the like", False),
    "arithmetic": ("add, sub, mul, max, min, fma and operators", False),
    "division": ("div, rcp, rsqrt, sqrt", False),
    "along": ("a tile with a vector along it", False),
    "outer": ("outer_add, outer_sub, outer_mul, broadcast", False),
    "row_reductions": ("row_max, row_min, row_sum", False),
    "col_reductions": ("col_max, col_min, col_sum", False),
    "cumsum": ("running sums of vectors", False),
    "masks": ("mask, causal, tril, triu and the fills", False),
    "select": ("select by a lambda or by a tile", False),
    "maps": ("map and apply with lambdas", False),
    "sequences": ("iota and arange", False),
    "conversions": ("conversions between element types", False),
    "parts": ("slices, halves, concatenation, columns", False),
    "transpose": ("transpose of tiles and vectors", False),
    "layouts": ("swap_layout and the layout col", False),
    "register_products": ("products whose first operand is in registers", False),
    "warp_products": ("products with both operands in registers", False),
    "mm": ("mm_*, products that begin at zero", False),
    "random": ("random numbers by counter", False),
    "gathers": ("loads by index", False),
    "store_add": ("sums in global memory", False),
    "unrolled": ("unrolled loops and arrays of tiles", False),
    "helpers": ("helper functions", False),
    "structs": ("structs of tiles", False),
    "warpgroups": ("loops over warpgroups", False),
    "warps": ("loops over warps", False),
    "continue": ("early continue of a grid tile", False),
    "fp8": ("conversions to e4m3, e5m2 and int8", False),
    "copies": ("a tile that is a copy of another", False),
}


def chosen(text):
    """The features that a command line asks for."""
    on = {name for name, (_, works) in TABLE.items() if works}
    for word in filter(None, (text or "").split(",")):
        sign, name = (word[0], word[1:]) if word[0] in "+-" else ("=", word)
        if name == "all":
            on = set(TABLE)
        elif name == "none":
            on = set()
        elif name not in TABLE:
            raise SystemExit(f"error: there is no feature '{name}'; there are {', '.join(TABLE)}")
        elif sign == "-":
            on.discard(name)
        else:
            on.add(name)
    return on
