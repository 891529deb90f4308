//===- ptx/wgmma.h - Asynchronous products of a warpgroup -----------------===//
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

#define TK_WGMMA_TYPED(T)                                                                          \
  template <wgmma_major a_major, wgmma_major b_major, int registers>                               \
  TK_DEVICE void wgmma_f32_##T(float(&d)[registers], uint64_t a, uint64_t b, bool accumulate,      \
                               TK_PLACE) {                                                         \
    static_assert(registers % 4 == 0 && registers <= 128,                                          \
                  "a product is 8 to 256 columns wide, in steps of 8");                            \
    emulator::wgmma(d, 2 * registers, emulator::number::T, a, a_major, nullptr, b, b_major,        \
                    accumulate, where);                                                            \
  }                                                                                                \
  template <wgmma_major b_major, int registers>                                                    \
  TK_DEVICE void wgmma_f32_##T(float(&d)[registers], const uint32_t(&a)[4], uint64_t b,            \
                               bool accumulate, TK_PLACE) {                                        \
    static_assert(registers % 4 == 0 && registers <= 128,                                          \
                  "a product is 8 to 256 columns wide, in steps of 8");                            \
    emulator::wgmma(d, 2 * registers, emulator::number::T, 0, k_major, a, b, b_major, accumulate,  \
                    where);                                                                        \
  }

TK_WGMMA_TYPED(bf16)
TK_WGMMA_TYPED(f16)

#undef TK_WGMMA_TYPED

} // namespace tk

#endif // TK_PTX_WGMMA_H
