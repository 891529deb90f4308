//===- shapes.h - Parts of tiles, and tiles of parts ----------------------===//
//
// A register tile is spread over the threads, so which of its elements are meant
// is known when the kernel is compiled: the places here are constants.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_SHAPES_H
#define TK_LANGUAGE_SHAPES_H

#include "vectors.h"

namespace tk {

/// Column `j` of a tile; `j` is a constant.
///
///     col_vec<float, BM> first = column(x, 0);
template <tile_operand X>
TK_LANGUAGE("column")
col_vec<typename X::element, X::height> column(const X &x, int j);
/// Destination first: `column(to, x, j)` is `to = column(x, j)`.
template <vector_operand To, tile_operand X>
TK_LANGUAGE("column")
void column(To &to, const X &x, int j);

/// The part of `height` rows and `width` columns whose first element is (i, j); `i` and `j` are
/// constants and multiples of 16.
///
///     rt<float, 64, 32> right = slice<64, 32>(x, 0, 32);
template <int height, int width, typename T, int rows, int cols, typename layout>
TK_LANGUAGE("slice")
rt<T, height, width, layout> slice(const rt<T, rows, cols, layout> &x, int i, int j);
/// Part of a shared tile: an operand for a matmul, without a copy. In a loop over warpgroups or
/// warps, `i` and `j` may be computed from the loop's variable. A shared tile lies in swizzle-atom
/// columns of as many columns as fit 128 bytes (64 or 32 where its rows are no multiple of that): a
/// part is whole swizzle-atom columns, or columns of one whose number divides the swizzle-atom
/// column's.
///
///     mma_AB(o, p, slice<64, 64>(v, 64, 0));
///     mma_AB(o, p, slice<64, 128>(v, 0, w * 128));
template <int height, int width, typename T, int rows, int cols>
TK_LANGUAGE("slice")
st<T, height, width> slice(const st<T, rows, cols> &x, int i, int j);
/// Destination first: `slice(to, x, i, j)` is `to = slice<...>(x, i, j)`.
template <tile_operand To, tile_operand X>
TK_LANGUAGE("slice")
void slice(To &to, const X &x, int i, int j);

/// The left half of the columns.
///
///     x = concat_cols(left_half(x) * cosine, right_half(x) * sine);
template <typename T, int rows, int cols, typename layout>
TK_LANGUAGE("left_half")
rt<T, rows, cols / 2, layout> left_half(const rt<T, rows, cols, layout> &x);
/// The right half of the columns.
template <typename T, int rows, int cols, typename layout>
TK_LANGUAGE("right_half")
rt<T, rows, cols / 2, layout> right_half(const rt<T, rows, cols, layout> &x);
/// The upper half of the rows.
template <typename T, int rows, int cols, typename layout>
TK_LANGUAGE("upper_half")
rt<T, rows / 2, cols, layout> upper_half(const rt<T, rows, cols, layout> &x);
/// The lower half of the rows.
template <typename T, int rows, int cols, typename layout>
TK_LANGUAGE("lower_half")
rt<T, rows / 2, cols, layout> lower_half(const rt<T, rows, cols, layout> &x);

/// Two tiles side by side: the columns of `a`, then those of `b`.
///
///     rt<float, BM, 128> x = concat_cols(left, right);
template <typename T, int rows, int left, typename layout, tile_operand B>
TK_LANGUAGE("concat_cols")
rt<T, rows, left + B::width, layout> concat_cols(const rt<T, rows, left, layout> &a, const B &b);
/// Two tiles one above the other: the rows of `a`, then those of `b`.
///
///     rt<float, 128, BN> x = concat_rows(upper, lower);
template <typename T, int upper, int cols, typename layout, tile_operand B>
TK_LANGUAGE("concat_rows")
rt<T, upper + B::height, cols, layout> concat_rows(const rt<T, upper, cols, layout> &a, const B &b);

/// The columns 0, 2, 4, ... of a tile with the layout tag `row`, whose columns are a multiple
/// of 32.
///
///     rt<float, BM, 32> real = even_cols(x), imaginary = odd_cols(x);
template <typename T, int rows, int cols, typename layout>
TK_LANGUAGE("even_cols")
rt<T, rows, cols / 2, layout> even_cols(const rt<T, rows, cols, layout> &x);
/// The columns 1, 3, 5, ...
template <typename T, int rows, int cols, typename layout>
TK_LANGUAGE("odd_cols")
rt<T, rows, cols / 2, layout> odd_cols(const rt<T, rows, cols, layout> &x);
/// The columns of two tiles interleaved, both with the layout tag `row`: column 2 j is column j of
/// `a`, and column 2 j + 1 that of `b`.
///
///     x = interleave_cols(even_cols(x), odd_cols(x));
template <typename T, int rows, int cols, typename layout, tile_operand B>
TK_LANGUAGE("interleave_cols")
rt<T, rows, 2 * cols, layout> interleave_cols(const rt<T, rows, cols, layout> &a, const B &b);
/// The columns 1, 0, 3, 2, ... of a tile with the layout tag `row`. No element leaves its thread,
/// but for tf32.
///
///     x = x * cosines + swap_pairs(x) * sines; // a rotation of each pair: cosines c c, sines -s s
template <typename T, int rows, int cols, typename layout>
TK_LANGUAGE("swap_pairs")
rt<T, rows, cols, layout> swap_pairs(const rt<T, rows, cols, layout> &x);

/// The transposed matrix, with the same layout tag. It moves data between threads;
/// `swap_layout(transpose(x))` moves none.
///
///     rt<bf16, BN, BM> t = transpose(p);
template <typename T, int rows, int cols, typename layout>
TK_LANGUAGE("transpose")
rt<T, cols, rows, layout> transpose(const rt<T, rows, cols, layout> &x);
/// Destination first: `transpose(to, x)` is `to = transpose(x)`.
template <value_operand To, value_operand X>
TK_LANGUAGE("transpose")
void transpose(To &to, const X &x);
/// A row vector with the values of a column vector.
///
///     rt<float, BM, BM> decay = exp(outer_sub(sums, transpose(sums)));
template <typename T, int n>
TK_LANGUAGE("transpose")
row_vec<T, n> transpose(const col_vec<T, n> &v);
/// A column vector with the values of a row vector.
template <typename T, int n>
TK_LANGUAGE("transpose")
col_vec<T, n> transpose(const row_vec<T, n> &v);

/// The same matrix with the other layout tag, as the second operand of a matmul in registers needs
/// it. It costs 4 movmatrix per 16 x 16 elements of 16 bits.
///
///     mma_AB(o, p, swap_layout(v));
template <typename T, int rows, int cols>
TK_LANGUAGE("swap_layout")
rt<T, rows, cols, col> swap_layout(const rt<T, rows, cols, row> &x);
/// The same matrix with the layout tag `row` in place of `col`.
template <typename T, int rows, int cols>
TK_LANGUAGE("swap_layout")
rt<T, rows, cols, row> swap_layout(const rt<T, rows, cols, col> &x);
/// Destination first: `swap_layout(to, x)` is `to = swap_layout(x)`.
template <tile_operand To, tile_operand X>
TK_LANGUAGE("swap_layout")
void swap_layout(To &to, const X &x);

#ifndef __TKC__
namespace detail {
/// Copies a part of `from` that begins at (i, j) to the part of `to` that begins at (k, l).
template <typename To, typename From>
void copy_part(To &to, int k, int l, const From &from, int i, int j, int rows, int cols) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      to.at(k + r, l + c) = from.at(i + r, j + c);
}

template <typename To, typename From> To part(const From &from, int i, int j) {
  static_assert(To::height <= From::height && To::width <= From::width,
                "a slice is not larger than its tile");
  To result;
  copy_part(result, 0, 0, from, i, j, To::height, To::width);
  return result;
}
} // namespace detail

