//===- reductions.h - From tiles to vectors, and running sums -------------===//
//
// A reduction of rows gives a column vector (one value for each row), one of
// columns a row vector. Sums are kept in double and rounded once, so that the
// plain meaning has no order of its own; the GPU adds floats in an order of its
// choice. Rows lie within a warp; columns lie across warps, and their reduction
// costs a trip through shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_REDUCTIONS_H
#define TK_LANGUAGE_REDUCTIONS_H

#include "map.h"
#include "scalars.h"

namespace tk {

/// The result of a reduction of the rows of a tile.
template <tile_operand X> using column_of = col_vec<typename X::element, X::height>;
/// The result of a reduction of the columns of a tile.
template <tile_operand X> using row_of = row_vec<typename X::element, X::width>;

#ifndef __TKC__
namespace detail {
/// The type of a running result: integers stay integers.
template <typename T> struct kept {
  using type = double;
};
template <> struct kept<int> {
  using type = int;
};
template <> struct kept<int8> {
  using type = int;
};
template <typename T> using kept_in = typename kept<T>::type;

/// A double rounded to T once. A float is rounded to T from its own value.
template <typename T, typename K> T finish(K result) {
  if constexpr (__is_same(K, int))
    return convert<T>(result);
  else
    return convert<T>(static_cast<float>(result));
}

/// A fold over each row of a tile (or each column), from `first(i)` on.
template <bool alongRows, typename V, typename X, typename First, typename F>
V reduce(const X &x, First first, F f) {
  using T = typename X::element;
  V result;
  for (int i = 0; i < V::length; ++i) {
    kept_in<T> sum = first(i);
    for (int j = 0; j < (alongRows ? X::width : X::height); ++j)
      sum = f(sum, static_cast<number_of<T>>(alongRows ? x.at(i, j) : x.at(j, i)));
    result.at(i) = finish<T>(sum);
  }
  return result;
}

/// Element i is the sum of `v[0]` to `v[last(i)]`.
template <typename V, typename Last> V add_up(const V &v, Last last) {
  using T = typename V::element;
  V result;
  kept_in<T> sum = 0;
  for (int i = 0, next = 0; i < V::length; ++i) {
    for (; next <= last(i); ++next)
      sum += static_cast<number_of<T>>(v.at(next));
    result.at(i) = finish<T>(sum);
  }
  return result;
}

/// Element i is the sum of `v[i]` to the last one.
template <typename V> V add_up_from_end(const V &v) {
  using T = typename V::element;
  V result;
  kept_in<T> sum = 0;
  for (int i = V::length - 1; i >= 0; --i) {
    sum += static_cast<number_of<T>>(v.at(i));
    result.at(i) = finish<T>(sum);
  }
  return result;
}

/// Every element is the combination of all elements of `v`.
template <typename V, typename F> V fold(const V &v, F combine) {
  using T = typename V::element;
  auto value = static_cast<number_of<T>>(v.at(0));
  for (int i = 1; i < V::length; ++i)
    value = combine(value, static_cast<number_of<T>>(v.at(i)));
  V result;
  for (int i = 0; i < V::length; ++i)
    result.at(i) = convert<T>(value);
  return result;
}

/// The larger or smaller one, but a NaN never wins against a number.
template <typename K> K larger(K a, K b) { return a > b || b != b ? a : b; }
template <typename K> K smaller(K a, K b) { return a < b || b != b ? a : b; }
} // namespace detail

#endif

// A reduction has four forms: `row_max(x)`, `row_max(x, init)`, and destination first
// `row_max(to, x)` and `row_max(to, x, init)`. `start` is what it begins with if there is no
// `init`.
#define TK_REDUCTION(reduction, result_of, alongRows, start, combined)                             \
  template <tile_operand X>                                                                        \
  TK_LANGUAGE(#reduction)                                                                          \
  result_of<X> reduction(const X &x) TK_MEANING({                                                  \
    using T = typename X::element;                                                                 \
    using K = detail::kept_in<T>;                                                                  \
    return detail::reduce<alongRows, result_of<X>>(                                                \
        x, [&]([[maybe_unused]] int i) -> K { return start; },                                     \
        [](K a, K b) -> K { return combined; });                                                   \
  });                                                                                              \
  template <tile_operand X, vector_operand V>                                                      \
  TK_LANGUAGE(#reduction)                                                                          \
  result_of<X> reduction(const X &x, const V &init) TK_MEANING({                                   \
    static_assert(__is_same(V, result_of<X>), "initial values have the type of the result");       \
    using T = typename X::element;                                                                 \
    using K = detail::kept_in<T>;                                                                  \
    return detail::reduce<alongRows, result_of<X>>(                                                \
        x, [&](int i) -> K { return static_cast<number_of<T>>(init.at(i)); },                      \
        [](K a, K b) -> K { return combined; });                                                   \
  });                                                                                              \
  template <vector_operand To, tile_operand X>                                                     \
  TK_LANGUAGE(#reduction)                                                                          \
  void reduction(To &to, const X &x) TK_MEANING({                                                  \
    detail::expect_destination<To, result_of<X>>();                                                \
    to = reduction(x);                                                                             \
  });                                                                                              \
  template <vector_operand To, tile_operand X, vector_operand V>                                   \
  TK_LANGUAGE(#reduction)                                                                          \
  void reduction(To &to, const X &x, const V &init) TK_MEANING({                                   \
    detail::expect_destination<To, result_of<X>>();                                                \
    to = reduction(x, init);                                                                       \
  });

/// The largest element of each row; with `init`, the larger one of both.
///
///     col_vec<float, BM> best = row_max(s);
///     best = row_max(s, best);
TK_REDUCTION(row_max, column_of, true, static_cast<number_of<T>>(x.at(i, 0)), detail::larger(a, b))
/// The smallest element of each row; with `init`, the smaller one of both.
TK_REDUCTION(row_min, column_of, true, static_cast<number_of<T>>(x.at(i, 0)), detail::smaller(a, b))
/// The sum of each row; with `init`, both together.
///
///     col_vec<float, BM> total = row_sum(s);
///     total = row_sum(p, total);
TK_REDUCTION(row_sum, column_of, true, 0, a + b)
/// The largest element of each column; with `init`, the larger one of both.
///
///     row_vec<float, BN> best = col_max(s);
TK_REDUCTION(col_max, row_of, false, static_cast<number_of<T>>(x.at(0, i)), detail::larger(a, b))
/// The smallest element of each column; with `init`, the smaller one of both.
TK_REDUCTION(col_min, row_of, false, static_cast<number_of<T>>(x.at(0, i)), detail::smaller(a, b))
/// The sum of each column; with `init`, both together.
///
///     row_vec<float, BN> total = col_sum(s);
TK_REDUCTION(col_sum, row_of, false, 0, a + b)
#undef TK_REDUCTION

// The two forms of a sum over a vector: `cumsum(v)`, and destination first `cumsum(to, v)`.
#define TK_SCAN(scan, sums)                                                                        \
  template <vector_operand V> TK_LANGUAGE(#scan) V scan(const V &v) TK_MEANING({ return sums; });  \
  template <vector_operand To, vector_operand V>                                                   \
  TK_LANGUAGE(#scan)                                                                               \
  void scan(To &to, const V &v) TK_MEANING({                                                       \
    detail::expect_destination<To, V>();                                                           \
    to = scan(v);                                                                                  \
  });

/// The running sum of a vector: element i is `v[0] + ... + v[i]`.
///
///     col_vec<float, BM> sums = cumsum(log_decay);
TK_SCAN(cumsum, detail::add_up(v, [](int i) { return i; }))
/// The running sum from the end: element i is `v[i] + ... + v[n - 1]`. It is the gradient of a
/// running sum.
///
///     col_vec<float, BM> of_log_decay = reverse_cumsum(of_sums);
TK_SCAN(reverse_cumsum, detail::add_up_from_end(v))
/// The sum of a vector: each element is that of all elements of `v`. So the sum of a whole tile is
/// there for every row of it.
///
///     col_vec<float, BM> mean = total(row_sum(x)) * (1.0f / count);
TK_SCAN(total, detail::add_up(v, [](int) { return V::length - 1; }))
/// The largest element of a vector, in each of its elements: that of a whole tile is
/// `largest(row_max(x))`.
///
///     col_vec<float, BM> scale = 448 / largest(row_max(abs(x)));
TK_SCAN(largest, detail::fold(v, [](auto a, auto b) { return detail::larger(a, b); }))
/// The smallest element of a vector, in each of its elements.
TK_SCAN(smallest, detail::fold(v, [](auto a, auto b) { return detail::smaller(a, b); }))
#undef TK_SCAN

} // namespace tk

#endif // TK_LANGUAGE_REDUCTIONS_H
