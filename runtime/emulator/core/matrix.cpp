//===- core/matrix.cpp - stmatrix and ldmatrix ----------------------------===//
//
// Lane L gives the address of row L % 8 of matrix L / 8, and is the one who is
// held to have accessed it. Register j of lane t holds elements 2(t % 4) and
// 2(t % 4) + 1 of row t / 4 of matrix j.
//
//===----------------------------------------------------------------------===//
#include "core/memory.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <cstring>

namespace tk::emulator {
namespace {

struct matrix_operands {
  uint32_t address;
  const uint32_t *stored;
  uint32_t *loaded;
};

// The place of half h of lane t's register in a matrix.
int element(int t, int h, bool transposed) {
  const int row = t / 4, column = 2 * (t % 4) + h;
  return transposed ? column * 8 + row : row * 8 + column;
}

} // namespace

rendezvous &own_whole_warp() {
  rendezvous &warp = current->home->warps[size_t(current->warp())];
  if (warp.size != 32)
    fault(formatted("{} needs a whole warp, but this one has {} threads", current->instruction,
                    warp.size));
  return warp;
}

void stmatrix(uint32_t address, const uint32_t *registers, int matrices, bool transposed,
              place where) {
  TK_BEGIN("stmatrix");
  check_registers(registers, 4 * matrices, content::bits);
  const int lane = current->number % 32;
  if (lane < 8 * matrices) {
    check_range(address, 16, 16);
    note_own_write(address, 16);
  }
  matrix_operands mine = {address, registers, nullptr};
  meet(own_whole_warp(), current->instruction, lane, &mine, [&](void **operands) {
    const auto of = [&](int t) -> const matrix_operands & {
      return *static_cast<matrix_operands *>(operands[t]);
    };
    for (int j = 0; j < matrices; ++j) {
      uint16_t matrix[64];
      for (int t = 0; t < 32; ++t)
        for (int h = 0; h < 2; ++h)
          matrix[element(t, h, transposed)] = uint16_t(of(t).stored[j] >> 16 * h);
      for (int row = 0; row < 8; ++row)
        memcpy(current->home->bytes(of(8 * j + row).address), matrix + 8 * row, 16);
    }
  });
}

void ldmatrix(uint32_t address, uint32_t *registers, int matrices, bool transposed, place where) {
  TK_BEGIN("ldmatrix");
  const int lane = current->number % 32;
  if (lane < 8 * matrices) {
    check_range(address, 16, 16);
    note_own_read(address, 16);
  }
  matrix_operands mine = {address, nullptr, registers};
  meet(own_whole_warp(), current->instruction, lane, &mine, [&](void **operands) {
    const auto of = [&](int t) -> const matrix_operands & {
      return *static_cast<matrix_operands *>(operands[t]);
    };
    for (int j = 0; j < matrices; ++j) {
      uint16_t matrix[64];
      for (int row = 0; row < 8; ++row)
        memcpy(matrix + 8 * row, current->home->bytes(of(8 * j + row).address), 16);
      for (int t = 0; t < 32; ++t)
        of(t).loaded[j] =
            matrix[element(t, 0, transposed)] | uint32_t(matrix[element(t, 1, transposed)]) << 16;
    }
  });
}

} // namespace tk::emulator
