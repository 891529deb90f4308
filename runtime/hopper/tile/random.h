//===- tile/random.h - Random numbers by counter --------------------------===//
//
// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011), with the counter of runtime/language/random.h. One call gives four
// numbers, and they go to the four elements that a thread holds of a 16 x 16
// tile: rows r and r + 8, columns c and c + 1. Where a map's tile begins at even
// columns and at multiples of 16 rows, the compiler sees that the four calls
// have one counter, and computes them once.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_RANDOM_H
#define TK_TILE_RANDOM_H

#include <ptx/convert.h>
#include <ptx/math.h>

namespace tk {

struct philox_words {
  uint32_t word[4];
};

TK_DEVICE philox_words philox(philox_words counter, uint32_t key0, uint32_t key1) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const wide_product a = mul_wide(counter.word[0], 0xd2511f53), b = mul_wide(counter.word[2], 0xcd9e8d57);
    counter = {{b.high ^ counter.word[1] ^ key0, b.low, a.high ^ counter.word[3] ^ key1, a.low}};
    key0 += 0x9e3779b9, key1 += 0xbb67ae85;
  }
  return counter;
}

// Evenly distributed over 0 <= x < 1: the upper 24 bits, as many as a float holds, so that 1 is never reached by
// rounding.
struct random_number {
  uint32_t word;

  TK_DEVICE operator float() const { return float(word >> 8) * 5.9604645e-8f; } // 2^-24
};

// The same as for floats: x < p where word / 2^8 < p * 2^24, and so below its next integer. The limit is the same for
// all elements; each element takes one instruction.
TK_DEVICE bool operator<(random_number number, float p) {
  const uint32_t limit = cvt_up_u32(p * 16777216.0f); // 2^24
  return number.word < limit << 8 || limit >> 24;
}

// It belongs to a row and a column, neither negative.
TK_DEVICE random_number random_at(int seed, int row, int column, int sequence) {
  const uint32_t i = uint32_t(row), j = uint32_t(column);
  // Without the bits that choose a word: the four counters are one. nvcc sees that if it cannot see through `top`.
  const uint32_t top = opaque(i & ~8u), left = j & ~1u;
  const philox_words words =
      philox({{left >> 1, (top >> 4) * 8 + (top & 7), uint32_t(sequence), 0}}, uint32_t(seed), 0);
  const uint32_t low = j & 1 ? words.word[1] : words.word[0], high = j & 1 ? words.word[3] : words.word[2];
  return {i & 8 ? high : low};
}

} // namespace tk

#endif // TK_TILE_RANDOM_H
