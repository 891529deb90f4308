//===- moves.h - Between tensors and tiles --------------------------------===//
#ifndef TK_LANGUAGE_MOVES_H
#define TK_LANGUAGE_MOVES_H

#include "numbers.h"
#include "tiles.h"

namespace tk {

/// The tile of `from` at a place; its size is that of the tile it initialises. Elements outside the
/// tensor are zero.
///
///     st<bf16, BM, BK> a = load(A, {m, k});
template <typename T, int... extents>
TK_LANGUAGE("load")
tile_at<T, extents...> load(const gl<T, extents...> &from, place at);

/// How long L2 keeps what a load reads, or a store writes, beside other data: as usual, shorter,
/// because nobody reads it again, or longer, because other blocks do. A hint, which changes no
/// result.
enum cache_policy { normal_eviction, evict_first, evict_last };

/// The same, and what L2 does with it: `st<bf16, BN, D> k = load(K, {b, h, n, 0}, evict_first);`
template <typename T, int... extents>
TK_LANGUAGE("load")
tile_at<T, extents...> load(const gl<T, extents...> &from, place at, cache_policy policy);

/// Loads into a tile that is there already: `load(a, A, {m, k})`.
template <tile Tile, typename T, int... extents>
TK_LANGUAGE("load_into")
void load(Tile &to, const gl<T, extents...> &from, place at);

/// Writes a tile to a place of a tensor, rounding to the tensor's element type. Elements outside
/// the tensor are not written.
///
///     store(C, {m, n}, acc);
template <typename T, int... extents, tile Tile>
TK_LANGUAGE("store")
void store(const gl<T, extents...> &to, place at, const Tile &value);

/// The same, and what L2 does with it: `store(Part, {b, h, part, 0}, o, evict_last);`. A store
/// without a policy leaves this to the compiler.
template <typename T, int... extents, tile Tile>
TK_LANGUAGE("store")
void store(const gl<T, extents...> &to, place at, const Tile &value, cache_policy policy);

// A load or gather is a tile only where it initialises one, which says its size. tkc says so where
// one of these is called; other compilers find none.
#ifdef __TKC__
namespace detail {
template <typename X> inline constexpr bool has_no_size = false;
template <typename T, int... extents>
inline constexpr bool has_no_size<tile_at<T, extents...>> = true;
template <typename Shared> inline constexpr bool has_no_size<shared_at<Shared>> = true;
template <typename Tensor, typename Index>
inline constexpr bool has_no_size<gathered_at<Tensor, Index>> = true;
} // namespace detail

#define TK_LOAD_OPERATOR(op)                                                                       \
  template <typename X, typename Y>                                                                \
    requires(detail::has_no_size<X> || detail::has_no_size<Y>)                                     \
  X operator op(const X &, const Y &);                                                             \
  template <typename X, typename Y>                                                                \
    requires detail::has_no_size<Y>                                                                \
  X &operator op##=(X &, const Y &);
TK_LOAD_OPERATOR(+)
TK_LOAD_OPERATOR(-)
TK_LOAD_OPERATOR(*)
TK_LOAD_OPERATOR(/)
#undef TK_LOAD_OPERATOR
template <typename X>
  requires detail::has_no_size<X>
X operator-(const X &);
#endif

#ifndef __TKC__
template <typename T, int... extents>
tile_at<T, extents...> load(const gl<T, extents...> &from, place at) {
  return {from, at};
}

template <typename T, int... extents>
tile_at<T, extents...> load(const gl<T, extents...> &from, place at, cache_policy) {
  return {from, at};
}

template <tile Tile, typename T, int... extents>
void load(Tile &to, const gl<T, extents...> &from, place at) {
  to = Tile(load(from, at));
}

template <typename T, int... extents, tile Tile>
void store(const gl<T, extents...> &to, place at, const Tile &value) {
  constexpr int rank = gl<T, extents...>::rank;
  const long long top = rank < 2 ? 0 : static_cast<long long>(at[rank - 2]) * Tile::height;
  const long long left = static_cast<long long>(at[rank - 1]) * Tile::width;
  for (int i = 0; i < Tile::height; ++i)
    for (int j = 0; j < Tile::width; ++j)
      if (T *element = to.find(at, top + i, left + j))
        *element = detail::convert<T>(value.at(i, j));
}

template <typename T, int... extents, tile Tile>
void store(const gl<T, extents...> &to, place at, const Tile &value, cache_policy) {
  store(to, at, value);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_MOVES_H
