//===- tile/global.h - Tensors that threads reach by themselves -----------===//
//
// Tiles travel by TMA. A vector of results is too small for it, and rows that an
// index names lie anywhere; so these are ordinary loads and stores, each one
// checked against the tensor's extents: what lies outside is not written and
// reads as zero. A gl asks nothing of strides and alignment.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_GLOBAL_H
#define TK_TILE_GLOBAL_H

#include <ptx/atomic.h>
#include <ptx/memory.h>
#include <tile/map.h>
#include <tile/output.h>
#include <tile/parameters.h>

namespace tk {

// [first, last) of one of its dimensions, from which places count.
template <int dimension, typename T, int rank> TK_DEVICE gl<T, rank> part(gl<T, rank> tensor, int first, int last) {
  tensor.data = static_cast<char *>(tensor.data) + first * tensor.strides[dimension];
  tensor.extents[dimension] = last - first;
  return tensor;
}

// `origin`, further on in one dimension.
template <int rank> struct tensor_place {
  int at[rank];

  TK_DEVICE tensor_place(const int (&origin)[rank], int dimension, int offset) {
#pragma unroll
    for (int i = 0; i < rank; ++i)
      at[i] = origin[i] + (i == dimension ? offset : 0);
  }
};

struct write_element {
  template <typename T> static TK_DEVICE void at(void *address, number_of<T> value) {
    if constexpr (sizeof(T) == 4)
      st_global_b32(address, bits_of<T>(value));
    else if constexpr (sizeof(T) == 2)
      st_global_b16(address, uint16_t(bits_of<T>(value)));
    else
      st_global_b8(address, uint16_t(bits_of<T>(value)));
  }
};
struct accumulate_element {
  template <typename T> static TK_DEVICE void at(void *address, number_of<T> value) {
    add_element<T>(address, bits_of<T>(value));
  }
};
// The larger element stays, or the smaller one; a NaN changes nothing.
template <bool largest> struct keep_extreme {
  template <typename N> static TK_DEVICE bool beats(N a, N b) { return largest ? a > b : a < b; }

  // Floats of one sign are ordered as their bits are, those below zero the other way round; and as integers with a sign
  // all of these are below zero, too.
  static TK_DEVICE void keep(void *address, float value) {
    const uint32_t bits = as_bits(value);
    if (value != value)
      return;
    if ((int(bits) < 0) == largest)
      largest ? red_global_min_u32(address, bits) : red_global_min_s32(address, int(bits));
    else
      largest ? red_global_max_s32(address, int(bits)) : red_global_max_u32(address, bits);
  }

  template <typename T> static TK_DEVICE void at(void *address, number_of<T> value) {
    static_assert(sizeof(T) > 1, "8-bit elements are not compared in memory: use a wider type");
    if constexpr (is_same<T, int>) {
      largest ? red_global_max_s32(address, value) : red_global_min_s32(address, value);
    } else if constexpr (sizeof(T) == 4) {
      keep(address, value_of<float>(bits_of<T>(value)));
    } else {
      const uint16_t bits = uint16_t(bits_of<T>(value));
      uint16_t old = ld_global_b16(address);
      while (beats(value, value_of<T>(old))) {
        const uint16_t seen = atom_global_cas_b16(address, old, bits);
        if (seen == old)
          break;
        old = seen;
      }
    }
  }
};

// Writes a vector; of the threads that hold a value, one writes it: for columns the first of a quad, for rows a quad of
// the first warp. `place_of(i, same)` gives the place of element i along the last dimension, counted from `origin`;
// `same(vector)` is that element of another vector with the same layout.
template <typename how, int, typename T, int rank, typename U, int rows, int warps, typename P>
TK_DEVICE void write_vector(const gl<T, rank> &tensor, const int (&origin)[rank], const col_vec<U, rows, warps> &source,
                            P place_of) {
  const element_place<warps> place;
  if (place.first_col == 0)
#pragma unroll
    for (int m_block = 0; m_block < col_vec<U, rows, warps>::m_blocks; ++m_block)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const auto same = [&](const auto &vector) { return vector.values[m_block][half]; };
        const tensor_place<rank> to(origin, rank - 1, place_of(place.row(m_block, 2 * half), same));
        if (tensor.holds(to.at))
          how::template at<T>(tensor.address(to.at), rounded<T>(same(source)));
      }
}
template <typename how, int warps, typename T, int rank, typename U, int cols, typename P>
TK_DEVICE void write_vector(const gl<T, rank> &tensor, const int (&origin)[rank], const row_vec<U, cols> &source,
                            P place_of) {
  const element_place<warps> place;
#pragma unroll
  for (int first = 0; first < cols / 8; first += 8)
    if (place.first_row < 8 && first + place.first_row < cols / 8)
#pragma unroll
      for (int odd = 0; odd < 2; ++odd) {
        const auto same = [&](const auto &vector) { return vector.choose(first, place.first_row, odd); };
        const int i = place.col(4 * (first + place.first_row) + odd);
        const tensor_place<rank> to(origin, rank - 1, place_of(i, same));
        if (tensor.holds(to.at))
          how::template at<T>(tensor.address(to.at), rounded<T>(same(source)));
      }
}

