// Tests operations on bits of integers in all their forms, and the bits of floats.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx -fsyntax-only %s
#include "expect.h"

#include <bit>

namespace {
int element(int x, int, int) { return x; }
/// The element of an operand beside (i, j) of a tile.
template <typename X> int element(const X &x, [[maybe_unused]] int i, [[maybe_unused]] int j) {
  if constexpr (tile<X>)
    return x.at(i, j);
  else
    return x.at(detail::is_column<X> ? i : j);
}

template <typename X, typename Y> void check(const X &a, const Y &b) {
  X to;
#define CHECK(operation, symbol)                                                                   \
  {                                                                                                \
    auto should = [&](int i, int j) { return double(element(a, i, j) symbol element(b, i, j)); };  \
    expect_each(#operation, operation(a, b), should);                                              \
    expect_each(#symbol, a symbol b, should);                                                      \
    operation(to, a, b);                                                                           \
    expect_each(#operation ", destination first", to, should);                                     \
    to = a;                                                                                        \
    to symbol## = b;                                                                               \
    expect_each(#symbol "=", to, should);                                                          \
  }
  CHECK(bit_and, &)
  CHECK(bit_or, |)
  CHECK(bit_xor, ^)
  CHECK(shift_left, <<)
  CHECK(shift_right, >>)
  auto opposite = [&](int i, int j) { return double(~element(a, i, j)); };
  expect_each("bit_not", bit_not(a), opposite);
  expect_each("~", ~a, opposite);
  bit_not(to, a);
  expect_each("bit_not, destination first", to, opposite);
  expect_each("a number first", 12 ^ a,
              [&](int i, int j) { return double(12 ^ element(a, i, j)); });
}

void check_floats() {
  const auto x = drawn_like<rt_fl<16, 32>>(-4, 4);
  const auto should = [&](int i, int j) { return double(std::bit_cast<int>(x.at(i, j))); };
  rt<int32, 16, 32> bits = float_as_int(x);
  expect_each("float_as_int", bits, should);
  float_as_int(bits, x);
  expect_each("float_as_int, destination first", bits, should);
  rt_fl<16, 32> back;
  int_as_float(back, bits);
  expect_each("int_as_float", back, [&](int i, int j) { return exact(x.at(i, j)); });
  const row_vec<float, 16> two = int_as_float(row_vec<int32, 16>(1 << 30));
  expect_each("int_as_float of a vector", two, [](int, int) { return 2.0; });
  expect("of a number", 0, 0, float_as_int(1.0f), 127 << 23, 0);
}
} // namespace

int main() {
  const auto a = drawn_like<rt<int32, 16, 32>>(-100, 100), b = drawn_like<rt<int32, 16, 32>>(0, 20);
  check(a, b);
  check(a, 3);
  check(a, drawn_like<row_vec<int32, 32>>(0, 20));
  check(drawn_like<col_vec<int32, 16>>(-100, 100), drawn_like<col_vec<int32, 16>>(0, 20));
  check_floats();
  return finished();
}
