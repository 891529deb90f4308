//===- names.h - Short names of tiles and vectors -------------------------===//
//
// The space and the element type in four letters: rt_bf<16, 64> is
// rt<bf16, 16, 64>, sv_fl<64> is sv<float, 64>.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_NAMES_H
#define TK_LANGUAGE_NAMES_H

#include "vectors.h"

namespace tk {

/// A register tile of float: `rt_fl<64, 128>`, or `rt_fl<64, 128, col>`.
template <int rows, int cols, typename layout = row> using rt_fl = rt<float, rows, cols, layout>;
/// A register tile of bf16.
template <int rows, int cols, typename layout = row> using rt_bf = rt<bf16, rows, cols, layout>;
/// A register tile of half.
template <int rows, int cols, typename layout = row> using rt_hf = rt<half, rows, cols, layout>;
/// A register tile of tf32.
template <int rows, int cols, typename layout = row> using rt_tf = rt<tf32, rows, cols, layout>;
/// A register tile of e4m3.
template <int rows, int cols, typename layout = row> using rt_e4 = rt<e4m3, rows, cols, layout>;
/// A register tile of e5m2.
template <int rows, int cols, typename layout = row> using rt_e5 = rt<e5m2, rows, cols, layout>;
/// A register tile of int8.
template <int rows, int cols, typename layout = row> using rt_i8 = rt<int8, rows, cols, layout>;
/// A register tile of int32.
template <int rows, int cols, typename layout = row> using rt_i32 = rt<int32, rows, cols, layout>;

/// A shared tile of float: `st_fl<64, 128>`.
template <int rows, int cols> using st_fl = st<float, rows, cols>;
/// A shared tile of bf16.
template <int rows, int cols> using st_bf = st<bf16, rows, cols>;
/// A shared tile of half.
template <int rows, int cols> using st_hf = st<half, rows, cols>;
/// A shared tile of tf32.
template <int rows, int cols> using st_tf = st<tf32, rows, cols>;
/// A shared tile of e4m3.
template <int rows, int cols> using st_e4 = st<e4m3, rows, cols>;
/// A shared tile of e5m2.
template <int rows, int cols> using st_e5 = st<e5m2, rows, cols>;
/// A shared tile of int8.
template <int rows, int cols> using st_i8 = st<int8, rows, cols>;
/// A shared tile of int32.
template <int rows, int cols> using st_i32 = st<int32, rows, cols>;

/// A register vector of float: `rv_fl<64>` is a column vector, `rv_fl<64, row>` a row vector.
template <int n, typename orientation = col> using rv_fl = rv<float, n, orientation>;
/// A register vector of bf16.
template <int n, typename orientation = col> using rv_bf = rv<bf16, n, orientation>;
/// A register vector of half.
template <int n, typename orientation = col> using rv_hf = rv<half, n, orientation>;
/// A register vector of int32.
template <int n, typename orientation = col> using rv_i32 = rv<int32, n, orientation>;

/// A shared vector of float: `sv_fl<64>`.
template <int n> using sv_fl = sv<float, n>;
/// A shared vector of bf16.
template <int n> using sv_bf = sv<bf16, n>;
/// A shared vector of half.
template <int n> using sv_hf = sv<half, n>;
/// A shared vector of int32.
template <int n> using sv_i32 = sv<int32, n>;

} // namespace tk

#endif // TK_LANGUAGE_NAMES_H