struct element_order {
  template <typename S> TK_DEVICE int operator()(int i, const S &) const { return i; }
};

// By a warpgroup, or a warp for its own (store<1> for a row_vec): the vector's first element goes to `origin`, the
// others follow along the last dimension.
template <int warps = 4, typename T, int rank, typename V>
TK_DEVICE void store(const gl<T, rank> &tensor, const int (&origin)[rank], const V &source) {
  write_vector<write_element, warps>(tensor, origin, source, element_order());
}

// The same, adding to the elements there.
template <int warps = 4, typename T, int rank, typename V>
TK_DEVICE void store_add(const gl<T, rank> &tensor, const int (&origin)[rank], const V &source) {
  write_vector<accumulate_element, warps>(tensor, origin, source, element_order());
}

//===----------------------------------------------------------------------===//
// Rows given by an index
//===----------------------------------------------------------------------===//

// An element's place along the last dimension.
struct tensor_column {
  int i;
  uint64_t offset; // bytes from a row's first element
};

template <typename T, int rank> TK_DEVICE tensor_column column_of(const gl<T, rank> &tensor, int i) {
  return {i, uint64_t(int64_t(i)) * uint64_t(tensor.strides[rank - 1])};
}

// A row of a tensor. Rows and columns are computed once, and under no condition, for all elements that share them: each
// element then costs a comparison, an addition and an access under a predicate. Stores of vectors do not use them,
// since nvcc would keep a row in registers through the surrounding loop (Mamba-2's gradients spilled).
struct tensor_row {
  uint64_t first; // address of its first element
  int extent;     // 0 if the row is outside the tensor

  TK_DEVICE bool holds(tensor_column column) const { return unsigned(column.i) < unsigned(extent); }
  TK_DEVICE char *address(tensor_column column) const { return reinterpret_cast<char *>(first + column.offset); }
};

// The row of `origin`, or the one `down` rows below it.
template <typename T, int rank>
TK_DEVICE tensor_row row_of(const gl<T, rank> &tensor, const int (&origin)[rank], int down = 0) {
  uint64_t first = reinterpret_cast<uint64_t>(tensor.data);
  bool is_inside = true;
#pragma unroll
  for (int i = 0; i < rank - 1; ++i) {
    const int at = origin[i] + (i == rank - 2 ? down : 0);
    first += uint64_t(int64_t(at)) * uint64_t(tensor.strides[i]);
    is_inside = is_inside && unsigned(at) < unsigned(tensor.extents[i]);
  }
  return {first, is_inside ? tensor.extents[rank - 1] : 0};
}

