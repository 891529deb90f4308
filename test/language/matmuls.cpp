// Tests MMAs in their four forms, with and without an accumulator, over element types, sizes,
// and operands in shared memory and in registers.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx -fsyntax-only %s
#include "expect.h"

namespace {
template <bool transposed, typename X> double element(const X &x, int i, int j) {
  return transposed ? exact(x.at(j, i)) : exact(x.at(i, j));
}

template <typename A, typename B, typename C, int inner> void check(double low, double high) {
#define CHECK(form, turnA, turnB, AType, BType)                                                    \
  {                                                                                                \
    const auto a = drawn_like<AType>(low, high);                                                   \
    const auto b = drawn_like<BType>(low, high);                                                   \
    const C c = drawn_like<C>(low, high);                                                          \
    auto matmul = [&](int i, int j) {                                                              \
      double sum = 0;                                                                              \
      for (int k = 0; k < inner; ++k)                                                              \
        sum += element<turnA>(a, i, k) * element<turnB>(b, k, j);                                  \
      return sum;                                                                                  \
    };                                                                                             \
    auto with_c = [&](int i, int j) { return exact(c.at(i, j)) + matmul(i, j); };                  \
    static_assert(std::is_same_v<decltype(mm_##form(a, b)), C>);                                   \
    expect_each("mm_" #form, mm_##form(a, b), matmul, 1e-5);                                       \
    C to = 99;                                                                                     \
    mm_##form(to, a, b);                                                                           \
    expect_each("mm_" #form ", destination first", to, matmul, 1e-5);                              \
    mma_##form(to, a, b, c);                                                                       \
    expect_each("mma_" #form " of four", to, with_c, 1e-5);                                        \
    to = c;                                                                                        \
    mma_##form(to, a, b, to);                                                                      \
    expect_each("mma_" #form " of four, in place", to, with_c, 1e-5);                              \
    to = c;                                                                                        \
    mma_##form(to, a, b);                                                                          \
    expect_each("mma_" #form, to, with_c, 1e-5);                                                   \
    auto from_c = [&](int i, int j) { return exact(c.at(i, j)) - matmul(i, j); };                  \
    to = c;                                                                                        \
    mms_##form(to, a, b);                                                                          \
    expect_each("mms_" #form, to, from_c, 1e-5);                                                   \
    mms_##form(to, a, b, c);                                                                       \
    expect_each("mms_" #form " of four", to, from_c, 1e-5);                                        \
  }
  using turned_a = decltype(A::turned());
  using turned_b = decltype(B::turned());
  CHECK(AB, false, false, typename A::type, typename B::type)
  CHECK(ABt, false, true, typename A::type, turned_b)
  CHECK(AtB, true, false, turned_a, typename B::type)
  CHECK(AtBt, true, true, turned_a, turned_b)
}

template <typename T, int rows, int cols> struct in_shared {
  using type = st<T, rows, cols>;
  static st<T, cols, rows> turned();
};
template <typename T, int rows, int cols, typename layout> struct in_registers {
  using type = rt<T, rows, cols, layout>;
  static rt<T, cols, rows, layout> turned();
};
} // namespace

int main() {
  check<in_shared<bf16, 32, 48>, in_shared<bf16, 48, 16>, rt_fl<32, 16>, 48>(-4, 4);
  check<in_registers<half, 16, 64, row>, in_shared<half, 64, 32>, rt_fl<16, 32>, 64>(-4, 4);
  check<in_registers<bf16, 16, 16, row>, in_registers<bf16, 16, 16, col>, rt_fl<16, 16>, 16>(-4, 4);
  check<in_shared<e4m3, 16, 32>, in_shared<e5m2, 32, 16>, rt_fl<16, 16>, 32>(-4, 4);
  check<in_shared<tf32, 16, 16>, in_shared<tf32, 16, 32>, rt_fl<16, 32>, 16>(-4, 4);
  check<in_shared<int8, 16, 64>, in_shared<int8, 64, 16>, rt_i32<16, 16>, 64>(-128, 128);

  // Sums of integers are exact where a float has no more digits.
  rt_i32<16, 16> sum = rt_i32<16, 16>(16777216.0f);
  st_i8<16, 16> one;
  fill(one, 0);
  for (int i = 0; i < 16; ++i)
    one.at(i, i) = 1;
  mma_AB(sum, one, one);
  expect_each("integers are exact", sum, [](int i, int j) { return 16777216 + (i == j); }, 0);
  return finished();
}
