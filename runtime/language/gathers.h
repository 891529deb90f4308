//===- gathers.h - Loads by index -----------------------------------------===//
//
// Tables that are read in an order known at run time: embeddings, pages of a
// key-value cache, routed experts. The order is a vector of row numbers.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_GATHERS_H
#define TK_LANGUAGE_GATHERS_H

#include "moves.h"
#include "vectors.h"

namespace tk {

/// The tile whose row i is row `index[i]` of a tensor. Of `at`, the last number counts tiles along
/// the columns and the last but one is a row number that is added to each index; the others count
/// elements. Rows and columns outside the tensor are zero, negative ones too.
///
///     col_vec<int32, BM> row = load(Rows, {m});
///     st<bf16, BM, D> x = gather<st<bf16, BM, D>>(Table, {0, 0}, row);
template <tile X, typename T, int... extents, vector_operand I>
TK_LANGUAGE("gather")
X gather(const gl<T, extents...> &from, place at, const I &index);
/// Destination first: `gather(to, from, at, index)`.
template <tile X, typename T, int... extents, vector_operand I>
TK_LANGUAGE("gather")
void gather(X &to, const gl<T, extents...> &from, place at, const I &index);

/// The vector whose element i is element `index[i]` of the last dimension of a tensor, counted from
/// the last number of `at`. Elements outside the tensor are zero.
///
///     col_vec<float, BM> scale = gather<col_vec<float, BM>>(Scales, {0}, expert);
template <vector V, typename T, int... extents, vector_operand I>
TK_LANGUAGE("gather")
V gather(const gl<T, extents...> &from, place at, const I &index);
/// Destination first: `gather(to, from, at, index)`.
template <vector V, typename T, int... extents, vector_operand I>
TK_LANGUAGE("gather")
void gather(V &to, const gl<T, extents...> &from, place at, const I &index);

#ifndef __TKC__
template <tile X, typename T, int... extents, vector_operand I>
X gather(const gl<T, extents...> &from, place at, const I &index) {
  using Element = typename X::element;
  constexpr int rank = gl<T, extents...>::rank;
  static_assert(rank >= 2, "rows are gathered from a tensor of 2 dimensions or more");
  static_assert(detail::is_column<I>, "rows are gathered by a column vector");
  static_assert(X::height == I::length, "there is one index for each row of the tile");
  static_assert(__is_same(number_of<typename I::element>, int), "an index is an integer");
  const long long left = static_cast<long long>(at[rank - 1]) * X::width;
  X result;
  for (int i = 0; i < I::length; ++i)
    for (int j = 0; j < X::width; ++j) {
      const long long row = static_cast<long long>(at[rank - 2]) + index.at(i);
      const T *element = from.find(at, row, left + j);
      result.at(i, j) = element ? detail::convert<Element>(*element) : detail::convert<Element>(0);
    }
  return result;
}
template <tile X, typename T, int... extents, vector_operand I>
void gather(X &to, const gl<T, extents...> &from, place at, const I &index) {
  to = gather<X>(from, at, index);
}

template <vector V, typename T, int... extents, vector_operand I>
V gather(const gl<T, extents...> &from, place at, const I &index) {
  using Element = typename V::element;
  constexpr int rank = gl<T, extents...>::rank;
  static_assert(V::length == I::length, "there is one index for each element of the vector");
  static_assert(__is_same(number_of<typename I::element>, int), "an index is an integer");
  V result;
  for (int i = 0; i < I::length; ++i) {
    const long long place = static_cast<long long>(at[rank - 1]) + index.at(i);
    const T *element = from.find(at, rank < 2 ? 0 : at[rank - 2], place);
    result.at(i) = element ? detail::convert<Element>(*element) : detail::convert<Element>(0);
  }
  return result;
}
template <vector V, typename T, int... extents, vector_operand I>
void gather(V &to, const gl<T, extents...> &from, place at, const I &index) {
  to = gather<V>(from, at, index);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_GATHERS_H
