// Tests sums, products, quotients and extremes of tiles, vectors and numbers in all their forms,
// and along rows and columns.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx -fsyntax-only %s
#include "expect.h"

namespace {
/// The element of an operand beside (i, j), by the language's rules, written once more.
template <typename X> double element(const X &x, int i, [[maybe_unused]] int j) {
  if constexpr (number<X>)
    return x;
  else if constexpr (tile<X>)
    return exact(x.at(i, j));
  else
    return exact(x.at(i));
}

// Division of integers leaves out the rest.
template <typename X> double quotient(double a, double b) {
  return std::is_integral_v<typename X::element> ? std::trunc(a / b) : a / b;
}

template <typename X, typename Y> void check(const X &a, const Y &b) {
  X to;
#define CHECK(operation, formula)                                                                  \
  {                                                                                                \
    auto should = [&](int i, int j) {                                                              \
      const double x = element(a, i, j), y = element(b, i, j);                                     \
      return static_cast<double>(formula);                                                         \
    };                                                                                             \
    expect_each(#operation, operation(a, b), should);                                              \
    operation(to, a, b);                                                                           \
    expect_each(#operation ", destination first", to, should);                                     \
    to = a;                                                                                        \
    operation(to, to, b);                                                                          \
    expect_each(#operation ", in place", to, should);                                              \
  }
#define CHECK_OPERATOR(symbol, formula)                                                            \
  {                                                                                                \
    auto should = [&](int i, int j) {                                                              \
      const double x = element(a, i, j), y = element(b, i, j);                                     \
      return static_cast<double>(formula);                                                         \
    };                                                                                             \
    expect_each(#symbol, a symbol b, should);                                                      \
    to = a;                                                                                        \
    to symbol## = b;                                                                               \
    expect_each(#symbol "=", to, should);                                                          \
  }
  CHECK(add, x + y)
  CHECK(sub, x - y)
  CHECK(mul, x * y)
  CHECK(div, quotient<X>(x, y))
  CHECK(max, x > y ? x : y)
  CHECK(min, x < y ? x : y)
  CHECK_OPERATOR(+, x + y)
  CHECK_OPERATOR(-, x - y)
  CHECK_OPERATOR(*, x * y)
  CHECK_OPERATOR(/, quotient<X>(x, y))

  auto fused = [&](int i, int j) { return element(a, i, j) * element(b, i, j) + element(a, i, j); };
  expect_each("fma", fma(a, b, a), fused);
  fma(to, a, b, a);
  expect_each("fma, destination first", to, fused);
}

template <typename X> void check_number_first(double s, const X &b) {
  X to;
  using S = number_of<typename X::element>;
  const S a = static_cast<S>(s);
  auto minus = [&](int i, int j) { return s - element(b, i, j); };
  auto over = [&](int i, int j) { return quotient<X>(s, element(b, i, j)); };
  expect_each("number - x", a - b, minus);
  expect_each("number / x", a / b, over);
  expect_each("number + x", a + b, [&](int i, int j) { return s + element(b, i, j); });
  expect_each("number * x", a * b, [&](int i, int j) { return s * element(b, i, j); });
  expect_each("sub(number, x)", sub(a, b), minus);
  sub(to, a, b);
  expect_each("sub(to, number, x)", to, minus);
  div(to, a, b);
  expect_each("div(to, number, x)", to, over);
  expect_each("max(number, x)", max(a, b),
              [&](int i, int j) { return std::fmax(s, element(b, i, j)); });
}

template <typename X> void check_all() {
  const X a = drawn_like<X>(), b = drawn_like<X>(1, 5);
  check(a, b);
  check(a, 3);
  check_number_first(2, b);
}

template <typename T, int rows, int cols, typename layout> void check_along() {
  using X = rt<T, rows, cols, layout>;
  const X x = drawn_like<X>();
  const auto v = drawn_like<col_vec<T, rows>>(1, 5);
  const auto w = drawn_like<row_vec<T, cols>>(1, 5);
  X to;
#define CHECK_ALONG(operation, symbol)                                                             \
  {                                                                                                \
    auto along_rows = [&](int i, int j) { return exact(x.at(i, j)) symbol exact(v.at(i)); };       \
    auto along_cols = [&](int i, int j) { return exact(x.at(i, j)) symbol exact(w.at(j)); };       \
    expect_each(#operation "_row", operation##_row(x, v), along_rows);                             \
    expect_each(#operation "_col", operation##_col(x, w), along_cols);                             \
    expect_each(#symbol " a column vector", x symbol v, along_rows);                               \
    expect_each(#symbol " a row vector", x symbol w, along_cols);                                  \
    operation##_row(to, x, v);                                                                     \
    expect_each(#operation "_row, destination first", to, along_rows);                             \
    operation##_col(to, x, w);                                                                     \
    expect_each(#operation "_col, destination first", to, along_cols);                             \
  }
  CHECK_ALONG(add, +)
  CHECK_ALONG(sub, -)
  CHECK_ALONG(mul, *)
  CHECK_ALONG(div, /)

  auto of_row = [&](int i, int) { return exact(v.at(i)); };
  auto of_col = [&](int, int j) { return exact(w.at(j)); };
  expect_each("broadcast of a column vector", broadcast<X>(v), of_row);
  expect_each("broadcast of a row vector", broadcast<X>(w), of_col);
  broadcast(to, v);
  expect_each("broadcast(to, column vector)", to, of_row);
  broadcast(to, w);
  expect_each("broadcast(to, row vector)", to, of_col);
}

template <typename T, int rows, int cols> void check_outer() {
  const auto v = drawn_like<col_vec<T, rows>>();
  const auto w = drawn_like<row_vec<T, cols>>();
  rt<T, rows, cols> to;
#define CHECK_OUTER(operation, symbol)                                                             \
  {                                                                                                \
    auto should = [&](int i, int j) { return exact(v.at(i)) symbol exact(w.at(j)); };              \
    expect_each(#operation, operation(v, w), should);                                              \
    operation(to, v, w);                                                                           \
    expect_each(#operation ", destination first", to, should);                                     \
  }
  CHECK_OUTER(outer_add, +)
  CHECK_OUTER(outer_sub, -)
  CHECK_OUTER(outer_mul, *)
}
} // namespace

int main() {
  check_all<rt_fl<32, 48>>();
  check_all<rt_bf<16, 32, col>>();
  check_all<rt_hf<16, 16>>();
  check_all<rt_i32<16, 16>>();
  check_all<col_vec<float, 32>>();
  check_all<row_vec<bf16, 16>>();
  check_all<row_vec<int32, 16>>();
  check_along<float, 32, 48, row>();
  check_along<bf16, 48, 16, col>();
  check_outer<float, 16, 48>();
  check_outer<half, 32, 16>();

  // fma rounds once: the product of these is not a float.
  const rt_fl<16, 16> x = 1 + 0x1p-12f;
  expect_each("fma rounds once", fma(x, x, -1.0f), [](int, int) { return 0x1p-11 + 0x1p-24; }, 0);
  // Integers are not calculated in float.
  const rt_i32<16, 16> large = rt_i32<16, 16>(16777216.0f) + 1;
  expect_each("integers are exact", large, [](int, int) { return 16777217; }, 0);
  expect_each("fma of integers", fma(large, 1, 1), [](int, int) { return 16777218; }, 0);
  return finished();
}