// The rows of a tensor that an index gives to a fragment's rows, and the columns that they share.
template <typename T, int rank, int rows, int warps> struct indexed_rows {
  static constexpr int m_blocks = rows / (16 * warps);

  const gl<T, rank> &tensor;
  tensor_row row[m_blocks][2];
  int first_col;

  template <typename V>
  TK_DEVICE indexed_rows(const gl<T, rank> &tensor, const int (&origin)[rank], const V &index)
      : tensor(tensor), first_col(origin[rank - 1]) {
#pragma unroll
    for (int m_block = 0; m_block < m_blocks; ++m_block)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        row[m_block][half] = row_of(tensor, origin, element(index, m_block, 2 * half));
  }

  // Calls visit(row, column, m64 block, i) for `width` neighbours of each row at once.
  template <int cols, int width = 1, typename F> TK_DEVICE void for_each(const F &visit) const {
    const element_place<warps> place;
#pragma unroll
    for (int group = 0; group < cols / 2; group += 4)
#pragma unroll
      for (int odd = 0; odd < 2; odd += width) {
        const tensor_column column = column_of(tensor, first_col + place.col(group + odd));
#pragma unroll
        for (int m_block = 0; m_block < m_blocks; ++m_block)
#pragma unroll
          for (int half = 0; half < 2; ++half)
            visit(row[m_block][half], column, m_block, group + 2 * half + odd);
      }
  }
};

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

template <typename how, typename T> TK_DEVICE void write_if(bool condition, void *address, number_of<T> value) {
  if constexpr (!is_same<how, write_element>) {
    if (condition)
      how::template at<T>(address, value);
  } else if constexpr (sizeof(T) == 4) {
    st_global_if_b32(condition, address, bits_of<T>(value));
  } else if constexpr (sizeof(T) == 2) {
    st_global_if_b16(condition, address, uint16_t(bits_of<T>(value)));
  } else {
    st_global_if_b8(condition, address, uint16_t(bits_of<T>(value)));
  }
}

template <typename how, int, typename T, int rank, typename U, int rows, int cols, int warps, typename V>
TK_DEVICE void write_named(const gl<T, rank> &tensor, const int (&origin)[rank], const rt<U, rows, cols, warps> &source,
                           const V &index) {
  const indexed_rows<T, rank, rows, warps> indexed(tensor, origin, index);
  indexed.template for_each<cols>([&](const tensor_row &row, tensor_column to, int m_block, int i) {
    write_if<how, T>(row.holds(to), row.address(to), rounded<T>(element(source, m_block, i)));
  });
}
template <typename how, int warps, typename T, int rank, typename X, typename V>
TK_DEVICE void write_named(const gl<T, rank> &tensor, const int (&origin)[rank], const X &vector, const V &index) {
  write_vector<how, warps>(tensor, origin, vector, [&](int, const auto &same) { return same(index); });
}

// By a warpgroup, or a warp for its own (scatter<1> for a row_vec). Row i of a tile goes to the tensor's row index[i],
// counted from `origin`, where its columns begin; element i of a vector to the tensor's element index[i].
template <int warps = 4, typename T, int rank, typename X, typename V>
TK_DEVICE void scatter(const gl<T, rank> &tensor, const int (&origin)[rank], const X &source, const V &index) {
  write_named<write_element, warps>(tensor, origin, source, index);
}

