//===- conversions.h - From one element type to another -------------------===//
//
// No value changes its type unasked. The value form is a constructor, which names
// the new type: rt<bf16, BM, BN>(s), col_vec<half, BM>(v).
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_CONVERSIONS_H
#define TK_LANGUAGE_CONVERSIONS_H

#include "vectors.h"

namespace tk {

/// Converts each element of a tile to the type of `to`'s; of equal types it is `to = from`.
///
///     rt<bf16, BM, BN> p;
///     copy(p, s);
template <tile_operand To, tile_operand From>
TK_LANGUAGE("copy")
void copy(To &to, const From &from);
/// Converts each element of a vector to the type of `to`'s.
template <vector_operand To, vector_operand From>
TK_LANGUAGE("copy_vector")
void copy(To &to, const From &from);

#ifndef __TKC__
template <typename T, int rows, int cols, typename layout>
template <typename U>
rt<T, rows, cols, layout>::rt(const rt<U, rows, cols, layout> &from) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      elements[i][j] = detail::convert<T>(from.at(i, j));
}

template <tile_operand To, tile_operand From> void copy(To &to, const From &from) { to = To(from); }
template <vector_operand To, vector_operand From> void copy(To &to, const From &from) {
  to = To(from);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_CONVERSIONS_H
