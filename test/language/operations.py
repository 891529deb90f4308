"""operations.py - tkc lowers every operation of the language, in each of its forms.

Each stands in a kernel of its own, which becomes IR that verifies.
"""
import os
import subprocess
import sys
import tempfile

KERNEL = """template <int N = 64>
kernel operation_%d(gl<bf16> A, gl<bf16> C) {
  for (auto [m, n] : grid(cdiv(C.rows(), N), cdiv(C.cols(), N))) {
    rt<float, N, N> x = 1, y = 2;
    rt<bf16, N, N> p = 1;
    st<bf16, N, N> s = load(A, {m, n});
    %s
    store(C, {m, n}, x);
  }
}
"""

UNARY = "exp exp2 log log2 sqrt rsqrt tanh sin cos erf floor gelu gelu_tanh silu relu abs neg rcp causal tril triu"
BINARY = "add sub mul div max min"
ALONG = "add sub mul div"
SYMBOLS = "+ - * /"
REDUCTIONS = "row_max row_min row_sum col_max col_min col_sum"
MATMULS = "AB ABt AtB AtBt"

OPERATIONS = [f"x = {v}(y);" for v in UNARY.split()]
OPERATIONS += [f"{v}(x, y);" for v in UNARY.split()]
OPERATIONS += [f"x = {v}(x, y);" for v in BINARY.split()]
OPERATIONS += [f"x = {v}(x, 0.5f);" for v in BINARY.split()]
OPERATIONS += [f"x = {v}(2, x);" for v in BINARY.split()]
OPERATIONS += [f"{v}(x, x, y);" for v in BINARY.split()]
OPERATIONS += [f"x = x {o} y;" for o in SYMBOLS.split()]
OPERATIONS += [f"x = x {o} 0.5f;" for o in SYMBOLS.split()]
OPERATIONS += [f"x {o}= y;" for o in SYMBOLS.split()]
OPERATIONS += ["x = -x;", "x = fma(x, y, 1);", "fma(x, x, y, y);"]
OPERATIONS += [f"x = {v}_row(x, row_max(y));" for v in ALONG.split()]
OPERATIONS += [f"{v}_col(x, x, col_max(y));" for v in ALONG.split()]
OPERATIONS += [f"col_vec<float, N> v = {v}(x);" for v in REDUCTIONS.split() if v[0] == "r"]
OPERATIONS += [f"row_vec<float, N> v = {v}(x);" for v in REDUCTIONS.split() if v[0] == "c"]
OPERATIONS += [f"mm_{f}(x, s, s);" for f in MATMULS.split()]
OPERATIONS += [f"x = mm_{f}(s, s);" for f in MATMULS.split()]
OPERATIONS += [f"mma_{f}(x, s, s, y);" for f in MATMULS.split()]
OPERATIONS += [
    "x = mask(x, [=](int r, int c) { return r < c; });",
    "x = map(x, [=](float v, int r, int c) { return v + r; });",
    "x = map(x, y, y, x, [=](float a, float b, float c, float d) { return a * b - c * d; });",
    "apply(x, x, [=](float v) { return v * 2; });",
    "x = select(x, y, [=](int r, int c) { return r < c; });",
    "x = select(x, x, y);",
    "x = right_fill(x, 3, -inf);",
    "x = left_fill(x, 3);",
    "x = lower_fill(x, 3);",
    "x = upper_fill(x, 3);",
    "zero(x);",
    "zero(s);",
    "fill(x, 3);",
    "col_vec<int32, N> v = iota<col_vec<int32, N>>();",
    "x = broadcast<rt<float, N, N>>(row_max(x));",
    "broadcast(x, row_max(x));",
    "x = outer_sub(row_max(x), col_max(x));",
    "x = outer_mul(row_max(x), col_max(x));",
    "x = outer_add(row_max(x), col_max(x));",
    "x = sub_row(x, cumsum(row_sum(x)));",
    "x = sub_row(x, reverse_cumsum(row_sum(x)));",
    "x = sub_row(x, total(row_sum(x)));",
    "x = sub_row(x, largest(row_max(x)));",
    "x = sub_col(x, smallest(col_min(x)));",
    "x = sub_col(x, total(col_sum(x)));",
    "x = sub_row(x, column(x, 3));",
    "x = concat_cols(left_half(x), right_half(x));",
    "x = concat_rows(upper_half(x), lower_half(x));",
    "x = interleave_cols(odd_cols(x), even_cols(x));",
    "x = swap_pairs(x);",
    "rt<float, 32, 16> z = slice<32, 16>(x, 16, 16);",
    "x = transpose(x);",
    "rt<float, N, N, col> z = swap_layout(x);",
    "p = rt<bf16, N, N>(x);",
    "copy(p, x);",
    "rt<bf16, N, N> z = load(s);",
    "load(p, s);",
    "load(p, s, {0, 0});",
    "rt<bf16, N, N> z = load(A, {m, n});",
    "store(s, p);",
    "store(s, {0, 0}, p);",
    "store(C, {m, n}, row_vec<float, N>(1.0f));",
    "load(x, C, {m, n});",
    "store_add(C, {m, n}, x);",
    "store_max(C, {m, n}, x);",
    "store_min(C, {m, n}, x);",
    "scatter_max(C, {0, n}, x, iota<col_vec<int32, N>>());",
    "scatter_min(C, {0, n}, x, iota<col_vec<int32, N>>());",
    "store(C, {m, n}, s);",
    "x = gather<rt<float, N, N>>(A, {0, n}, iota<col_vec<int32, N>>());",
    "x = gather(A, {0, n}, iota<col_vec<int32, N>>());",
    "x = load<rt<float, N, N>>(A, {m, n}) + load<rt<float, N, N>>(s);",
    "x = random<rt<float, N, N>>(1, m, n);",
    "random(x, 1, m, n);",
    "col_vec<float, N> v = 0;",
    "row_vec<half, N> v;",
    "sv<float, N> v;",
    "rt<half, N, N> v;",
    "rt<e4m3, N, N> v = load(A, {m, n});",
    "rt<int32, N, N> i = float_as_int(x) & 3; i <<= 2; i = ~i; i = bit_or(i, 1) ^ i >> 1; x = int_as_float(i);",
    "rt<int32, N, N> i = 0; float_as_int(i, x); bit_not(i, i); int_as_float(x, i);",
    "float f = exp2(0.5f * m);",
    "float f = fma(1.0f, 0.5f * m, 1.0f);",
    "for (int i : unrolled(4)) { x = y; }",
]



def main():
    lowered = 0
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, len(OPERATIONS), 40):  # a file may not instantiate too many templates
            path = os.path.join(folder, "operations.tk")
            with open(path, "w") as file:
                file.write("".join(KERNEL % (first + i, operation) for i, operation in enumerate(OPERATIONS[first : first + 40])))
            done = subprocess.run([*sys.argv[1:], path, "--emit=tk"], capture_output=True, text=True, timeout=600)
            lowered += done.stdout.count("tk.kernel @operation_")
            print(done.stderr)
    print(f"{len(OPERATIONS)} statements, {lowered} lowered")
    return 0 if lowered == len(OPERATIONS) else 1


if __name__ == "__main__":
    sys.exit(main())
