#include "core/multiply.h"

#include <cstring>

namespace tk::emulator {
namespace {

// The elements of 16 bytes.
void convert(float *to, const unsigned char *from, number type) {
  if (type == number::bf16) { // the usual case, and the fastest
    uint16_t bits[8];
    memcpy(bits, from, 16);
    for (int i = 0; i < 8; ++i)
      to[i] = bf16_value(bits[i]);
    return;
  }
  const int size = int(bytes_of(type));
  for (int i = 0; i < 16 / size; ++i)
    to[i] = value_at(from + i * size, type);
}

} // namespace

void unpack(float *values, block &home, const operand_layout &layout, uint32_t mn, number type,
            bool by_k) {
  const bool in_rows = layout.mn_major == by_k; // a chunk is part of a row of `values`
  const uint32_t elements = 16 / bytes_of(type), width = by_k ? mn : 2 * elements;
  for (uint32_t line = 0; line < layout.lines(mn); ++line)
    for (uint32_t group = 0; group < layout.groups(mn); ++group) {
      float chunk[16];
      convert(chunk, home.bytes(layout.chunk(line, group)), type);
      if (in_rows)
        memcpy(values + line * width + group * elements, chunk, elements * sizeof(float));
      else
        for (uint32_t i = 0; i < elements; ++i)
          values[(group * elements + i) * width + line] = chunk[i];
    }
}

// The wide form is chosen when the library is loaded, by what the CPU can do: its name would leave
// out other makers'.
__attribute__((target_clones("avx2", "default"))) void multiply_add(float *__restrict d,
                                                                    const float *__restrict a,
                                                                    const float *__restrict b,
                                                                    int n, int extent) {
  for (int m = 0; m < 64; ++m) {
    float *__restrict row = d + m * n;
    for (int k = 0; k < extent; k += 4) {
      const float *a0 = a + m * extent + k;
      const float *b0 = b + k * n, *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
      for (int i = 0; i < n; ++i)
        row[i] = (((row[i] + a0[0] * b0[i]) + a0[1] * b1[i]) + a0[2] * b2[i]) + a0[3] * b3[i];
    }
  }
}

void multiply_add(int *d, const float *a, const float *b, int n, int k) {
  float products[64 * 256] = {};
  multiply_add(products, a, b, n, k); // at most 32 * 255 * 255: exact
  for (int i = 0; i < 64 * n; ++i)
    d[i] = int(unsigned(d[i]) + unsigned(int(products[i])));
}

} // namespace tk::emulator
