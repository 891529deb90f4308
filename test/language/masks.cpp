// Tests masks, triangles, fills beside a line, selections, and maps with coordinates.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx -fsyntax-only %s
#include "expect.h"

namespace {
template <typename X, typename Where> void check() {
  using T = typename X::element;
  const X x = drawn_like<X>(), y = drawn_like<X>();
  X to;

#define CHECK(operation, arguments, kept, value)                                                   \
  {                                                                                                \
    auto should = [&]([[maybe_unused]] int r, [[maybe_unused]] int c) {                            \
      return kept ? exact(x.at(r, c)) : exact(T(value));                                           \
    };                                                                                             \
    expect_each(#operation #arguments, operation arguments, should, 0);                            \
  }
#define CHECK_TO(operation, arguments, kept, value)                                                \
  {                                                                                                \
    operation arguments;                                                                           \
    auto should = [&]([[maybe_unused]] int r, [[maybe_unused]] int c) {                            \
      return kept ? exact(x.at(r, c)) : exact(T(value));                                           \
    };                                                                                             \
    expect_each(#operation #arguments, to, should, 0);                                             \
  }
  auto odd = [](int r, int c) { return (r + 2 * c) % 3 == 1; };
  CHECK(mask, (x, odd, 7), (r + 2 * c) % 3 == 1, 7)
  CHECK_TO(mask, (to, x, odd, 7), (r + 2 * c) % 3 == 1, 7)
  if constexpr (std::is_same_v<number_of<T>, float>) {
    CHECK(mask, (x, odd), (r + 2 * c) % 3 == 1, -inf)
    CHECK_TO(mask, (to, x, odd), (r + 2 * c) % 3 == 1, -inf)
    CHECK(causal, (x), c <= r, -inf)
    CHECK_TO(causal, (to, x, -2), c <= r - 2, -inf)
  }
  CHECK(causal, (x, 3, 5), c <= r + 3, 5)
  CHECK(tril, (x), c <= r, 0)
  CHECK(tril, (x, -1, 2), c <= r - 1, 2)
  CHECK_TO(tril, (to, x, 4), c <= r + 4, 0)
  CHECK(triu, (x), c >= r, 0)
  CHECK(triu, (x, 1, 2), c >= r + 1, 2)
  CHECK_TO(triu, (to, x, -4), c >= r - 4, 0)
  CHECK(right_fill, (x, 5), c < 5, 0)
  CHECK(right_fill, (x, 5, 3), c < 5, 3)
  CHECK_TO(right_fill, (to, x, 0), false, 0)
  CHECK(left_fill, (x, 5), c >= 5, 0)
  CHECK_TO(left_fill, (to, x, 5, 3), c >= 5, 3)
  CHECK(lower_fill, (x, 9), r < 9, 0)
  CHECK_TO(lower_fill, (to, x, 9, 3), r < 9, 3)
  CHECK(upper_fill, (x, 9), r >= 9, 0)
  CHECK_TO(upper_fill, (to, x, 9, 3), r >= 9, 3)
  CHECK(select, (x, y, odd), (r + 2 * c) % 3 == 1, y.at(r, c))
  CHECK(select, (x, 2, odd), (r + 2 * c) % 3 == 1, 2)
  CHECK_TO(select, (to, x, y, odd), (r + 2 * c) % 3 == 1, y.at(r, c))

  const Where where = map(drawn_like<Where>(0, 2), [](auto v) { return floor(v); });
  CHECK(select, (where, x, y), where.at(r, c) != 0, y.at(r, c))
  CHECK(select, (where, x, 2), where.at(r, c) != 0, 2)
  CHECK_TO(select, (to, where, x, y), where.at(r, c) != 0, y.at(r, c))
}

void check_maps() {
  using X = rt_bf<32, 48>;
  const X x = drawn_like<X>(), y = drawn_like<X>();
  const auto v = drawn_like<col_vec<float, 32>>();
  const auto w = drawn_like<row_vec<bf16, 48>>();
  X to;
  auto twice = [&](int r, int c) { return 2.0 * x.at(r, c); };
  expect_each("map", map(x, [](float x) { return 2 * x; }), twice);
  apply(to, x, [](float x) { return 2 * x; });
  expect_each("apply", to, twice);
  expect_each("map at a place", map(x, [](float x, int r, int c) { return x + 10 * r - c; }),
              [&](int r, int c) { return x.at(r, c) + 10.0 * r - c; });
  expect_each("map of two", map(x, y, [](float x, float y) { return x - 2 * y; }),
              [&](int r, int c) { return x.at(r, c) - 2.0 * y.at(r, c); });
  expect_each("map of a tile and a column vector, at a place",
              map(x, v, [](float x, float v, int r, int c) { return x * v + r - 3 * c; }),
              [&](int r, int c) { return double(x.at(r, c)) * v.at(r) + r - 3 * c; });
  expect_each("map of three", map(x, v, w, [](float x, float v, float w) { return x + v * w; }),
              [&](int r, int c) { return x.at(r, c) + double(v.at(r)) * w.at(c); });
  expect_each("map of four, at a place",
              map(x, v, w, y,
                  [](float x, float v, float w, float y, int r, int c) {
                    return x + v * w - y + r - 2 * c;
                  }),
              [&](int r, int c) {
                return x.at(r, c) + double(v.at(r)) * w.at(c) - y.at(r, c) + r - 2 * c;
              });
  expect_each("map of a vector at an index", map(v, [](float v, int i) { return v + i; }),
              [&](int i, int) { return v.at(i) + i; });
  expect_each("map of two vectors", map(v, v, [](float a, float b) { return a * b; }),
              [&](int i, int) { return double(v.at(i)) * v.at(i); });
  // A lambda of auto takes what float does.
  expect_each("map by auto", map(x, [](auto x) { return 2 * x; }), twice);
}
} // namespace

int main() {
  check<rt_fl<32, 16>, rt_i32<32, 16>>();
  check<rt_bf<16, 48, col>, rt_fl<16, 48, col>>();
  check<rt_i32<16, 16>, rt_i8<16, 16>>();
  check_maps();
  return finished();
}
