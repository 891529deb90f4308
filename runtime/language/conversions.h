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
template <typename T, typename U, int rows, int cols, typename layout>
TK_LANGUAGE("copy")
void copy(rt<T, rows, cols, layout> &to, const rt<U, rows, cols, layout> &from);
/// Converts each element of a vector to the type of `to`'s.
template <typename T, typename U, int n, typename orientation>
TK_LANGUAGE("copy_vector")
void copy(rv<T, n, orientation> &to, const rv<U, n, orientation> &from);

#ifndef __TKC__
template <typename T, int rows, int cols, typename layout>
template <typename U>
rt<T, rows, cols, layout>::rt(const rt<U, rows, cols, layout> &from) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      elements[i][j] = detail::convert<T>(from.at(i, j));
}

template <typename T, typename U, int rows, int cols, typename layout>
void copy(rt<T, rows, cols, layout> &to, const rt<U, rows, cols, layout> &from) {
  to = rt<T, rows, cols, layout>(from);
}
template <typename T, typename U, int n, typename orientation>
void copy(rv<T, n, orientation> &to, const rv<U, n, orientation> &from) {
  to = rv<T, n, orientation>(from);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_CONVERSIONS_H
