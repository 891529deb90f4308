//===- ptx/wgmma.h - Asynchronous MMAs of a warpgroup ---------------------===//
//
// The array type of the accumulator gives the width, as on the GPU.
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_WGMMA_H
#define TK_PTX_WGMMA_H

#include <ptx/device.h>

namespace tk {

enum wgmma_major : int { k_major = 0, mn_major = 1 };

TK_DEVICE void wgmma_fence(TK_PLACE) { emulator::wgmma_fence(where); }

TK_DEVICE void wgmma_commit(TK_PLACE) { emulator::wgmma_commit(where); }

template <int pending> TK_DEVICE void wgmma_wait(TK_PLACE) {
  static_assert(pending >= 0 && pending <= 7,
                "wgmma_wait leaves at most 7 groups pending: wait for fewer");
  emulator::wgmma_wait(pending, where);
}

// Here registers are what they are.
TK_DEVICE float move_here(float value) { return value; }
TK_DEVICE int move_here(int value) { return value; }
TK_DEVICE void fence_operand(float (&)[4]) {}
TK_DEVICE void fence_operand(int (&)[4]) {}
TK_DEVICE void keep_operand_alive(const uint32_t (&)[4]) {}

TK_DEVICE uint64_t wgmma_descriptor(uint32_t low, uint32_t high) {
  return uint64_t(high) << 32 | low;
}

#define TK_WGMMA_WIDTH(registers)                                                                  \
  static_assert(registers % 4 == 0 && registers <= 128,                                            \
                "an MMA is 8 to 256 columns wide, in steps of 8")

#define TK_WGMMA_TYPED(T)                                                                          \
  template <wgmma_major a_major, wgmma_major b_major, int sign = 1, int registers>                 \
  TK_DEVICE void wgmma_f32_##T(float(&d)[registers], uint64_t a, uint64_t b, bool accumulate,      \
                               TK_PLACE) {                                                         \
    TK_WGMMA_WIDTH(registers);                                                                     \
    emulator::wgmma({d, 2 * registers, emulator::number::T, emulator::number::T, a, a_major,       \
                     nullptr, b, b_major, accumulate, sign < 0},                                   \
                    where);                                                                        \
  }                                                                                                \
  template <wgmma_major b_major, int sign = 1, int registers>                                      \
  TK_DEVICE void wgmma_f32_##T(float(&d)[registers], const uint32_t(&a)[4], uint64_t b,            \
                               bool accumulate, TK_PLACE) {                                        \
    TK_WGMMA_WIDTH(registers);                                                                     \
    emulator::wgmma({d, 2 * registers, emulator::number::T, emulator::number::T, 0, k_major, a, b, \
                     b_major, accumulate, sign < 0},                                               \
                    where);                                                                        \
  }

TK_WGMMA_TYPED(bf16)
TK_WGMMA_TYPED(f16)

#undef TK_WGMMA_TYPED

#define TK_WGMMA_K_MAJOR(name, D, A, B, legal)                                                     \
  template <int sign = 1, int registers>                                                           \
  TK_DEVICE void name(D(&d)[registers], uint64_t a, uint64_t b, bool accumulate, TK_PLACE) {       \
    legal;                                                                                         \
    emulator::wgmma({d, 2 * registers, emulator::number::A, emulator::number::B, a, k_major,       \
                     nullptr, b, k_major, accumulate, sign < 0},                                   \
                    where);                                                                        \
  }                                                                                                \
  template <int sign = 1, int registers>                                                           \
  TK_DEVICE void name(D(&d)[registers], const uint32_t(&a)[4], uint64_t b, bool accumulate,        \
                      TK_PLACE) {                                                                  \
    legal;                                                                                         \
    emulator::wgmma({d, 2 * registers, emulator::number::A, emulator::number::B, 0, k_major, a, b, \
                     k_major, accumulate, sign < 0},                                               \
                    where);                                                                        \
  }
#define TK_WGMMA_FLOAT(name, A, B) TK_WGMMA_K_MAJOR(name, float, A, B, TK_WGMMA_WIDTH(registers))
#define TK_WGMMA_INT(name, A, B)                                                                   \
  TK_WGMMA_K_MAJOR(                                                                                \
      name, int, A, B,                                                                             \
      static_assert(registers <= 16 ? registers % 4 == 0 : registers % 8 == 0 && registers <= 128, \
                    "an MMA of integers is 8, 16, 24, 32 or up to 256 columns "                    \
                    "wide in steps of 16"))

TK_WGMMA_FLOAT(wgmma_f32_tf32, tf32, tf32)
TK_WGMMA_FLOAT(wgmma_f32_e4m3, e4m3, e4m3)
TK_WGMMA_FLOAT(wgmma_f32_e4m3_e5m2, e4m3, e5m2)
TK_WGMMA_FLOAT(wgmma_f32_e5m2_e4m3, e5m2, e4m3)
TK_WGMMA_FLOAT(wgmma_f32_e5m2, e5m2, e5m2)
TK_WGMMA_INT(wgmma_s32_s8, s8, s8)
TK_WGMMA_INT(wgmma_s32_s8_u8, s8, u8)
TK_WGMMA_INT(wgmma_s32_u8_s8, u8, s8)
TK_WGMMA_INT(wgmma_s32_u8, u8, u8)

#undef TK_WGMMA_INT
#undef TK_WGMMA_FLOAT
#undef TK_WGMMA_K_MAJOR
#undef TK_WGMMA_WIDTH

} // namespace tk

#endif // TK_PTX_WGMMA_H
