// Tests reductions of rows and columns and running sums.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx -fsyntax-only %s
#include "expect.h"

namespace {
template <typename X> void check(double low = -4, double high = 4) {
  using T = typename X::element;
  const X x = drawn_like<X>(low, high);
  const auto v = drawn_like<col_vec<T, X::height>>(low, high);
  const auto w = drawn_like<row_vec<T, X::width>>(low, high);
  col_vec<T, X::height> to_rows;
  row_vec<T, X::width> to_cols;
#define CHECK(along, operation, n, element, init, start, formula)                                  \
  {                                                                                                \
    auto from = [&]([[maybe_unused]] int i, double a) {                                            \
      for (int j = 0; j < n; ++j) {                                                                \
        const double b = exact(element);                                                           \
        a = formula;                                                                               \
      }                                                                                            \
      return a;                                                                                    \
    };                                                                                             \
    auto alone = [&](int i, int) { return from(i, start); };                                       \
    auto with_init = [&](int i, int) { return from(i, exact(init.at(i))); };                       \
    expect_each(#operation, operation(x), alone);                                                  \
    expect_each(#operation " with init", operation(x, init), with_init);                           \
    operation(to_##along, x);                                                                      \
    expect_each(#operation ", destination first", to_##along, alone);                              \
    operation(to_##along, x, init);                                                                \
    expect_each(#operation " with init, destination first", to_##along, with_init);                \
  }
  CHECK(rows, row_max, X::width, x.at(i, j), v, -INFINITY, b > a ? b : a)
  CHECK(rows, row_min, X::width, x.at(i, j), v, INFINITY, b < a ? b : a)
  CHECK(rows, row_sum, X::width, x.at(i, j), v, 0, a + b)
  CHECK(cols, col_max, X::height, x.at(j, i), w, -INFINITY, b > a ? b : a)
  CHECK(cols, col_min, X::height, x.at(j, i), w, INFINITY, b < a ? b : a)
  CHECK(cols, col_sum, X::height, x.at(j, i), w, 0, a + b)
}

template <typename V> void check_total() {
  V v = drawn_like<V>(), to;
  double sum = 0;
  for (int k = 0; k < V::length; ++k)
    sum += exact(v.at(k));
  auto should = [=](int, int) { return sum; };
  expect_each("total", total(v), should);
  total(to, v);
  expect_each("total, destination first", to, should);
  double high = exact(v.at(0)), low = high;
  for (int i = 1; i < V::length; ++i)
    high = std::max(high, exact(v.at(i))), low = std::min(low, exact(v.at(i)));
  expect_each("largest", largest(v), [&](int, int) { return high; });
  smallest(to, v);
  expect_each("smallest, destination first", to, [&](int, int) { return low; });
}

template <typename V> void check_running() {
  check_total<V>();
  V v = drawn_like<V>();
  auto should = [=](int i, int) {
    double sum = 0;
    for (int k = 0; k <= i; ++k)
      sum += exact(v.at(k));
    return sum;
  };
  expect_each("cumsum", cumsum(v), should);
  auto from_end = [=](int i, int) { return should(V::length - 1, 0) - should(i - 1, 0); };
  if constexpr (__is_same(typename V::element, int))
    expect_each("reverse_cumsum", reverse_cumsum(v), from_end);
  V ones = 1, counted;
  reverse_cumsum(counted, ones);
  expect_each("reverse_cumsum, destination first", counted,
              [](int i, int) { return V::length - i; });
  V to;
  cumsum(to, v);
  expect_each("cumsum, destination first", to, should);
  cumsum(v, v);
  expect_each("cumsum, in place", v, should);
}
} // namespace

int main() {
  check<rt_fl<32, 80>>();
  check<rt_fl<16, 16>>(-9, -5); // all negative: a maximum does not begin at 0
  check<rt_fl<16, 16>>(5, 9);
  check<rt_bf<64, 16>>();
  check<rt_hf<16, 32, col>>();
  check<rt_i32<16, 32>>(-1e9 / 32, 1e9 / 32);
  check_running<col_vec<float, 128>>();
  check_running<row_vec<bf16, 16>>();
  check_running<row_vec<int32, 64>>();

  // A NaN loses against every number, wherever it stands.
  rt_fl<16, 16> x = 1;
  x.at(0, 0) = NAN;
  x.at(1, 7) = NAN;
  x.at(2, 15) = NAN;
  x.at(15, 3) = NAN;
  expect_each("row_max of a NaN", row_max(x), [](int, int) { return 1; });
  expect_each("col_min of a NaN", col_min(x), [](int, int) { return 1; });
  return finished();
}
