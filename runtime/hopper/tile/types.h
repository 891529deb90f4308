//===- tile/types.h - The element types of tiles --------------------------===//
//
// Narrow types are storage only: arithmetic happens in float (or int), and the
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

// A float whose low 13 bits are zero.
struct tf32 {
  uint32_t bits;
};

struct e4m3 {
  uint8_t bits;
};

struct e5m2 {
  uint8_t bits;
};

using int8 = int8_t;

template <typename A, typename B> constexpr bool is_same = false;
template <typename A> constexpr bool is_same<A, A> = true;

template <typename T> constexpr bool is_16_bit_float = is_same<T, bf16> || is_same<T, f16>;
template <typename T> constexpr bool is_8_bit_float = is_same<T, e4m3> || is_same<T, e5m2>;
template <typename T> constexpr bool is_integer = is_same<T, int> || is_same<T, int8>;

// The type in which elements of type T are computed.
template <typename T> struct number_type {
  using type = float;
};
template <> struct number_type<int> {
  using type = int;
};
template <> struct number_type<int8> {
  using type = int;
};
template <typename T> using number_of = typename number_type<T>::type;

} // namespace tk

#endif // TK_TILE_TYPES_H
