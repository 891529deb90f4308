// Tests columns, slices, halves, concatenation, transposition, layout tags, conversion and fills.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx -fsyntax-only %s
#include <limits>

#include "expect.h"

namespace {
template <typename T, int rows, int cols, typename layout> void check_parts() {
  using X = rt<T, rows, cols, layout>;
  const X x = drawn_like<X>();
  auto from = [&](int top, int left) {
    return [&, top, left](int i, int j) { return exact(x.at(top + i, left + j)); };
  };
  col_vec<T, rows> v;
  column(v, x, 5);
  expect_each("column", column(x, 5), [&](int i, int) { return exact(x.at(i, 5)); }, 0);
  expect_each("column, destination first", v, [&](int i, int) { return exact(x.at(i, 5)); }, 0);

  rt<T, 16, 32, layout> part;
  slice(part, x, 16, 16);
  expect_each("slice", slice<16, 32>(x, 16, 16), from(16, 16), 0);
  expect_each("slice, destination first", part, from(16, 16), 0);
  expect_each("left_half", left_half(x), from(0, 0), 0);
  expect_each("right_half", right_half(x), from(0, cols / 2), 0);
  expect_each("upper_half", upper_half(x), from(0, 0), 0);
  expect_each("lower_half", lower_half(x), from(rows / 2, 0), 0);
  expect_each("concat_cols of halves", concat_cols(left_half(x), right_half(x)), from(0, 0), 0);
  expect_each("concat_rows of halves", concat_rows(upper_half(x), lower_half(x)), from(0, 0), 0);
  expect_each("even_cols", even_cols(x), [&](int i, int j) { return exact(x.at(i, 2 * j)); }, 0);
  expect_each("odd_cols", odd_cols(x), [&](int i, int j) { return exact(x.at(i, 2 * j + 1)); }, 0);
  expect_each(
      "interleave_cols", interleave_cols(odd_cols(x), even_cols(x)),
      [&](int i, int j) { return exact(x.at(i, j ^ 1)); }, 0);
  expect_each("swap_pairs", swap_pairs(x), [&](int i, int j) { return exact(x.at(i, j ^ 1)); }, 0);
  const auto three = concat_cols(slice<rows, 16>(x, 0, 16), x);
  expect_each(
      "concat_cols of different sizes", three,
      [&](int i, int j) { return exact(x.at(i, j < 16 ? j + 16 : j - 16)); }, 0);
  const auto tall = concat_rows(slice<16, cols>(x, 16, 0), x);
  expect_each(
      "concat_rows of different sizes", tall,
      [&](int i, int j) { return exact(x.at(i < 16 ? i + 16 : i - 16, j)); }, 0);

  rt<T, cols, rows, layout> turned;
  transpose(turned, x);
  auto across = [&](int i, int j) { return exact(x.at(j, i)); };
  expect_each("transpose", transpose(x), across, 0);
  expect_each("transpose, destination first", turned, across, 0);

  const auto swapped = swap_layout(x);
  using other = std::conditional_t<std::is_same_v<layout, row>, col, row>;
  static_assert(std::is_same_v<decltype(swapped), const rt<T, rows, cols, other>>);
  expect_each("swap_layout", swapped, from(0, 0), 0);
  rt<T, rows, cols, other> to;
  swap_layout(to, x);
  expect_each("swap_layout, destination first", to, from(0, 0), 0);
}

void check_vectors() {
  const auto v = drawn_like<col_vec<float, 32>>();
  const row_vec<float, 32> across = transpose(v);
  const col_vec<float, 32> back = transpose(across);
  expect_each("transpose of a column vector", across, [&](int i, int) { return v.at(i); }, 0);
  expect_each("transpose of a row vector", back, [&](int i, int) { return v.at(i); }, 0);
}

template <typename To, typename From> void check_conversion(double low, double high) {
  using T = typename To::element;
  const From from = drawn_like<From>(low, high);
  To to;
  copy(to, from);
  auto should = [&](int i, [[maybe_unused]] int j) {
    double value;
    if constexpr (tile<From>)
      value = exact(from.at(i, j));
    else
      value = exact(from.at(i));
    if constexpr (std::is_integral_v<T>)
      value = std::fmin(std::fmax(std::trunc(value), double(std::numeric_limits<T>::min())),
                        double(std::numeric_limits<T>::max()));
    return value;
  };
  const double tolerance = std::is_same_v<T, float> ? 0x1p-24 : rounding<T>;
  expect_each("conversion", To(from), should, tolerance);
  expect_each("copy", to, should, tolerance);
  // No type changes unasked.
  static_assert(!std::is_convertible_v<From, To>);
}

template <typename X> void check_fills() {
  X x = drawn_like<X>(), y = drawn_like<X>();
  zero(x);
  fill(y, 3);
  expect_each("zero", x, [](int, int) { return 0; }, 0);
  expect_each("fill", y, [](int, int) { return 3; }, 0);
  if constexpr (register_value<X>) {
    X z = 5;
    expect_each("initialised by a number", z, [](int, int) { return 5; }, 0);
    z = -2;
    expect_each("assigned a number", z, [](int, int) { return -2; }, 0);
  }
}

template <typename V> void check_sequences() {
  V v;
  iota(v);
  expect_each("iota", iota<V>(), [](int i, int) { return i; }, 0);
  expect_each("iota, destination first", v, [](int i, int) { return i; }, 0);
  arange(v, 7, -2);
  expect_each("arange", arange<V>(7, -2), [](int i, int) { return 7 - 2 * i; }, 0);
  expect_each("arange, destination first", v, [](int i, int) { return 7 - 2 * i; }, 0);
  expect_each("arange by ones", arange<V>(100), [](int i, int) { return 100 + i; }, 0);
}

void check_names() {
  static_assert(std::is_same_v<rt_bf<16, 64>, rt<bf16, 16, 64, row>>);
  static_assert(std::is_same_v<rt_fl<16, 64, col>, rt<float, 16, 64, col>>);
  static_assert(std::is_same_v<rt_hf<16, 64>, rt<f16, 16, 64>>);
  static_assert(std::is_same_v<rt_tf<16, 64>, rt<tf32, 16, 64>>);
  static_assert(std::is_same_v<rt_e4<16, 64>, rt<e4m3, 16, 64>>);
  static_assert(std::is_same_v<st_e5<16, 64>, st<e5m2, 16, 64>>);
  static_assert(std::is_same_v<st_i8<16, 64>, st<int8, 16, 64>>);
  static_assert(std::is_same_v<rv_fl<64>, col_vec<float, 64>>);
  static_assert(std::is_same_v<rv_bf<64, row>, row_vec<bf16, 64>>);
  static_assert(std::is_same_v<sv_hf<64>, sv<half, 64>>);
}
} // namespace

