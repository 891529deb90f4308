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

#include <ptx/device.h>

namespace tk {

struct philox_words {
  uint32_t word[4];
};

TK_DEVICE philox_words philox(philox_words counter, uint32_t key0, uint32_t key1) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t(0xd2511f53) * counter.word[0], b = uint64_t(0xcd9e8d57) * counter.word[2];
    counter = {{uint32_t(b >> 32) ^ counter.word[1] ^ key0, uint32_t(b), uint32_t(a >> 32) ^ counter.word[3] ^ key1,
                uint32_t(a)}};
    key0 += 0x9e3779b9, key1 += 0xbb67ae85;
  }
  return counter;
}

// Evenly distributed over 0 <= x < 1; it belongs to a row and a column, neither negative.
TK_DEVICE float random_at(int seed, int row, int column, int sequence) {
  const uint32_t i = uint32_t(row), j = uint32_t(column);
  const philox_words words = philox({{j >> 1, (i >> 4) * 8 + (i & 7), uint32_t(sequence), 0}}, uint32_t(seed), 0);
  const uint32_t low = j & 1 ? words.word[1] : words.word[0], high = j & 1 ? words.word[3] : words.word[2];
  // The upper 24 bits: as many as a float holds, so that 1 is never reached by rounding.
  return float((i & 8 ? high : low) >> 8) * 5.9604645e-8f; // 2^-24
}

} // namespace tk

#endif // TK_TILE_RANDOM_H
