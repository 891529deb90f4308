"""features.py - The parts of the language that random programs may use.

The reference knows all of them. What the compiler does not lower yet is off by default, so that the
test says what works; switch a part on here when it lands. `--features all` tries everything,
`--features +masks,-half` changes the default.
"""

# name: (what it is, whether tkc and the emulator have it)
TABLE = {
    "matmuls": ("mma_* of shared tiles", True),
    "continued": ("an accumulator that a pipeline loop goes on with after a matmul before it", True),
    "transposed_a": ("mma_AtB and mma_AtBt", True),
    "pipeline": ("pipeline loops", True),
    "for": ("for loops", True),
    "if": ("if on scalars", True),
    "choices": ("branches that only choose between variables", True),
    "nested_pipelines": ("pipeline loops in loops and branches", True),
    "scalars": ("scalar parameters of kernels", True),
    "ranks": ("tensors of 1, 3 and 4 dimensions", True),
    "float_outputs": ("tensors of float as outputs", True),
    "float_tensors": ("tensors of float as inputs", True),
    "half": ("half tensors and tiles", True),
    "narrow_tiles": ("register tiles of bf16 and half", True),
    "integers": ("tiles and vectors of int32", True),
    "register_loads": ("register tiles loaded from tensors", True),
    "cache_policies": ("hints for L2 on loads and stores", True),
    "shared_loads": ("register tiles loaded from shared tiles, and stored to them", True),
    "shared_stores": ("shared tiles stored to tensors", True),
    "vectors": ("vectors in registers: fills, loads and stores", True),
    "shared_vectors": ("vectors in shared memory", True),
    "functions": ("exp, log, tanh, gelu and the like", True),
    "arithmetic": ("add, sub, mul, max, min, fma and operators", True),
    "division": ("div, rcp, rsqrt, sqrt", True),
    "along": ("a tile with a vector along it", True),
    "outer": ("outer_add, outer_sub, outer_mul, broadcast", True),
    "row_reductions": ("row_max, row_min, row_sum", True),
    "col_reductions": ("col_max, col_min, col_sum", True),
    "cumsum": ("running sums of vectors", True),
    "masks": ("mask, causal, tril, triu and the fills", True),
    "select": ("select by a lambda or by a tile", True),
    "maps": ("map and apply with lambdas", True),
    "sequences": ("iota and arange", True),
    "conversions": ("conversions between element types", True),
    "parts": ("slices, halves, concatenation, columns", True),
    "transpose": ("transpose of tiles and vectors", True),
    "shared_parts": ("parts of shared tiles, at a constant place or that of a warpgroup or warp", True),
    "layouts": ("swap_layout and the layout col", True),
    "register_matmuls": ("matmuls whose first operand is in registers", True),
    "chains": ("loops of two matmuls, the second one's first operand from the first one's result", True),
    "sums": ("row sums of what the second matmul of a chain reads from registers", True),
    "warp_matmuls": ("matmuls with both operands in registers", True),
    "mm": ("mm_*, matmuls that begin at zero", True),
    "random": ("random numbers by counter", True),
    "gathers": ("loads by index", True),
    "store_add": ("sums in global memory", True),
    "unrolled": ("unrolled loops and arrays of tiles", True),
    "helpers": ("helper functions", True),
    "structs": ("structs of tiles", True),
    "warpgroups": ("loops over warpgroups", True),
    "warps": ("loops over warps", True),
    "continue": ("early continue of a grid tile", True),
    "fp8": ("conversions to e4m3, e5m2 and int8", True),
    "copies": ("a tile that is a copy of another", True),
    # Off by default so that a seed's program stays what it was.
    "reducers": ("pipeline loops with a matmul whose result leaves the iteration, as in attention's gradients", False),
    "hidden_blocks": ("masks of those loops that hide their first blocks from some warpgroups' rows", False),
    "scatters": ("stores by index, rows upside down", False),
    "extremes": ("larger and smaller elements kept in global memory", False),
    "bits": ("operations on bits of integers and floats", False),
    "pages": ("tiles whose rows come from several matrices of a tensor", False),
    "mms": ("mms_*, matmuls that subtract", False),
    "low_tiles": ("tiles of 16 and 32 rows outside of scopes, which one warp holds", False),
    "wide_tiles": ("tiles that do not fit the registers, of which blocks of columns are computed at a time", False),
    "prefetch": ("L2 is asked for a block's first loads while the kernel before ends", False),
    "blocks": ("several persistent blocks on an SM", False),
    "halos": ("loads that begin at any row or column", False),
    "largest": ("the largest and smallest element of a vector", False),
    "descending": ("loops that go down, pipeline loops through a dimension", False),
    "one_stage": ("pipeline loops of one stage", False),
    "scanners": ("pipeline loops with running sums of what they load, as in layers with a state", False),
    "recurrences": ("pipeline loops that carry a state, of which each iteration stores what it makes", False),
    "hand_overs": ("pipeline loops in which warpgroups hand tiles and vectors to each other; the programs have nothing else", False),
    "magnitudes": ("exponentials of distances between numbers up to 3e38", False),
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
