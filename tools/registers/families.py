"""families.py - Programs at random tile sizes, for the prediction of registers.

Each family is a template whose tile sizes are drawn; the same seed gives the same programs. Sizes are those that a user
might try, also where they cannot fit: what tkc then does is part of the question.
"""
import random

ATTENTION = """
template <int D, int BM, int BN>
kernel attention(gl<bf16, -1, -1, -1, D> Q, gl<bf16, -1, -1, -1, D> K, gl<bf16, -1, -1, -1, D> V, gl<bf16, -1, -1, -1, D> O, float scale) {
  for (auto [m, h, b] : grid(cdiv(Q.rows(), BM), Q.depth(), Q.batch())) {
    st<bf16, BM, D> q = load(Q, {b, h, m, 0});
    rt<float, BM, D> o = 0;
    col_vec<float, BM> best = -inf, total = 0;
    for (int j : pipeline(cdiv(K.rows(), BN))) {
      st<bf16, BN, D> k = load(K, {b, h, j, 0}), v = load(V, {b, h, j, 0});
      rt<float, BM, BN> s = mm_ABt(q, k) * scale;
      MASK
      auto now = row_max(s, best);
      auto alpha = exp(best - now);
      s = exp(s - now);
      total = total * alpha + row_sum(s);
      o *= alpha;
      mma_AB(o, rt<bf16, BM, BN>(s), v);
      best = now;
    }
    store(O, {b, h, m, 0}, o / total);
  }
}
"""

GEMM = """
template <int BM, int BN, int BK>
kernel gemm(gl<bf16> A, gl<bf16> B, gl<OUT> C, gl<bf16> Bias) {
  for (auto [m, n] : grid(cdiv(C.rows(), BM), cdiv(C.cols(), BN)).swizzle(8)) {
    rt<float, BM, BN> acc = 0;
    for (int k : pipeline(cdiv(A.cols(), BK))) {
      st<bf16, BM, BK> a = load(A, {m, k});
      st<bf16, BK, BN> b = load(B, {k, n});
      mma_AB(acc, a, b);
    }
    EPILOGUE
    store(C, {m, n}, acc);
  }
}
"""

CHAINED = """
template <int BM, int BN, int N>
kernel chained(gl<bf16> A, gl<bf16> B, gl<bf16> C, gl<bf16> D) {
  for (int m : grid(cdiv(A.rows(), BM))) {
    rt<float, BM, BN> t = 0;
    for (int k : pipeline(cdiv(A.cols(), 64))) {
      st<bf16, BM, 64> a = load(A, {m, k});
      st<bf16, 64, BN> b = load(B, {k, 0});
      mma_AB(t, a, b);
    }
    st<bf16, BN, N> c = load(C, {0, 0});
    t = ACTIVATION;
    store(D, {m, 0}, mm_AB(rt<bf16, BM, BN>(t), c));
  }
}
"""

LINEAR = """
template <int D, int E, int C>
kernel linear(gl<bf16, -1, -1, -1, D> Q, gl<bf16, -1, -1, -1, D> K, gl<bf16> V, gl<bf16> O, gl<float, -1> Log) {
  for (auto [e, h, b] : grid(cdiv(V.cols(), E), Q.depth(), Q.batch())) {
    const float log = Log.at(h);
    rt<float, D, E> state = 0;
    for (int n : pipeline(cdiv(Q.rows(), C))) {
      st<bf16, C, D> q = load(Q, {b, h, n, 0}), k = load(K, {b, h, n, 0});
      st<bf16, C, E> v = load(V, {b, h, n, e});
      rt<float, C, C> s = mm_ABt(q, k);
      s = map(s, [=](float s, int i, int j) { return j > i ? 0.0f : DECAY; });
      st<bf16, D, E> past;
      store(past, rt<bf16, D, E>(state));
      rt<float, C, E> o = mm_AB(q, past);
      mma_AB(o, rt<bf16, C, C>(s), v);
      store(O, {b, h, n, e}, o);
      mma_AtB(state, k, v);
    }
  }
}
""".replace("gl<bf16> V, gl<bf16> O", "gl<bf16, -1, -1, -1, -1> V, gl<bf16, -1, -1, -1, -1> O")

