//===- types.h - Kernels, element types and small arithmetic --------------===//
#ifndef TK_LANGUAGE_TYPES_H
#define TK_LANGUAGE_TYPES_H

// Marks what tkc knows: it finds the functions and types of the language by this
// mark on their declaration, never by their name.
#ifdef __TKC__
#define TK_LANGUAGE(what) [[clang::annotate("tk." what)]]
#else
#define TK_LANGUAGE(what)
#endif

// The body of a function of the language, in braces: its plain meaning. tkc reads declarations
// alone.
#ifdef __TKC__
#define TK_MEANING(...)
#else
#define TK_MEANING(...) __VA_ARGS__
#endif

namespace tk {

/// The return type of a kernel: a function written `kernel name(...)` is compiled for the GPU.
/// Its arguments are tensors (`gl`) and the scalars `int`, `float` and `bool`; its body is scalar
/// code and one loop over a `grid`.
using kernel TK_LANGUAGE("kernel") = void;

/// Layout tag of a register tile whose rows lie along the threads of a warp; the default.
struct TK_LANGUAGE("row") row {};
/// Layout tag of a register tile whose columns lie along the threads of a warp.
struct TK_LANGUAGE("col") col {};

/// A 16-bit float with the exponent of `float` and 8 bits of precision. A number becomes a bf16 by
/// rounding to the nearest one, ties to even.
class TK_LANGUAGE("bf16") bf16 {
public:
  constexpr bf16() = default;
  /// The bf16 that is nearest to `value`.
  constexpr bf16(float value);
  constexpr operator float() const;

private:
  unsigned short bits = 0;
};

/// `n / size`, rounded up: how many tiles of `size` cover `n` elements.
TK_LANGUAGE("cdiv") constexpr int cdiv(int n, int size) {
  const bool roundsUp = n % size != 0 && (n > 0) == (size > 0);
  return n / size + (roundsUp ? 1 : 0);
}

#ifndef __TKC__
constexpr bf16::bf16(float value) {
  const unsigned word = __builtin_bit_cast(unsigned, value);
  if ((word & 0x7fffffffu) > 0x7f800000u) // a NaN: keep its sign and payload, make it quiet
    bits = static_cast<unsigned short>(word >> 16 | 0x40u);
  else // the bit below the last kept one breaks ties towards even
    bits = static_cast<unsigned short>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

constexpr bf16::operator float() const {
  return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
}
#endif

} // namespace tk

using namespace tk;

#endif // TK_LANGUAGE_TYPES_H
