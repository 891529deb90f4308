//===- random.h - Random numbers by counter -------------------------------===//
//
// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011): ten rounds that mix a counter with a key. The counter is made of an
// element's coordinates, so a number depends on where it stands and on the seed
// alone: not on the tile's size, nor on which thread or pass asks for it, and the
// backward pass of dropout finds those of the forward pass again.
//
// One call gives four numbers. They go to the elements that one thread holds of a
// 16 x 16 tile of layout row: rows r and r + 8, columns c and c + 1. So no number
// is computed twice or moved:
//
//     counter = {column / 2, row / 16 * 8 + row % 8, sequence, 0}, key = {seed, 0}
//     word    = (row / 8 % 2) * 2 + column % 2
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_RANDOM_H
#define TK_LANGUAGE_RANDOM_H

#include "vectors.h"

namespace tk {

/// A random number, evenly distributed over 0 <= x < 1, that belongs to a row and a column (neither
/// negative). Different seeds, and different `sequence` numbers (say, batch * heads + head), give
/// different numbers.
///
///     s = map(s, [=](float x, int r, int c) {
///       return random(seed, m * BM + r, j * BN + c, h) < p ? 0.0f : x * keep;
///     });
TK_LANGUAGE("random") float random(int seed, int row, int column, int sequence = 0);

/// The tile of random numbers whose first element belongs to `row` and `column`: element (r, c) is
/// `random(seed, row + r, column + c, sequence)`.
///
///     auto u = random<rt<float, BM, BN>>(seed, m * BM, j * BN);
template <tile_operand X>
TK_LANGUAGE("random")
X random(int seed, int row, int column, int sequence = 0);
/// Destination first: `random(to, seed, row, column)`.
template <tile_operand X>
TK_LANGUAGE("random")
void random(X &to, int seed, int row, int column, int sequence = 0);

#ifndef __TKC__
namespace detail {
struct four_words {
  unsigned word[4];
};

/// Philox 4x32-10.
constexpr four_words philox(four_words counter, unsigned key0, unsigned key1) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xd2511f53ull * counter.word[0];
    const unsigned long long b = 0xcd9e8d57ull * counter.word[2];
    counter = {{static_cast<unsigned>(b >> 32) ^ counter.word[1] ^ key0, static_cast<unsigned>(b),
                static_cast<unsigned>(a >> 32) ^ counter.word[3] ^ key1, static_cast<unsigned>(a)}};
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  return counter;
}
} // namespace detail

inline float random(int seed, int row, int column, int sequence) {
  const unsigned i = static_cast<unsigned>(row), j = static_cast<unsigned>(column);
  const detail::four_words words =
      detail::philox({{j / 2, i / 16 * 8 + i % 8, static_cast<unsigned>(sequence), 0}},
                     static_cast<unsigned>(seed), 0);
  // The upper 24 bits: as many as a float holds, so that 1 is never reached by rounding.
  return static_cast<float>(words.word[i / 8 % 2 * 2 + j % 2] >> 8) * 0x1p-24f;
}

template <tile_operand X> X random(int seed, int row, int column, int sequence) {
  X result;
  for (int i = 0; i < X::height; ++i)
    for (int j = 0; j < X::width; ++j)
      result.at(i, j) =
          detail::convert<typename X::element>(random(seed, row + i, column + j, sequence));
  return result;
}
template <tile_operand X> void random(X &to, int seed, int row, int column, int sequence) {
  to = random<X>(seed, row, column, sequence);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_RANDOM_H