int main() {
  check_parts<float, 32, 64, row>();
  check_parts<bf16, 64, 96, col>();
  check_vectors();
  check_conversion<rt_bf<32, 16>, rt_fl<32, 16>>(-4, 4);
  check_conversion<rt_fl<32, 16, col>, rt_bf<32, 16, col>>(-4, 4);
  check_conversion<rt_e4<16, 16>, rt_hf<16, 16>>(1, 400);
  check_conversion<rt_e5<16, 16>, rt_fl<16, 16>>(1, 50000);
  check_conversion<rt_hf<16, 16>, rt_e5<16, 16>>(1, 50000);
  check_conversion<rt_tf<16, 16>, rt_fl<16, 16>>(-4, 4);
  check_conversion<rt_i32<16, 16>, rt_fl<16, 16>>(-4e9, 4e9);
  check_conversion<rt_i8<16, 16>, rt_fl<16, 16>>(-200, 200);
  check_conversion<rt_i8<16, 16>, rt_i32<16, 16>>(-200, 200);
  check_conversion<rt_fl<16, 16>, rt_i32<16, 16>>(-2e9, 2e9);
  check_conversion<col_vec<half, 32>, col_vec<float, 32>>(-4, 4);
  check_conversion<row_vec<float, 32>, row_vec<int32, 32>>(-1000, 1000);
  check_fills<rt_fl<16, 32>>();
  check_fills<rt_i8<16, 32, col>>();
  check_fills<st_bf<16, 32>>();
  check_fills<col_vec<bf16, 32>>();
  check_fills<row_vec<int32, 32>>();
  check_fills<sv_fl<32>>();
  check_sequences<col_vec<float, 64>>();
  check_sequences<row_vec<int32, 16>>();
  check_names();
  return finished();
}
