// Tests the functions of each element, in value form and destination first, in tiles and vectors of
// several types, against the C library in double.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx -fsyntax-only %s
#include "expect.h"

namespace {
template <typename X> void check(double tolerance = rounding<typename X::element>) {
  const X any = drawn_like<X>(), positive = drawn_like<X>(0.1, 8);
  X to;

#define CHECK(operation, of, formula)                                                              \
  {                                                                                                \
    auto should = [&](int i, [[maybe_unused]] int j) {                                             \
      double x;                                                                                    \
      if constexpr (tile<X>)                                                                       \
        x = exact(of.at(i, j));                                                                    \
      else                                                                                         \
        x = exact(of.at(i));                                                                       \
      return static_cast<double>(formula);                                                         \
    };                                                                                             \
    expect_each(#operation, operation(of), should, tolerance);                                     \
    operation(to, of);                                                                             \
    expect_each(#operation ", destination first", to, should, tolerance);                          \
    to = of;                                                                                       \
    operation(to, to);                                                                             \
    expect_each(#operation ", in place", to, should, tolerance);                                   \
  }
  CHECK(exp, any, std::exp(x))
  CHECK(exp2, any, std::exp2(x))
  CHECK(log, positive, std::log(x))
  CHECK(log2, positive, std::log2(x))
  CHECK(sqrt, positive, std::sqrt(x))
  CHECK(rsqrt, positive, 1 / std::sqrt(x))
  CHECK(tanh, any, std::tanh(x))
  CHECK(sin, any, std::sin(x))
  CHECK(cos, any, std::cos(x))
  CHECK(erf, any, std::erf(x))
  CHECK(floor, any, std::floor(x))
  CHECK(gelu, any, x * std::erfc(-x / std::sqrt(2.0)) / 2)
  CHECK(gelu_tanh, any, x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))))
  CHECK(silu, any, x / (1 + std::exp(-x)))
  CHECK(relu, any, x < 0 ? 0 : x)
  CHECK(abs, any, x < 0 ? -x : x)
  CHECK(neg, any, -x)
  CHECK(rcp, positive, 1 / x)
  expect_each("unary minus", -any, [&](int i, [[maybe_unused]] int j) {
    if constexpr (tile<X>)
      return -exact(any.at(i, j));
    else
      return -exact(any.at(i));
  });
}

void check_scalars() {
  const float x = 0.7f;
  expect("exp", 0, 0, exp(x), std::exp(double(x)), 1e-7);
  expect("exp2 of an int", 0, 0, exp2(3), 8, 0);
  expect("log of a bf16", 0, 0, log(bf16(2.5f)), std::log(2.5), 1e-7);
  expect("log2", 0, 0, log2(x), std::log2(double(x)), 1e-7);
  expect("sqrt", 0, 0, sqrt(x), std::sqrt(double(x)), 1e-7);
  expect("rsqrt", 0, 0, rsqrt(x), 1 / std::sqrt(double(x)), 1e-7);
  expect("tanh", 0, 0, tanh(x), std::tanh(double(x)), 1e-7);
  expect("sin", 0, 0, sin(x), std::sin(double(x)), 1e-7);
  expect("cos", 0, 0, cos(x), std::cos(double(x)), 1e-7);
  expect("erf", 0, 0, erf(x), std::erf(double(x)), 1e-7);
  expect("floor", 0, 0, floor(-1.5f), -2, 0);
  expect("rcp", 0, 0, rcp(4), 0.25, 0);
  expect("abs", 0, 0, abs(-1.5f), 1.5, 0);
  expect("abs of an int", 0, 0, abs(-16777217), 16777217, 0);
  expect("max", 0, 0, max(1, 2.5f), 2.5, 0);
  expect("max of ints", 0, 0, max(16777217, 3), 16777217, 0);
  expect("min", 0, 0, min(1, 2.5f), 1, 0);
  expect("max of a NaN", 0, 0, max(NAN, 2.5f), 2.5, 0);
  expect("max with a NaN", 0, 0, max(2.5f, NAN), 2.5, 0);
  expect("min of a NaN", 0, 0, min(NAN, 2.5f), 2.5, 0);
  expect("fma", 0, 0, fma(1 + 0x1p-12f, 1 + 0x1p-12f, -1.0f), 0x1p-11 + 0x1p-24, 0);
  expect("log2e", 0, 0, log2e, 1 / std::log(2.0), 1e-7);
  expect("ln2", 0, 0, ln2, std::log(2.0), 1e-7);
  expect("pi", 0, 0, pi, M_PI, 1e-7);
  expect("inf", inf > 3e38f && -inf < -3e38f);
}
} // namespace

int main() {
  check<rt_fl<32, 48>>();
  check<rt_fl<16, 16, col>>();
  check<rt_bf<16, 64>>();
  check<rt_hf<16, 16>>();
  check<col_vec<float, 64>>();
  check<row_vec<bf16, 32>>();
  check_scalars();
  return finished();
}
