//===- core/mma.cpp - mma.sync and movmatrix: a warp's registers ----------===//
//
// The fragments of ptx/mma.h, whose rows hold 32 bytes of K whatever the type.
// Floats are added in the order of k, each sum rounded; integers wrap around.
//
//===----------------------------------------------------------------------===//
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"

#include <cstring>

namespace tk::emulator {
namespace {

template <typename D> struct mma_operands {
  D *d;
  const uint32_t *a, *b;
};

// K of 16 rows of A, or of 8 columns of B, as numbers.
template <typename D, typename Registers>
void gather(float *values, int k, number type, mma_operands<D> *const *lanes, int count,
            Registers registers) {
  const int size = int(bytes_of(type));
  for (int lane = 0; lane < 32; ++lane)
    for (int r = 0; r < count; ++r) {
      unsigned char bytes[4];
      memcpy(bytes, &registers(*lanes[lane])[r], 4);
      const int row = lane / 4 + (count == 4 ? 8 * (r % 2) : 0);
      const int begin = 16 * (count == 4 ? r / 2 : r) + 4 * (lane % 4);
      for (int byte = 0; byte < 4; byte += size)
        values[row * k + (begin + byte) / size] = value_at(bytes + byte, type);
    }
}

template <typename D> struct sum_of;
template <> struct sum_of<float> {
  static float add(float sum, float a, float b) { return sum + a * b; }
};
template <> struct sum_of<int> {
  static int add(int sum, float a, float b) {
    return int(unsigned(sum) + unsigned(int(a) * int(b)));
  }
};

template <typename D>
void multiply(D *d, number a_type, const uint32_t *a, number b_type, const uint32_t *b) {
  check_registers(d, 16, content::words);
  check_registers(a, 16, content_of(a_type));
  check_registers(b, 8, content_of(b_type));
  mma_operands<D> mine = {d, a, b};
  meet(own_whole_warp(), current->instruction, current->number % 32, &mine, [&](void **operands) {
    const auto lanes = reinterpret_cast<mma_operands<D> *const *>(operands);
    const int k = int(32 / bytes_of(a_type));
    float a_values[16 * 32], b_values[8 * 32];
    gather(a_values, k, a_type, lanes, 4, [](const auto &of) { return of.a; });
    gather(b_values, k, b_type, lanes, 2, [](const auto &of) { return of.b; });
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
        D &sum = lanes[lane]->d[i];
        for (int j = 0; j < k; ++j)
          sum = sum_of<D>::add(sum, a_values[row * k + j], b_values[column * k + j]);
      }
  });
}

} // namespace

void mma_sync(float *d, number a_type, const uint32_t *a, number b_type, const uint32_t *b,
              place where) {
  TK_BEGIN("mma.sync");
  multiply(d, a_type, a, b_type, b);
}

void mma_sync(int *d, number a_type, const uint32_t *a, number b_type, const uint32_t *b,
              place where) {
  TK_BEGIN("mma.sync");
  multiply(d, a_type, a, b_type, b);
}

uint32_t movmatrix(uint32_t value, place where) {
  TK_BEGIN("movmatrix");
  check_registers(&value, 4, content::bits);
  uint32_t mine = value;
  meet(own_whole_warp(), current->instruction, current->number % 32, &mine, [&](void **operands) {
    uint16_t matrix[8][8];
    for (int lane = 0; lane < 32; ++lane)
      for (int h = 0; h < 2; ++h)
        matrix[lane / 4][2 * (lane % 4) + h] =
            uint16_t(*static_cast<uint32_t *>(operands[lane]) >> 16 * h);
    for (int lane = 0; lane < 32; ++lane) {
      const int row = lane / 4, column = 2 * (lane % 4);
      *static_cast<uint32_t *>(operands[lane]) =
          matrix[column][row] | uint32_t(matrix[column + 1][row]) << 16;
    }
  });
  return mine;
}

} // namespace tk::emulator
