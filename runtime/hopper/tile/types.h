//===- tile/types.h - The element types of tiles --------------------------===//
//
// Sixteen-bit types are storage only: arithmetic happens in float, and the
// conversions are instructions of the ptx layer. So they are plain bits here,
// the same on the GPU and on the emulator.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_TYPES_H
#define TK_TILE_TYPES_H

#include <stdint.h>

namespace tk {

struct bf16 {
  uint16_t bits;
};

struct f16 {
  uint16_t bits;
};

template <typename A, typename B> constexpr bool is_same = false;
template <typename A> constexpr bool is_same<A, A> = true;

template <typename T> constexpr bool is_16_bit_float = is_same<T, bf16> || is_same<T, f16>;

} // namespace tk

#endif // TK_TILE_TYPES_H