template <tile_operand X> col_vec<typename X::element, X::height> column(const X &x, int j) {
  col_vec<typename X::element, X::height> result;
  for (int i = 0; i < X::height; ++i)
    result.at(i) = x.at(i, j);
  return result;
}
template <vector_operand To, tile_operand X> void column(To &to, const X &x, int j) {
  to = column(x, j);
}

template <int height, int width, typename T, int rows, int cols, typename layout>
rt<T, height, width, layout> slice(const rt<T, rows, cols, layout> &x, int i, int j) {
  return detail::part<rt<T, height, width, layout>>(x, i, j);
}
template <int height, int width, typename T, int rows, int cols>
st<T, height, width> slice(const st<T, rows, cols> &x, int i, int j) {
  return detail::part<st<T, height, width>>(x, i, j);
}
template <tile_operand To, tile_operand X> void slice(To &to, const X &x, int i, int j) {
  to = slice<To::height, To::width>(x, i, j);
}

template <typename T, int rows, int cols, typename layout>
rt<T, rows, cols / 2, layout> left_half(const rt<T, rows, cols, layout> &x) {
  return slice<rows, cols / 2>(x, 0, 0);
}
template <typename T, int rows, int cols, typename layout>
rt<T, rows, cols / 2, layout> right_half(const rt<T, rows, cols, layout> &x) {
  return slice<rows, cols / 2>(x, 0, cols / 2);
}
template <typename T, int rows, int cols, typename layout>
rt<T, rows / 2, cols, layout> upper_half(const rt<T, rows, cols, layout> &x) {
  return slice<rows / 2, cols>(x, 0, 0);
}
template <typename T, int rows, int cols, typename layout>
rt<T, rows / 2, cols, layout> lower_half(const rt<T, rows, cols, layout> &x) {
  return slice<rows / 2, cols>(x, rows / 2, 0);
}

