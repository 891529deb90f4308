#include "core/multiply.h"

#include <cstring>

namespace tk::emulator {
namespace {

void convert(float *to, const unsigned char *from, number type) {
  uint16_t bits[8];
  memcpy(bits, from, 16);
  if (type == number::bf16)
    for (int i = 0; i < 8; ++i)
      to[i] = bf16_value(bits[i]);
  else
    for (int i = 0; i < 8; ++i)
      to[i] = f16_value(bits[i]);
}

} // namespace

void unpack(float *values, block &home, const operand_layout &layout, uint32_t mn, number type,
            bool by_k) {
  const bool in_rows = layout.mn_major == by_k; // a chunk is part of a row of `values`
  const uint32_t width = by_k ? mn : 16;
  for (uint32_t line = 0; line < layout.lines(mn); ++line)
    for (uint32_t group = 0; group < layout.groups(mn); ++group) {
      float chunk[8];
      convert(chunk, home.bytes(layout.chunk(line, group)), type);
      if (in_rows)
        memcpy(values + line * width + group * 8, chunk, sizeof chunk);
      else
        for (uint32_t i = 0; i < 8; ++i)
          values[(group * 8 + i) * width + line] = chunk[i];
    }
}

// The wide form is chosen when the library is loaded.
__attribute__((target_clones("arch=haswell", "default"), optimize("O3"))) void
multiply_add(float *__restrict d, const float *__restrict a, const float *__restrict b, int n) {
  for (int m = 0; m < 64; ++m) {
    float *__restrict row = d + m * n;
    for (int k = 0; k < 16; k += 4) {
      const float a0 = a[m * 16 + k], a1 = a[m * 16 + k + 1], a2 = a[m * 16 + k + 2],
                  a3 = a[m * 16 + k + 3];
      const float *b0 = b + k * n, *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
      for (int i = 0; i < n; ++i)
        row[i] = (((row[i] + a0 * b0[i]) + a1 * b1[i]) + a2 * b2[i]) + a3 * b3[i];
    }
  }
}

} // namespace tk::emulator
