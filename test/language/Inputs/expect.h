//===- expect.h - Random tiles, and what they should have become ----------===//
//
// A test fills tiles with numbers of its own, calls an operation, and says for each
// element by a naive formula in double what it should be. `finished()` is the exit
// status: 1 if anything differed, or if nothing was compared.
//
//===----------------------------------------------------------------------===//
#ifndef EXPECT_H
#define EXPECT_H

#include <cmath>
#include <cstdio>
#include <vector>

inline int compared = 0, wrong = 0;

inline void expect(const char *what, int i, int j, double is, double should, double tolerance) {
  ++compared;
  const bool same = is == should || (std::isnan(is) && std::isnan(should)) ||
                    std::fabs(is - should) <= tolerance * (1 + std::fabs(should));
  if (!same && ++wrong <= 10)
    std::printf("%s: element (%d, %d) is %.9g when it should be %.9g\n", what, i, j, is, should);
}

inline void expect(const char *what, bool claim) { expect(what, 0, 0, claim, true, 0); }

inline int finished() {
  std::printf("%d compared, %d wrong\n", compared, wrong);
  return wrong != 0 || compared == 0;
}

/// Half a unit in the last place of each element type, relative: what one rounding may change.
template <typename T> inline constexpr double rounding = 0;
template <> inline constexpr double rounding<float> = 1e-6; // some functions are off by more
template <> inline constexpr double rounding<bf16> = 0x1p-8;
template <> inline constexpr double rounding<half> = 0x1p-11;
template <> inline constexpr double rounding<tf32> = 0x1p-11;
template <> inline constexpr double rounding<e4m3> = 0x1p-4;
template <> inline constexpr double rounding<e5m2> = 0x1p-3;

inline unsigned drawn = 1;

/// A number between `low` and `high`; of integers, a whole one.
template <typename T> T draw(double low, double high) {
  drawn = drawn * 1664525u + 1013904223u;
  const double value = low + (high - low) * (drawn >> 8) / 0x1p24;
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::floor(value));
  else
    return T(static_cast<float>(value));
}

template <typename X> X drawn_like(double low = -4, double high = 4) {
  X x;
  if constexpr (tile<X>) {
    for (int i = 0; i < X::height; ++i)
      for (int j = 0; j < X::width; ++j)
        x.at(i, j) = draw<typename X::element>(low, high);
  } else {
    for (int i = 0; i < X::length; ++i)
      x.at(i) = draw<typename X::element>(low, high);
  }
  return x;
}

/// An element as a double, exactly.
template <typename T> double exact(T x) { return static_cast<number_of<T>>(x); }

/// Compares each element of a tile with `should(i, j)`, of a vector with `should(i, i)`.
template <typename X, typename F>
void expect_each(const char *what, const X &x, F should,
                 double tolerance = rounding<typename X::element>) {
  if constexpr (tile<X>) {
    for (int i = 0; i < X::height; ++i)
      for (int j = 0; j < X::width; ++j)
        expect(what, i, j, exact(x.at(i, j)), should(i, j), tolerance);
  } else {
    for (int i = 0; i < X::length; ++i)
      expect(what, i, i, exact(x.at(i)), should(i, i), tolerance);
  }
}

/// A tensor of the given extents with numbers of its own.
template <typename T, int rank> struct memory {
  long long extents[4] = {1, 1, 1, 1}, strides[4] = {1, 1, 1, 1};
  std::vector<T> elements;

  template <typename... E> explicit memory(E... sizes) : extents{sizes...} {
    long long room = 1;
    for (int d = rank - 1; d >= 0; --d) {
      strides[d] = room;
      room *= extents[d] + (d == rank - 1 ? 3 : 1); // gaps between rows and between matrices
    }
    elements.resize(static_cast<std::size_t>(room));
    for (T &element : elements)
      element = draw<T>(-4, 4);
  }

  T &at(long long i) { return elements[static_cast<std::size_t>(i)]; }
  T &at(long long i, long long j) { return at(i * strides[rank - 2] + j); }
  T &at(long long b, long long d, long long i, long long j) {
    return at(b * strides[0] + d * strides[1] + i * strides[2] + j);
  }

  template <int... sizes> gl<T, sizes...> view() { return {elements.data(), extents, strides}; }
};

#endif // EXPECT_H
