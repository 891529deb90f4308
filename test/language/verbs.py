"""verbs.py - tkc lowers a verb of the language, or refuses it by name at its place.

Each verb stands alone in a kernel. What must not happen: a crash, silence, or a message about another
place. Say which are lowered with --list.
"""
import os
import re
import subprocess
import sys
import tempfile

KERNEL = """template <int N = 64>
kernel k(gl<bf16> A, gl<bf16> C) {
  for (auto [m, n] : grid(cdiv(C.rows(), N), cdiv(C.cols(), N))) {
    rt<float, N, N> x = 1, y = 2;
    rt<bf16, N, N> p = 1;
    st<bf16, N, N> s = load(A, {m, n});
    %s
    store(C, {m, n}, x);
  }
}
"""
LINE = 7  # where the verb stands

UNARY = "exp exp2 log log2 sqrt rsqrt tanh gelu gelu_tanh silu relu abs neg rcp causal tril triu"
BINARY = "add sub mul div max min"
ALONG = "add sub mul div"
SYMBOLS = "+ - * /"
REDUCTIONS = "row_max row_min row_sum col_max col_min col_sum"
PRODUCTS = "AB ABt AtB AtBt"

# What is written, and the name its refusal must have.
VERBS = [(f"x = {v}(y);", v) for v in UNARY.split()]
VERBS += [(f"{v}(x, y);", v) for v in UNARY.split()]
VERBS += [(f"x = {v}(x, y);", v) for v in BINARY.split()]
VERBS += [(f"x = {v}(x, 0.5f);", v) for v in BINARY.split()]
VERBS += [(f"x = {v}(2, x);", v) for v in BINARY.split()]
VERBS += [(f"{v}(x, x, y);", v) for v in BINARY.split()]
VERBS += [(f"x = x {o} y;", f"operator{o}") for o in SYMBOLS.split()]
VERBS += [(f"x = x {o} 0.5f;", f"operator{o}") for o in SYMBOLS.split()]
VERBS += [(f"x {o}= y;", f"operator{o}=") for o in SYMBOLS.split()]
VERBS += [("x = -x;", "operator-"), ("x = fma(x, y, 1);", "fma"), ("fma(x, x, y, y);", "fma")]
VERBS += [(f"x = {v}_row(x, row_max(y));", f"{v}_row") for v in ALONG.split()]
VERBS += [(f"{v}_col(x, x, col_max(y));", f"{v}_col") for v in ALONG.split()]
VERBS += [(f"col_vec<float, N> v = {v}(x);", "v") for v in REDUCTIONS.split() if v[0] == "r"]
VERBS += [(f"row_vec<float, N> v = {v}(x);", "v") for v in REDUCTIONS.split() if v[0] == "c"]
VERBS += [(f"mm_{f}(x, s, s);", f"mm_{f}") for f in PRODUCTS.split()]
VERBS += [(f"x = mm_{f}(s, s);", f"mm_{f}") for f in PRODUCTS.split()]
VERBS += [(f"mma_{f}(x, s, s, y);", f"mma_{f}") for f in PRODUCTS.split()]
VERBS += [
    ("x = mask(x, [=](int r, int c) { return r < c; });", "mask"),
    ("x = map(x, [=](float v, int r, int c) { return v + r; });", "map"),
    ("apply(x, x, [=](float v) { return v * 2; });", "apply"),
    ("x = select(x, y, [=](int r, int c) { return r < c; });", "select"),
    ("x = select(x, x, y);", "select"),
    ("x = right_fill(x, 3, -inf);", "right_fill"),
    ("x = left_fill(x, 3);", "left_fill"),
    ("x = lower_fill(x, 3);", "lower_fill"),
    ("x = upper_fill(x, 3);", "upper_fill"),
    ("zero(x);", "zero"),
    ("zero(s);", "zero"),
    ("fill(x, 3);", "fill"),
    ("col_vec<int32, N> v = iota<col_vec<int32, N>>();", "v"),
    ("x = broadcast<rt<float, N, N>>(row_max(x));", "broadcast"),
    ("broadcast(x, row_max(x));", "broadcast"),
    ("x = outer_sub(row_max(x), col_max(x));", "outer_sub"),
    ("x = outer_mul(row_max(x), col_max(x));", "outer_mul"),
    ("x = outer_add(row_max(x), col_max(x));", "outer_add"),
    ("x = sub_row(x, cumsum(row_sum(x)));", "sub_row"),
    ("x = sub_row(x, column(x, 3));", "sub_row"),
    ("x = concat_cols(left_half(x), right_half(x));", "concat_cols"),
    ("x = concat_rows(upper_half(x), lower_half(x));", "concat_rows"),
    ("rt<float, 32, 16> z = slice<32, 16>(x, 16, 16);", "slice"),
    ("x = transpose(x);", "transpose"),
    ("rt<float, N, N, col> z = swap_layout(x);", "swap_layout"),
    ("p = rt<bf16, N, N>(x);", "rt"),
    ("copy(p, x);", "copy"),
    ("rt<bf16, N, N> z = load(s);", "rt"),
    ("load(p, s);", "load"),
    ("load(p, s, {0, 0});", "load"),
    ("rt<bf16, N, N> z = load(A, {m, n});", "register tile"),
    ("store(s, p);", "store"),
    ("store(s, {0, 0}, p);", "store"),
    ("store(C, {m, n}, row_vec<float, N>(1.0f));", "store"),
    ("load(x, C, {m, n});", "register tile"),
    ("store_add(C, {m, n}, x);", "store_add"),
    ("store(C, {m, n}, s);", "store"),
    ("x = gather<rt<float, N, N>>(A, {0, n}, iota<col_vec<int32, N>>());", "gather"),
    ("x = random<rt<float, N, N>>(1, m, n);", "random"),
    ("random(x, 1, m, n);", "random"),
    ("col_vec<float, N> v = 0;", "v"),
    ("row_vec<half, N> v;", "v"),
    ("sv<float, N> v;", "v"),
    ("rt<half, N, N> v;", "half"),
    ("st<e4m3, N, N> v = load(A, {m, n});", "e4m3"),
    ("float f = exp2(0.5f * m);", "exp2"),
    ("float f = fma(1.0f, 0.5f * m, 1.0f);", "fma"),
    ("for (int i : unrolled(4)) { x = y; }", "unrolled"),
    ("for (int w : warpgroups(2)) { x = y; }", "warpgroups"),
    ("for (int w : warps(4)) { x = y; }", "warps"),
]


def try_verb(tkc, folder, statement, name):
    """Empty if tkc does as it should with one statement; else what it did instead."""
    path = os.path.join(folder, "verb.tk")
    with open(path, "w") as file:
        file.write(KERNEL % statement)
    command = [*tkc, path, "--emit=tk", "-o", os.path.join(folder, "verb.mlir")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode == 0:
        return "", True
    message = re.search(rf"verb\.tk:{LINE}:\d+: error: (.*)", done.stderr)
    if done.returncode != 1 or not message:
        return f"status {done.returncode}, {done.stderr.strip() or 'no message'}", False
    if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message[1]):
        return f"the message does not name '{name}': {message[1]}", False
    return "", False


def main():
    tkc = [word for word in sys.argv[1:] if word != "--list"]
    problems = lowered = 0
    with tempfile.TemporaryDirectory() as folder:
        for statement, name in VERBS:
            problem, ok = try_verb(tkc, folder, statement, name)
            lowered += ok
            if problem:
                problems += 1
                print(f"{statement}\n  {problem}")
            elif ok and "--list" in sys.argv:
                print(f"lowered: {statement}")
    print(f"{len(VERBS)} statements: {lowered} lowered, {len(VERBS) - lowered - problems} refused by name")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