// The same, adding to the elements there, or keeping the larger or the smaller ones.
template <int warps = 4, typename T, int rank, typename X, typename V>
TK_DEVICE void scatter_max(const gl<T, rank> &tensor, const int (&origin)[rank], const X &source, const V &index) {
  write_named<keep_extreme<true>, warps>(tensor, origin, source, index);
}
template <int warps = 4, typename T, int rank, typename X, typename V>
TK_DEVICE void scatter_min(const gl<T, rank> &tensor, const int (&origin)[rank], const X &source, const V &index) {
  write_named<keep_extreme<false>, warps>(tensor, origin, source, index);
}
template <int warps = 4, typename T, int rank, typename X, typename V>
TK_DEVICE void scatter_add(const gl<T, rank> &tensor, const int (&origin)[rank], const X &source, const V &index) {
  write_named<accumulate_element, warps>(tensor, origin, source, index);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

template <typename T> TK_DEVICE number_of<T> read_if(bool condition, const void *address) {
  if constexpr (sizeof(T) == 4)
    return value_of<T>(ld_global_if_b32(condition, address));
  else if constexpr (sizeof(T) == 2)
    return value_of<T>(ld_global_if_b16(condition, address));
  else
    return value_of<T>(ld_global_if_b8(condition, address));
}

// The element at this place, or zero. A single one shares nothing with others, so a branch is cheapest.
template <bool is_relaxed, typename T, int rank>
TK_DEVICE number_of<T> read_element(const gl<T, rank> &tensor, const int (&at)[rank]) {
  if (!tensor.holds(at))
    return number_of<T>(0);
  const void *address = tensor.address(at);
  if constexpr (sizeof(T) == 4)
    return value_of<T>(is_relaxed ? ld_global_relaxed_b32(address) : ld_global_b32(address));
  else if constexpr (sizeof(T) == 2)
    return value_of<T>(is_relaxed ? ld_global_relaxed_b16(address) : ld_global_b16(address));
  else
    return value_of<T>(is_relaxed ? ld_global_relaxed_b8(address) : ld_global_b8(address));
}
template <typename T, int rank> TK_DEVICE number_of<T> load_element(const gl<T, rank> &tensor, const int (&at)[rank]) {
  return read_element<false>(tensor, at);
}

// The same before griddepcontrol_wait, past L1: the kernel before may still write the element, so it is good for hints
// alone.
template <typename T, int rank>
TK_DEVICE number_of<T> load_element_early(const gl<T, rank> &tensor, const int (&at)[rank]) {
  return read_element<true>(tensor, at);
}

// True if neighbours in even and odd columns from `origin` on are eight bytes that one access may move.
template <typename T, int rank> TK_DEVICE bool has_pairs(const gl<T, rank> &tensor, const int (&origin)[rank]) {
  int64_t places = reinterpret_cast<int64_t>(tensor.data) | (origin[rank - 1] | tensor.extents[rank - 1]) * 4;
#pragma unroll
  for (int i = 0; i < rank - 1; ++i)
    places |= tensor.strides[i];
  return places % 8 == 0 && tensor.strides[rank - 1] == 4;
}

template <typename T, int rows, int cols, int warps, typename U, int rank, typename V>
TK_DEVICE void gather_into(rt<T, rows, cols, warps> &result, const gl<U, rank> &tensor, const int (&origin)[rank],
                           const V &index) {
  const indexed_rows<U, rank, rows, warps> indexed(tensor, origin, index);
  number_of<U> values[rows / (16 * warps)][cols / 2];
  // Element by element, a warp would visit each sector of 32 bytes twice. Tiles of 64 registers are worth having the
  // code of both ways; with half of that, Mamba-2 lost .7 to 1.8 % on an H200.
  constexpr bool is_large =
      rows * cols / (32 * warps) >= 64 && sizeof(T) == 4 && sizeof(U) == 4 && !has_operand_order<T>;
  if (is_large && has_pairs(tensor, origin))
    indexed.template for_each<cols, 2>([&](const tensor_row &row, tensor_column from, int m_block, int i) {
      uint32_t left, right;
      ld_global_if_v2_b32(row.holds(from), row.address(from), left, right);
      values[m_block][i] = value_of<U>(left), values[m_block][i + 1] = value_of<U>(right);
    });
  else
    indexed.template for_each<cols>([&](const tensor_row &row, tensor_column from, int m_block, int i) {
      values[m_block][i] = read_if<U>(row.holds(from), row.address(from));
    });
  compute(result, [&](int m_block, int i) { return values[m_block][i]; });
}
template <typename R, typename U, int rank, typename V>
TK_DEVICE void gather_into(R &result, const gl<U, rank> &tensor, const int (&origin)[rank], const V &index) {
  const tensor_row row = row_of(tensor, origin);
  compute(result, [&](int m_block, int i) {
    const tensor_column from = column_of(tensor, origin[rank - 1] + element(index, m_block, i));
    return read_if<U>(row.holds(from), row.address(from));
  });
}

// By a warpgroup, or a warp for its own. Of a tile, row i comes from the tensor's row index[i], counted from `origin`,
// and its columns begin there; of a vector, element i is the tensor's element index[i], counted from `origin`.
template <typename R, typename T, int rank, typename V>
TK_DEVICE R gather(const gl<T, rank> &tensor, const int (&origin)[rank], const V &index) {
  R result;
  gather_into(result, tensor, origin, index);
  return result;
}

} // namespace tk

#endif // TK_TILE_GLOBAL_H
