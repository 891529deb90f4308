//===- gathers.h - Loads and stores by index ------------------------------===//
//
// Tables that are read or written in an order known at run time: embeddings, pages of
// a key-value cache, routed experts. The order is a vector of row numbers.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_GATHERS_H
#define TK_LANGUAGE_GATHERS_H

#include "combine.h"
#include "moves.h"
#include "vectors.h"

namespace tk {

/// The tile or vector whose row, or element, i has the number `index[i]` in a tensor. Its size and
/// type are those of the variable that it initialises, as with `load`:
///
///     col_vec<int32, BM> row = load(Rows, {m});
///     st<bf16, BM, D> x = gather(Table, {0, 0}, row);
template <typename T, int... extents, vector_operand I>
TK_LANGUAGE("gather_any")
gathered_at<gl<T, extents...>, I> gather(const gl<T, extents...> &from, place at, const I &index);

/// The tile whose row i is row `index[i]` of a tensor. Of `at`, the last number counts tiles along
/// the columns and the last but one is a row number that is added to each index; the others count
/// elements. Rows and columns outside the tensor are zero, negative ones too.
///
///     auto x = gather<st<bf16, BM, D>>(Table, {0, 0}, row);
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

/// Stores row i of a tile to row `index[i]` of a tensor, rounded to its element type. Of `at`, the
/// last number counts tiles along the columns and the last but one is a row number that is added to
/// each index; the others count elements. Rows and columns outside the tensor are not written,
/// negative ones neither. Where two rows go to one place, either may stay.
///
///     col_vec<int32, BM> row = load(Rows, {m});
///     scatter(Cache, {0, 0}, keys, row);
template <typename T, int... extents, tile X, vector_operand I>
TK_LANGUAGE("scatter")
void scatter(const gl<T, extents...> &to, place at, const X &value, const I &index);
/// Stores element i of a vector to element `index[i]` of the last dimension of a tensor, counted
/// from the last number of `at`.
template <typename T, int... extents, vector V, vector_operand I>
TK_LANGUAGE("scatter")
void scatter(const gl<T, extents...> &to, place at, const V &value, const I &index);

/// The same, adding to the tensor's elements; rows that go to one place all count.
///
///     scatter_add(Experts, {0, 0}, results, row);
template <typename T, int... extents, tile X, vector_operand I>
TK_LANGUAGE("scatter_add")
void scatter_add(const gl<T, extents...> &to, place at, const X &value, const I &index);
/// The same, adding to the tensor's elements.
template <typename T, int... extents, vector V, vector_operand I>
TK_LANGUAGE("scatter_add")
void scatter_add(const gl<T, extents...> &to, place at, const V &value, const I &index);

/// The same, keeping the larger of the two elements; a NaN changes nothing.
///
///     scatter_max(Best, {0}, scores, row);
template <typename T, int... extents, tile X, vector_operand I>
TK_LANGUAGE("scatter_max")
void scatter_max(const gl<T, extents...> &to, place at, const X &value, const I &index);
/// The same, keeping the larger of the two elements.
template <typename T, int... extents, vector V, vector_operand I>
TK_LANGUAGE("scatter_max")
void scatter_max(const gl<T, extents...> &to, place at, const V &value, const I &index);
/// The same, keeping the smaller of the two elements.
template <typename T, int... extents, tile X, vector_operand I>
TK_LANGUAGE("scatter_min")
void scatter_min(const gl<T, extents...> &to, place at, const X &value, const I &index);
/// The same, keeping the smaller of the two elements.
template <typename T, int... extents, vector V, vector_operand I>
TK_LANGUAGE("scatter_min")
void scatter_min(const gl<T, extents...> &to, place at, const V &value, const I &index);

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

template <typename T, int... extents, vector_operand I>
gathered_at<gl<T, extents...>, I> gather(const gl<T, extents...> &from, place at, const I &index) {
  return {from, at, index};
}

template <typename T, int rows, int cols, typename layout>
template <typename Tensor, typename Index>
rt<T, rows, cols, layout>::rt(const gathered_at<Tensor, Index> &from)
    : rt(gather<rt>(from.tensor, from.at, from.index)) {}
template <typename T, int rows, int cols>
template <typename Tensor, typename Index>
st<T, rows, cols>::st(const gathered_at<Tensor, Index> &from)
    : st(gather<st>(from.tensor, from.at, from.index)) {}
template <typename T, int n, typename orientation>
template <typename Tensor, typename Index>
rv<T, n, orientation>::rv(const gathered_at<Tensor, Index> &from)
    : rv(gather<rv>(from.tensor, from.at, from.index)) {}
template <typename T, int n>
template <typename Tensor, typename Index>
sv<T, n>::sv(const gathered_at<Tensor, Index> &from)
    : sv(gather<sv>(from.tensor, from.at, from.index)) {}

namespace detail {
/// Calls f(element of the tensor, element of the tile or vector) for all that lie inside.
template <typename T, int... extents, typename X, typename I, typename F>
void each_named(const gl<T, extents...> &to, const place &at, const X &value, const I &index, F f) {
  constexpr int rank = gl<T, extents...>::rank;
  static_assert(__is_same(number_of<typename I::element>, int), "an index is an integer");
  if constexpr (tile<X>) {
    static_assert(rank >= 2, "rows are scattered to a tensor of 2 dimensions or more");
    static_assert(is_column<I>, "rows are scattered by a column vector");
    static_assert(X::height == I::length, "there is one index for each row of the tile");
    const long long left = static_cast<long long>(at[rank - 1]) * X::width;
    for (int i = 0; i < I::length; ++i)
      for (int j = 0; j < X::width; ++j)
        if (T *element = to.find(at, static_cast<long long>(at[rank - 2]) + index.at(i), left + j))
          f(*element, value.at(i, j));
  } else {
    static_assert(X::length == I::length, "there is one index for each element of the vector");
    for (int i = 0; i < I::length; ++i)
      if (T *element = to.find(at, rank < 2 ? 0 : at[rank - 2],
                               static_cast<long long>(at[rank - 1]) + index.at(i)))
        f(*element, value.at(i));
  }
}
} // namespace detail

template <typename T, int... extents, tile X, vector_operand I>
void scatter(const gl<T, extents...> &to, place at, const X &value, const I &index) {
  detail::each_named(to, at, value, index, detail::replace_element());
}
template <typename T, int... extents, vector V, vector_operand I>
void scatter(const gl<T, extents...> &to, place at, const V &value, const I &index) {
  detail::each_named(to, at, value, index, detail::replace_element());
}
template <typename T, int... extents, tile X, vector_operand I>
void scatter_add(const gl<T, extents...> &to, place at, const X &value, const I &index) {
  detail::each_named(to, at, value, index, detail::add_to_element());
}
template <typename T, int... extents, vector V, vector_operand I>
void scatter_add(const gl<T, extents...> &to, place at, const V &value, const I &index) {
  detail::each_named(to, at, value, index, detail::add_to_element());
}
template <typename T, int... extents, tile X, vector_operand I>
void scatter_max(const gl<T, extents...> &to, place at, const X &value, const I &index) {
  detail::each_named(to, at, value, index, detail::keep_larger_element());
}
template <typename T, int... extents, vector X, vector_operand I>
void scatter_max(const gl<T, extents...> &to, place at, const X &value, const I &index) {
  detail::each_named(to, at, value, index, detail::keep_larger_element());
}
template <typename T, int... extents, tile X, vector_operand I>
void scatter_min(const gl<T, extents...> &to, place at, const X &value, const I &index) {
  detail::each_named(to, at, value, index, detail::keep_smaller_element());
}
template <typename T, int... extents, vector X, vector_operand I>
void scatter_min(const gl<T, extents...> &to, place at, const X &value, const I &index) {
  detail::each_named(to, at, value, index, detail::keep_smaller_element());
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_GATHERS_H
