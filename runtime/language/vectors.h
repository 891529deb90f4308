//===- vectors.h - Vectors in registers and in shared memory --------------===//
//
// A vector lies along a tile. A column vector has one value for each row of the
// tile, as a reduction of its rows gives; a row vector one for each column. The
// orientation is part of the type, so that a vector meets a tile in one way only.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_VECTORS_H
#define TK_LANGUAGE_VECTORS_H

#include "numbers.h"
#include "tiles.h"

namespace tk {

/// A vector of `n` values held in the registers of the threads; `n` is a multiple of 16. The
/// orientation `col` makes it a column vector, `row` a row vector; see `col_vec` and `row_vec`.
template <typename T, int n, typename orientation = col> class TK_LANGUAGE("rv") rv {
public:
  /// The type of its elements.
  using element = T;
  /// How many elements it has.
  static constexpr int length = n;

  /// A vector without a value yet.
  rv() = default;
  /// A vector whose elements are all `value`.
  TK_LANGUAGE("fill_vector") rv(number_of<T> value);
  /// The same values as another type, each rounded to it: `col_vec<bf16, 64>(v)`.
  template <typename U>
  TK_LANGUAGE("convert_vector")
  explicit rv(const rv<U, n, orientation> &from);
  /// The vector at a place of a tensor: `col_vec<float, 64> v = load(L, {m})`. Elements outside the
  /// tensor are zero.
  template <typename U, int... extents>
  TK_LANGUAGE("loaded_vector")
  rv(const tile_at<U, extents...> &from);
  /// The elements of a shared vector: `col_vec<float, 64> v = load(shared)`.
  template <typename Shared> TK_LANGUAGE("loaded_shared_vector") rv(const shared_at<Shared> &from);
  /// The elements of a tensor by their numbers: `col_vec<float, 64> v = gather(T, {0}, index)`.
  template <typename Tensor, typename Index>
  TK_LANGUAGE("gathered")
  rv(const gathered_at<Tensor, Index> &from);

#ifdef __TKC__
  /// Nothing else becomes a vector unasked; tkc's message says which constructor to write.
  template <typename Other>
    requires detail::has_elements<Other>
  TK_LANGUAGE("unlike")
  rv(const Other &from);
  /// Refused: tkc says how to calculate with it instead.
  TK_LANGUAGE("as_number") operator float() const;
#endif

#ifndef __TKC__
  T &at(int i) { return elements[i]; }
  const T &at(int i) const { return elements[i]; }

private:
  T elements[n];
#endif
};

/// A register vector with one value for each of the `n` rows of a tile.
///
///     col_vec<float, BM> best = row_max(s);
template <typename T, int n> using col_vec = rv<T, n, col>;

/// A register vector with one value for each of the `n` columns of a tile.
///
///     row_vec<float, BN> bias = load(B, {n});
template <typename T, int n> using row_vec = rv<T, n, row>;

/// A vector of `n` values held in shared memory; `n` is a multiple of 16. It has no orientation;
/// the vector that it is loaded into has one.
template <typename T, int n> class TK_LANGUAGE("sv") sv {
public:
  /// The type of its elements.
  using element = T;
  /// How many elements it has.
  static constexpr int length = n;

  /// A vector without a value yet.
  sv() = default;
  /// The vector at a place of a tensor: `sv<float, 64> v = load(L, {m})`. Elements outside the
  /// tensor are zero.
  template <typename U, int... extents>
  TK_LANGUAGE("loaded_vector")
  sv(const tile_at<U, extents...> &from);
  /// The elements of a tensor by their numbers: `sv<float, 64> v = gather(T, {0}, index)`.
  template <typename Tensor, typename Index>
  TK_LANGUAGE("gathered")
  sv(const gathered_at<Tensor, Index> &from);

#ifdef __TKC__
  /// Nothing else becomes a shared vector unasked; tkc's message says which constructor to write.
  template <typename Other>
    requires detail::has_elements<Other>
  TK_LANGUAGE("unlike")
  sv(const Other &from);
#endif

#ifndef __TKC__
  T &at(int i) { return elements[i]; }
  const T &at(int i) const { return elements[i]; }

private:
  T elements[n];
#endif
};

namespace detail {
enum class kind { none, register_tile, shared_tile, register_vector, shared_vector };
template <typename T> inline constexpr kind kind_of = kind::none;
template <typename T, int rows, int cols, typename layout>
inline constexpr kind kind_of<rt<T, rows, cols, layout>> = kind::register_tile;
template <typename T, int rows, int cols>
inline constexpr kind kind_of<st<T, rows, cols>> = kind::shared_tile;
template <typename T, int n, typename orientation>
inline constexpr kind kind_of<rv<T, n, orientation>> = kind::register_vector;
template <typename T, int n> inline constexpr kind kind_of<sv<T, n>> = kind::shared_vector;
} // namespace detail

/// A tile in registers: an `rt`.
template <typename X>
concept register_tile = detail::kind_of<X> == detail::kind::register_tile;
/// A tile in shared memory: an `st`.
template <typename X>
concept shared_tile = detail::kind_of<X> == detail::kind::shared_tile;
/// A vector in registers: a `col_vec` or a `row_vec`.
template <typename X>
concept register_vector = detail::kind_of<X> == detail::kind::register_vector;
/// A vector in shared memory: an `sv`.
template <typename X>
concept shared_vector = detail::kind_of<X> == detail::kind::shared_vector;
/// A vector of either kind.
template <typename X>
concept vector = register_vector<X> || shared_vector<X>;
/// An operand of calculations: a tile or a vector in registers.
template <typename X>
concept register_value = register_tile<X> || register_vector<X>;
/// A tile or a vector in shared memory.
template <typename X>
concept shared_value = shared_tile<X> || shared_vector<X>;
// The operands for which operations are declared. To tkc that is more than the language has, so
// that a mistake is answered with the mistake, and not with a list of candidates.
#ifdef __TKC__
/// A tile in registers, to calculate with.
template <typename X>
concept tile_operand = tile<X>;
/// A vector in registers, to calculate with.
template <typename X>
concept vector_operand = vector<X>;
#else
template <typename X>
concept tile_operand = register_tile<X>;
template <typename X>
concept vector_operand = register_vector<X>;
#endif
/// A tile or a vector in registers, to calculate with.
template <typename X>
concept value_operand = tile_operand<X> || vector_operand<X>;
#ifdef __TKC__
/// The other operand of X in a calculation: a number; a value of X's own type; and if X is a tile,
/// a vector that lies along it.
template <typename Y, typename X>
concept operand_for = number<Y> || value_operand<Y>;
#else
template <typename Y, typename X>
concept operand_for = number<Y> || vector_operand<Y> || (tile_operand<X> && tile_operand<Y>);
#endif

#ifndef __TKC__
namespace detail {
template <typename X> inline constexpr bool is_column = false;
template <typename T, int n> inline constexpr bool is_column<rv<T, n, col>> = true;

/// The element `i` of the vector at a place of a tensor; zero outside the tensor.
template <typename T, int n, typename U, int... extents>
T read(const tile_at<U, extents...> &from, int i) {
  constexpr int rank = gl<U, extents...>::rank;
  const long long row = rank < 2 ? 0 : from.at[rank - 2];
  const U *element = from.tensor.find(from.at, row, from.at.first(rank - 1, n) + i);
  return element ? convert<T>(*element) : convert<T>(0);
}
} // namespace detail

template <typename T, int n, typename orientation> rv<T, n, orientation>::rv(number_of<T> value) {
  for (T &element : elements)
    element = detail::convert<T>(value);
}

template <typename T, int n, typename orientation>
template <typename U>
rv<T, n, orientation>::rv(const rv<U, n, orientation> &from) {
  for (int i = 0; i < n; ++i)
    elements[i] = detail::convert<T>(from.at(i));
}

template <typename T, int n, typename orientation>
template <typename U, int... extents>
rv<T, n, orientation>::rv(const tile_at<U, extents...> &from) {
  for (int i = 0; i < n; ++i)
    elements[i] = detail::read<T, n>(from, i);
}

template <typename T, int n, typename orientation>
template <typename Shared>
rv<T, n, orientation>::rv(const shared_at<Shared> &from) {
  static_assert(shared_vector<Shared>, "a register vector is loaded from a shared vector");
  static_assert(Shared::length % n == 0, "a vector is a whole part of the one it is loaded from");
  for (int i = 0; i < n; ++i)
    elements[i] = detail::convert<T>(from.shared.at(from.at[0] * n + i));
}

template <typename T, int n>
template <typename U, int... extents>
sv<T, n>::sv(const tile_at<U, extents...> &from) {
  for (int i = 0; i < n; ++i)
    elements[i] = detail::read<T, n>(from, i);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_VECTORS_H