ROWS = """
template <int BM, int N>
kernel rows(gl<IN> X, gl<bf16> W, gl<bf16> Y) {
  for (int m : grid(cdiv(X.rows(), BM))) {
    rt<float, BM, N> x = load(X, {m, 0});
    WORK
    store(Y, {m, 0}, x);
  }
}
"""

COLUMNS = """
template <int BM, int N>
kernel columns(gl<bf16> X, gl<float, -1> Sum, gl<float, -1> Squares) {
  for (int n : grid(cdiv(X.cols(), N))) {
    row_vec<float, N> sum = 0, squares = 0;
    for (int i : pipeline(cdiv(X.rows(), BM))) {
      rt<float, BM, N> x = load(X, {i, n});
      sum = col_sum(x, sum);
      WORK
    }
    store(Sum, {n}, sum);
    store(Squares, {n}, squares);
  }
}
"""


def attention(draw):
    mask = "s = mask(s, [=](int r, int c) { return j * BN + c < K.rows(); });"
    text = ATTENTION.replace("MASK", draw.choice(["", mask]))
    return text, f"attention<{draw.choice([64, 64, 128, 128, 192, 256])}, {draw.choice([64, 128, 128, 192, 256])}, {draw.choice(range(32, 193, 16))}>"


def gemm(draw):
    bias = "acc = acc + rt<float, BM, BN>(load(Bias, {m, n}));"
    text = GEMM.replace("EPILOGUE", draw.choice(["", "", "acc = gelu(acc);", "acc = silu(acc);", bias]))
    text = text.replace("OUT", draw.choice(["bf16", "bf16", "float"]))
    return text, f"gemm<{draw.choice([64, 128, 192, 256])}, {draw.choice(range(64, 257, 16))}, {draw.choice([32, 64, 128])}>"


def chained(draw):
    text = CHAINED.replace("ACTIVATION", draw.choice(["t", "silu(t)", "max(t, 0.0f)", "gelu(t)"]))
    return text, f"chained<{draw.choice([64, 128, 192, 256])}, {draw.choice([64, 96, 128, 192, 256])}, {draw.choice([64, 96, 128, 192, 256])}>"


def linear(draw):
    text = LINEAR.replace("DECAY", draw.choice(["s", "s * exp2(log * (i - j))"]))
    return text, f"linear<{draw.choice([64, 64, 128])}, {draw.choice(range(16, 193, 16))}, {draw.choice([64, 64, 128])}>"


def rows(draw):
    if draw.random() < 0.3:
        text = COLUMNS.replace("WORK", draw.choice(["squares = col_sum(x * x, squares);", "squares = col_sum(abs(x), squares);"]))
        return text, f"columns<{draw.choice([64, 128, 192])}, {draw.choice(range(32, 257, 32))}>"
    work = [
        "auto mean = row_sum(x) * (1.0f / N); x = x - mean; x = x * rsqrt(row_sum(x * x) * (1.0f / N) + 1e-5f);",
        "x = x * rsqrt(row_sum(x * x) * (1.0f / N) + 1e-5f) * rt<float, BM, N>(load(W, {m, 0}));",
        "auto top = row_max(x); x = exp(x - top); x = x / row_sum(x);",
        "x = exp(x) / (1.0f + rt<float, BM, N>(load(W, {m, 0})));",
    ]
    text = ROWS.replace("WORK", draw.choice(work)).replace("IN", draw.choice(["bf16", "float"]))
    return text, f"rows<{draw.choice([64, 128, 192, 256])}, {draw.choice(range(32, 385, 32))}>"


FAMILIES = {"attention": attention, "gemm": gemm, "chained": chained, "linear": linear, "rows": rows}


def programs(each, seed):
    """Yields (name, text) of `each` programs of every family; no two are the same."""
    for family, make in FAMILIES.items():
        draw, seen = random.Random(f"{family} {seed}"), set()
        while len(seen) < each:
            text, instance = make(draw)
            text += f"\ninstantiate({family}_{len(seen)}, {instance});\n"
            plain = text.replace(f"{family}_{len(seen)}", "")
            if plain not in seen:
                seen.add(plain)
                yield f"{family}_{len(seen) - 1}", text
