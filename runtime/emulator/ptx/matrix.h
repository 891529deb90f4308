//===- ptx/matrix.h - 8x8 matrices between registers and shared memory ----===//
#ifndef TK_PTX_MATRIX_H
#define TK_PTX_MATRIX_H

#include <ptx/device.h>

namespace tk {

#define TK_MATRIX_FORMS(suffix, transposed)                                                        \
  TK_DEVICE void stmatrix_x1##suffix(uint32_t address, uint32_t r0, TK_PLACE) {                    \
    emulator::stmatrix(address, &r0, 1, transposed, where);                                        \
  }                                                                                                \
  TK_DEVICE void stmatrix_x2##suffix(uint32_t address, uint32_t r0, uint32_t r1, TK_PLACE) {       \
    const uint32_t registers[2] = {r0, r1};                                                        \
    emulator::stmatrix(address, registers, 2, transposed, where);                                  \
  }                                                                                                \
  TK_DEVICE void stmatrix_x4##suffix(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2,      \
                                     uint32_t r3, TK_PLACE) {                                      \
    const uint32_t registers[4] = {r0, r1, r2, r3};                                                \
    emulator::stmatrix(address, registers, 4, transposed, where);                                  \
  }                                                                                                \
  TK_DEVICE void ldmatrix_x1##suffix(uint32_t address, uint32_t &r0, TK_PLACE) {                   \
    emulator::ldmatrix(address, &r0, 1, transposed, where);                                        \
  }                                                                                                \
  TK_DEVICE void ldmatrix_x2##suffix(uint32_t address, uint32_t &r0, uint32_t &r1, TK_PLACE) {     \
    uint32_t registers[2];                                                                         \
    emulator::ldmatrix(address, registers, 2, transposed, where);                                  \
    r0 = registers[0], r1 = registers[1];                                                          \
  }                                                                                                \
  TK_DEVICE void ldmatrix_x4##suffix(uint32_t address, uint32_t &r0, uint32_t &r1, uint32_t &r2,   \
                                     uint32_t &r3, TK_PLACE) {                                     \
    uint32_t registers[4];                                                                         \
    emulator::ldmatrix(address, registers, 4, transposed, where);                                  \
    r0 = registers[0], r1 = registers[1], r2 = registers[2], r3 = registers[3];                    \
  }

TK_MATRIX_FORMS(, /*transposed=*/false)
TK_MATRIX_FORMS(_trans, /*transposed=*/true)

#undef TK_MATRIX_FORMS

TK_DEVICE uint32_t movmatrix_trans(uint32_t r0, TK_PLACE) { return emulator::movmatrix(r0, where); }

} // namespace tk

#endif // TK_PTX_MATRIX_H
