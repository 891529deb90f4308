//===- tiles.h - Tiles in registers and in shared memory ------------------===//
//
// A tile is a matrix whose size is known when the kernel is compiled. On the CPU
// both kinds are plain arrays; where they live matters to the GPU alone.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_TILES_H
#define TK_LANGUAGE_TILES_H

#include "tensors.h"

namespace tk {

namespace detail {
/// Tiles and vectors have elements, and nothing else has.
template <typename X>
concept has_elements = requires { typename X::element; };
} // namespace detail

/// The result of `load`: a place in a tensor, to initialise a tile with.
template <typename T, int... extents> struct TK_LANGUAGE("tile_at") tile_at {
#ifndef __TKC__
  const gl<T, extents...> &tensor;
  place at;
#endif
};

/// The result of `load` from shared memory: a place in a shared tile or vector.
template <typename Shared> struct TK_LANGUAGE("shared_at") shared_at {
#ifndef __TKC__
  const Shared &shared;
  place at;
#endif
};

/// The result of `gather` where its type is not given: rows or elements of a tensor by their
/// numbers, to initialise a tile or vector with.
template <typename Tensor, typename Index> struct TK_LANGUAGE("gathered_at") gathered_at {
#ifndef __TKC__
  const Tensor &tensor;
  place at;
  const Index &index;
#endif
};

/// A tile held in the registers of the threads: accumulators and everything computed elementwise.
/// `rows` and `cols` are multiples of 16; `layout` says how the threads hold it, and matters to
/// matmuls.
template <typename T, int rows, int cols, typename layout = row> class TK_LANGUAGE("rt") rt {
public:
  /// The type of its elements.
  using element = T;
  /// How many rows it has.
  static constexpr int height = rows;
  /// How many columns it has.
  static constexpr int width = cols;

  /// A tile without a value yet.
  rt() = default;
  /// A tile whose elements are all `value`.
  TK_LANGUAGE("fill") rt(float value);
  /// The same values as another type, each rounded to it: `rt<bf16, 64, 128>(s)`.
  template <typename U> TK_LANGUAGE("convert") explicit rt(const rt<U, rows, cols, layout> &from);
  /// The tile at a place of a tensor, converted to T; elements outside the tensor are zero.
  template <typename U, int... extents>
  TK_LANGUAGE("loaded")
  rt(const tile_at<U, extents...> &from);
  /// The elements of a shared tile, converted to T: `rt<bf16, 16, 64> k = load(shared)`.
  template <typename Shared> TK_LANGUAGE("loaded_shared") rt(const shared_at<Shared> &from);
  /// The rows of a tensor by their numbers: `rt<bf16, 64, 64> x = gather(T, {0, n}, index)`.
  template <typename Tensor, typename Index>
  TK_LANGUAGE("gathered")
  rt(const gathered_at<Tensor, Index> &from);

#ifdef __TKC__
  /// Nothing else becomes a tile unasked; tkc's message says which constructor to write.
  template <typename Other>
    requires detail::has_elements<Other>
  TK_LANGUAGE("unlike")
  rt(const Other &from);
  /// Refused: tkc says how to calculate with it instead.
  TK_LANGUAGE("as_number") operator float() const;
#endif

#ifndef __TKC__
  T &at(int i, int j) { return elements[i][j]; }
  const T &at(int i, int j) const { return elements[i][j]; }

private:
  T elements[rows][cols];
#endif
};

/// A tile in shared memory: the destination of loads from tensors, and an operand of matmuls.
/// `rows` and `cols` are multiples of 16. The compiler chooses its swizzle.
template <typename T, int rows, int cols> class TK_LANGUAGE("st") st {
public:
  /// The type of its elements.
  using element = T;
  /// How many rows it has.
  static constexpr int height = rows;
  /// How many columns it has.
  static constexpr int width = cols;

  /// A tile without a value yet.
  st() = default;
  /// The tile at a place of a tensor; elements outside the tensor are zero.
  template <typename U, int... extents>
  TK_LANGUAGE("loaded")
  st(const tile_at<U, extents...> &from);
  /// The rows of a tensor by their numbers: `st<bf16, 64, 64> x = gather(T, {0, n}, index)`.
  template <typename Tensor, typename Index>
  TK_LANGUAGE("gathered")
  st(const gathered_at<Tensor, Index> &from);

#ifdef __TKC__
  /// Nothing else becomes a shared tile unasked; tkc's message says which constructor to write.
  template <typename Other>
    requires detail::has_elements<Other>
  TK_LANGUAGE("unlike")
  st(const Other &from);
#endif

#ifndef __TKC__
  T &at(int i, int j) { return elements[i][j]; }
  const T &at(int i, int j) const { return elements[i][j]; }

private:
  T elements[rows][cols];
#endif
};

/// A tile of either kind.
template <typename Tile>
concept tile = requires {
  typename Tile::element;
  Tile::height;
  Tile::width;
};

#ifndef __TKC__
template <typename T, int rows, int cols, typename layout>
rt<T, rows, cols, layout>::rt(float value) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      elements[i][j] = T(value);
}

template <typename T, int rows, int cols>
template <typename U, int... extents>
st<T, rows, cols>::st(const tile_at<U, extents...> &from) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      const U *element = from.tensor.find(from.at, rows, cols, i, j);
      elements[i][j] = element ? T(*element) : T(0.0f);
    }
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_TILES_H