template <typename T, int rows, int left, typename layout, tile_operand B>
rt<T, rows, left + B::width, layout> concat_cols(const rt<T, rows, left, layout> &a, const B &b) {
  static_assert(__is_same(B, rt<T, rows, B::width, layout>),
                "both tiles have as many rows, one element type and one layout");
  rt<T, rows, left + B::width, layout> result;
  detail::copy_part(result, 0, 0, a, 0, 0, rows, left);
  detail::copy_part(result, 0, left, b, 0, 0, rows, B::width);
  return result;
}
template <typename T, int upper, int cols, typename layout, tile_operand B>
rt<T, upper + B::height, cols, layout> concat_rows(const rt<T, upper, cols, layout> &a,
                                                   const B &b) {
  static_assert(__is_same(B, rt<T, B::height, cols, layout>),
                "both tiles have as many columns, one element type and one layout");
  rt<T, upper + B::height, cols, layout> result;
  detail::copy_part(result, 0, 0, a, 0, 0, upper, cols);
  detail::copy_part(result, upper, 0, b, 0, 0, B::height, cols);
  return result;
}

namespace detail {
template <typename T, int rows, int cols, typename layout>
rt<T, rows, cols / 2, layout> every_other_column(const rt<T, rows, cols, layout> &x, int first) {
  rt<T, rows, cols / 2, layout> result;
  for (int j = 0; j < cols / 2; ++j)
    copy_part(result, 0, j, x, 0, 2 * j + first, rows, 1);
  return result;
}
} // namespace detail

template <typename T, int rows, int cols, typename layout>
rt<T, rows, cols / 2, layout> even_cols(const rt<T, rows, cols, layout> &x) {
  return detail::every_other_column(x, 0);
}
template <typename T, int rows, int cols, typename layout>
rt<T, rows, cols / 2, layout> odd_cols(const rt<T, rows, cols, layout> &x) {
  return detail::every_other_column(x, 1);
}
template <typename T, int rows, int cols, typename layout, tile_operand B>
rt<T, rows, 2 * cols, layout> interleave_cols(const rt<T, rows, cols, layout> &a, const B &b) {
  static_assert(__is_same(B, rt<T, rows, cols, layout>), "both tiles are of one type");
  rt<T, rows, 2 * cols, layout> result;
  for (int j = 0; j < cols; ++j) {
    detail::copy_part(result, 0, 2 * j, a, 0, j, rows, 1);
    detail::copy_part(result, 0, 2 * j + 1, b, 0, j, rows, 1);
  }
  return result;
}
template <typename T, int rows, int cols, typename layout>
rt<T, rows, cols, layout> swap_pairs(const rt<T, rows, cols, layout> &x) {
  rt<T, rows, cols, layout> result;
  for (int j = 0; j < cols; ++j)
    detail::copy_part(result, 0, j, x, 0, j ^ 1, rows, 1);
  return result;
}

template <typename T, int rows, int cols, typename layout>
rt<T, cols, rows, layout> transpose(const rt<T, rows, cols, layout> &x) {
  rt<T, cols, rows, layout> result;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      result.at(j, i) = x.at(i, j);
  return result;
}
template <value_operand To, value_operand X> void transpose(To &to, const X &x) {
  to = transpose(x);
}
template <typename T, int n> row_vec<T, n> transpose(const col_vec<T, n> &v) {
  row_vec<T, n> result;
  for (int i = 0; i < n; ++i)
    result.at(i) = v.at(i);
  return result;
}
template <typename T, int n> col_vec<T, n> transpose(const row_vec<T, n> &v) {
  col_vec<T, n> result;
  for (int i = 0; i < n; ++i)
    result.at(i) = v.at(i);
  return result;
}

template <typename T, int rows, int cols>
rt<T, rows, cols, col> swap_layout(const rt<T, rows, cols, row> &x) {
  return detail::part<rt<T, rows, cols, col>>(x, 0, 0);
}
template <typename T, int rows, int cols>
rt<T, rows, cols, row> swap_layout(const rt<T, rows, cols, col> &x) {
  return detail::part<rt<T, rows, cols, row>>(x, 0, 0);
}
template <tile_operand To, tile_operand X> void swap_layout(To &to, const X &x) {
  static_assert(__is_same(To, decltype(swap_layout(x))),
                "the destination is the same tile with the other layout tag");
  to = swap_layout(x);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_SHAPES_H
