//===- transfers.h - Between registers, shared memory and tensors ---------===//
//
// The transfers that moves.h does not have: vectors, shared memory to registers and back, and sums
// in global memory. A load is a constructor of its destination:
//
//     rt<bf16, 16, 64> k = load(shared, {i, 0});
//     col_vec<float, BM> l = load(L, {m});
//
// A place in a shared tile counts tiles of the size that is moved. Of a place in
// a tensor, a vector counts vectors in the last dimension, and elements in the
// others.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_TRANSFERS_H
#define TK_LANGUAGE_TRANSFERS_H

#include "combine.h"
#include "moves.h"
#include "vectors.h"

namespace tk {

/// The elements of a shared tile or vector, to initialise a register tile or vector with.
///
///     rt<bf16, 64, 64> k = load(shared);
template <shared_value S> TK_LANGUAGE("load_shared") shared_at<S> load(const S &from);
/// A part of it: `rt<bf16, 16, 64> k = load(shared, {i, 0})` has the rows from 16 i on.
template <shared_value S> TK_LANGUAGE("load_shared") shared_at<S> load(const S &from, place at);

/// A load whose type is given: `auto x = load<rt<float, 64, 64>>(X, {m, n});`.
template <typename X, typename T, int... extents>
  requires(tile<X> || vector<X>)
TK_LANGUAGE("load_as")
X load(const gl<T, extents...> &from, place at);
/// The same of a tile, and what L2 does with it.
template <tile X, typename T, int... extents>
TK_LANGUAGE("load_as")
X load(const gl<T, extents...> &from, place at, cache_policy policy);
/// The same from shared memory: `load<col_vec<float, 64>>(shared)`.
template <value_operand X, shared_value S> TK_LANGUAGE("load_shared_as") X load(const S &from);
/// A part of it: `load<rt<bf16, 16, 64>>(shared, {i, 0})`.
template <value_operand X, shared_value S>
TK_LANGUAGE("load_shared_as")
X load(const S &from, place at);

/// Destination first, from shared memory: `load(k, shared)`.
template <value_operand X, shared_value S>
TK_LANGUAGE("load_shared_into")
void load(X &to, const S &from);
/// Destination first, a part of shared memory: `load(k, shared, {i, 0})`.
template <value_operand X, shared_value S>
TK_LANGUAGE("load_shared_into")
void load(X &to, const S &from, place at);
/// Destination first, a vector of a tensor: `load(bias, B, {n})`.
template <vector V, typename T, int... extents>
TK_LANGUAGE("load_vector_into")
void load(V &to, const gl<T, extents...> &from, place at);

/// Writes a vector to a place of a tensor, rounding to the tensor's element type. Elements outside
/// the tensor are not written.
///
///     store(L, {b, h, m}, log(total) + best);
template <typename T, int... extents, vector V>
TK_LANGUAGE("store_vector")
void store(const gl<T, extents...> &to, place at, const V &value);
/// Writes registers to shared memory, rounding to its element type: `store(shared, p)`.
template <shared_value S, value_operand X>
TK_LANGUAGE("store_shared")
void store(S &to, const X &value);
/// Writes registers to a part of shared memory: `store(shared, {i, 0}, p)`.
template <shared_value S, value_operand X>
TK_LANGUAGE("store_shared")
void store(S &to, place at, const X &value);

/// Adds a tile or vector to a place of a tensor. Blocks that add to the same place do not disturb
/// each other; in which order they add is not promised. Elements outside the tensor are left out.
///
///     store_add(C, {m, n}, acc);
template <typename T, int... extents, typename X>
  requires(tile<X> || vector<X>)
TK_LANGUAGE("store_add")
void store_add(const gl<T, extents...> &to, place at, const X &value);
/// The same for a tile, and what L2 does with it.
template <typename T, int... extents, tile Tile>
TK_LANGUAGE("store_add")
void store_add(const gl<T, extents...> &to, place at, const Tile &value, cache_policy policy);
#ifdef __TKC__
/// Refused: threads store vectors, which take no policy.
template <typename T, int... extents, vector V>
TK_LANGUAGE("store_vector")
void store(const gl<T, extents...> &to, place at, const V &value, cache_policy policy);
/// Refused: threads add vectors, which take no policy.
template <typename T, int... extents, vector V>
TK_LANGUAGE("store_add")
void store_add(const gl<T, extents...> &to, place at, const V &value, cache_policy policy);
#endif

/// Keeps the larger of an element of the tensor and of the tile, or vector, that is stored to its
/// place. A NaN changes nothing; elements outside the tensor are left out.
///
///     store_max(Largest, {n}, col_max(x));
template <typename T, int... extents, typename X>
  requires(tile<X> || vector<X>)
TK_LANGUAGE("store_max")
void store_max(const gl<T, extents...> &to, place at, const X &value);
/// The same, keeping the smaller one.
template <typename T, int... extents, typename X>
  requires(tile<X> || vector<X>)
TK_LANGUAGE("store_min")
void store_min(const gl<T, extents...> &to, place at, const X &value);

#ifndef __TKC__
namespace detail {
/// Calls f(element of the tensor, element of `value`) for each that lies within the tensor.
template <typename T, int... extents, typename X, typename F>
void each_inside(const gl<T, extents...> &to, const place &at, const X &value, F f) {
  constexpr int rank = gl<T, extents...>::rank;
  const long long line = rank < 2 ? 0 : at[rank - 2];
  const long long last = at[rank - 1];
  if constexpr (tile<X>) {
    for (int i = 0; i < X::height; ++i)
      for (int j = 0; j < X::width; ++j)
        if (T *element = to.find(at, line * X::height + i, last * X::width + j))
          f(*element, value.at(i, j));
  } else {
    for (int i = 0; i < X::length; ++i)
      if (T *element = to.find(at, line, last * X::length + i))
        f(*element, value.at(i));
  }
}
} // namespace detail

template <typename T, int rows, int cols, typename layout>
template <typename U, int... extents>
rt<T, rows, cols, layout>::rt(const tile_at<U, extents...> &from) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      const U *element = from.tensor.find(from.at, rows, cols, i, j);
      elements[i][j] = element ? detail::convert<T>(*element) : detail::convert<T>(0);
    }
}

template <typename T, int rows, int cols, typename layout>
template <typename Shared>
rt<T, rows, cols, layout>::rt(const shared_at<Shared> &from) {
  static_assert(shared_tile<Shared>, "a register tile is loaded from a shared tile");
  static_assert(Shared::height % rows == 0 && Shared::width % cols == 0,
                "a tile is a whole part of the one it is loaded from");
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      elements[i][j] =
          detail::convert<T>(from.shared.at(from.at[0] * rows + i, from.at[1] * cols + j));
}

template <shared_value S> shared_at<S> load(const S &from) { return {from, {0, 0}}; }
template <shared_value S> shared_at<S> load(const S &from, place at) { return {from, at}; }

template <typename X, typename T, int... extents>
  requires(tile<X> || vector<X>)
X load(const gl<T, extents...> &from, place at) {
  return load(from, at);
}
template <tile X, typename T, int... extents>
X load(const gl<T, extents...> &from, place at, cache_policy policy) {
  return load(from, at, policy);
}
template <value_operand X, shared_value S> X load(const S &from) { return load(from); }
template <value_operand X, shared_value S> X load(const S &from, place at) {
  return load(from, at);
}
template <value_operand X, shared_value S> void load(X &to, const S &from) { to = load(from); }
template <value_operand X, shared_value S> void load(X &to, const S &from, place at) {
  to = load(from, at);
}
template <vector V, typename T, int... extents>
void load(V &to, const gl<T, extents...> &from, place at) {
  to = V(load(from, at));
}

template <typename T, int... extents, vector V>
void store(const gl<T, extents...> &to, place at, const V &value) {
  detail::each_inside(to, at, value, detail::replace_element());
}
template <shared_value S, value_operand X> void store(S &to, const X &value) {
  store(to, {0, 0}, value);
}
template <shared_value S, value_operand X> void store(S &to, place at, const X &value) {
  using T = typename S::element;
  static_assert(register_tile<X> == shared_tile<S>,
                "a tile is stored to a shared tile, a vector to a shared vector");
  if constexpr (register_tile<X> && shared_tile<S>) {
    static_assert(S::height % X::height == 0 && S::width % X::width == 0,
                  "a tile is a whole part of the one it is stored to");
    for (int i = 0; i < X::height; ++i)
      for (int j = 0; j < X::width; ++j)
        to.at(at[0] * X::height + i, at[1] * X::width + j) = detail::convert<T>(value.at(i, j));
  } else if constexpr (register_vector<X> && shared_vector<S>) {
    static_assert(S::length % X::length == 0,
                  "a vector is a whole part of the one it is stored to");
    for (int i = 0; i < X::length; ++i)
      to.at(at[0] * X::length + i) = detail::convert<T>(value.at(i));
  }
}

template <typename T, int... extents, typename X>
  requires(tile<X> || vector<X>)
void store_add(const gl<T, extents...> &to, place at, const X &value) {
  detail::each_inside(to, at, value, detail::add_to_element());
}
template <typename T, int... extents, tile Tile>
void store_add(const gl<T, extents...> &to, place at, const Tile &value, cache_policy) {
  store_add(to, at, value);
}
template <typename T, int... extents, typename X>
  requires(tile<X> || vector<X>)
void store_max(const gl<T, extents...> &to, place at, const X &value) {
  detail::each_inside(to, at, value, detail::keep_larger_element());
}
template <typename T, int... extents, typename X>
  requires(tile<X> || vector<X>)
void store_min(const gl<T, extents...> &to, place at, const X &value) {
  detail::each_inside(to, at, value, detail::keep_smaller_element());
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_TRANSFERS_H
