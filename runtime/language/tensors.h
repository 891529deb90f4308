//===- tensors.h - Tensors in global memory -------------------------------===//
#ifndef TK_LANGUAGE_TENSORS_H
#define TK_LANGUAGE_TENSORS_H

#include "numbers.h"
#include "types.h"

namespace tk {

/// A number of a place that counts elements where others count tiles or vectors, so that a tile
/// begins at any row: of loads, in the last two dimensions. It may be negative. In the last one it
/// is a multiple of 16 bytes, by a constant factor.
///
///     rt<float, 64, 64> above = load(X, {elements(m * 64 - 1), n});
class TK_LANGUAGE("elements") elements {
public:
  /// The element number `i`.
  explicit elements(int i);

#ifndef __TKC__
  int count() const { return i; }

private:
  int i;
#endif
};

/// Where a tile lies in a tensor: one number per dimension, slowest first, as in `{b, h, m, 0}`.
/// The last two count tiles, so that `{m, k}` is the tile whose first row is `m * rows` and whose
/// first column is `k * cols`; the others count elements.
class TK_LANGUAGE("place") place {
public:
  /// A place in one dimension.
  place(int i);
  /// A place in two dimensions: row and column.
  place(int i, int j);
  /// A place in three dimensions: depth, row and column.
  place(int i, int j, int k);
  /// A place in four dimensions: batch, depth, row and column.
  place(int i, int j, int k, int l);
  /// Places that count elements in a dimension, or in both of the last two.
  place(elements i);
  /// The same with the last index in elements.
  place(int i, elements j);
  /// The same with the row in elements.
  place(elements i, int j);
  /// The same with both in elements.
  place(elements i, elements j);
  /// Of three dimensions, the last index in elements.
  place(int i, int j, elements k);
  /// Of three dimensions, the row in elements.
  place(int i, elements j, int k);
  /// Of three dimensions, row and last index in elements.
  place(int i, elements j, elements k);
  /// Of four dimensions, the last index in elements.
  place(int i, int j, int k, elements l);
  /// Of four dimensions, the row in elements.
  place(int i, int j, elements k, int l);
  /// Of four dimensions, row and last index in elements.
  place(int i, int j, elements k, elements l);
  /// A place of a tile that is loaded from several matrices, the pages of a cache: part i of its
  /// rows is in matrix `pages[i]`. The parts have as many rows each, a multiple of 8, and the row
  /// of the place counts parts.
  ///
  ///     st<bf16, 4 * 16, D> k = load(K, {pages, 0, 0});   int pages[4]
  template <int count> place(const int (&pages)[count], int j, int k);
  /// The same in four dimensions: batch, depth, row and column.
  template <int count> place(const int (&pages)[count], int j, int k, int l);

#ifndef __TKC__
  int operator[](int dimension) const { return at[dimension]; }
  /// The first element in a dimension that counts tiles, or vectors, of `size`.
  long long first(int dimension, int size) const {
    return inElements[dimension] ? at[dimension] : static_cast<long long>(at[dimension]) * size;
  }
  /// How many pages the rows of a tile are parts of.
  int parts() const { return partCount; }
  /// The place in one of them.
  place in_page(int part) const {
    place result = *this;
    result.at[0] = pages[part];
    return result;
  }

private:
  int at[4];
  bool inElements[4] = {};
  int partCount = 1;
  int pages[64];
#endif
};

/// A tensor in global memory: a view with up to four dimensions, slowest first, of memory that the
/// caller owns. An extent of -1 is known at launch, and so are all strides; the last dimension is
/// contiguous. Without extents it is a matrix whose size is known at launch.
///
///     gl<bf16> A                     a matrix
///     gl<bf16, -1, -1, -1, 128> Q    batch, depth, rows, and 128 columns
template <typename T, int... extents> class TK_LANGUAGE("gl") gl {
public:
  /// How many dimensions the tensor has.
  static constexpr int rank = sizeof...(extents) == 0 ? 2 : sizeof...(extents);
  static_assert(rank <= 4, "a tensor has 1 to 4 dimensions");

  /// The extent of the last dimension but one; 1 if there is none.
  TK_LANGUAGE("rows") int rows() const;
  /// The extent of the last dimension, the contiguous one.
  TK_LANGUAGE("cols") int cols() const;
  /// The extent of the dimension before the rows; 1 if there is none.
  TK_LANGUAGE("depth") int depth() const;
  /// The extent of the first of four dimensions; 1 if there are fewer.
  TK_LANGUAGE("batch") int batch() const;

  /// One element, as a number: zero outside the tensor. The kernel does not write to the tensor.
  TK_LANGUAGE("element") typename detail::numbers<T>::type at(int i) const;
  /// The element of a matrix at row `i` and column `j`.
  TK_LANGUAGE("element") typename detail::numbers<T>::type at(int i, int j) const;
  /// The element of a tensor of three dimensions.
  TK_LANGUAGE("element") typename detail::numbers<T>::type at(int i, int j, int k) const;
  /// The element of a tensor of four dimensions.
  TK_LANGUAGE("element") typename detail::numbers<T>::type at(int i, int j, int k, int l) const;

  /// The rows from `first` up to and without `last`, as a tensor of that many rows: places count
  /// from `first`, and what lies after the part is outside. Both are within the tensor, or moved
  /// there; no place may lie above the part.
  ///
  ///     auto q = Q.rows(Starts.at(b), Starts.at(b + 1));   one sequence of many
  TK_LANGUAGE("part_of_rows") gl rows(int first, int last) const;
  /// The same along the last dimension, for vectors.
  TK_LANGUAGE("part_of_cols") gl cols(int first, int last) const;

#ifndef __TKC__
  /// A view of `data` with these extents and strides (both counted in elements).
  gl(T *data, const long long *sizes, const long long *steps) : data(data) {
    for (int i = 0; i < rank; ++i) {
      extent[i] = sizes[i];
      stride[i] = steps[i];
    }
  }

  /// The element at row `i` and column `j` of the matrix that `at` selects with its first
  /// dimensions, or null if that lies outside the tensor.
  T *find(const place &at, long long i, long long j) const {
    long long index[rank];
    for (int d = 0; d < rank; ++d) {
      index[d] = d == rank - 1 ? j : d == rank - 2 ? i : at[d];
      if (index[d] < 0 || index[d] >= extent[d])
        return nullptr;
    }
    if (inFragments)
      moveToFragment(index);
    long long offset = 0;
    for (int d = 0; d < rank; ++d)
      offset += index[d] * stride[d];
    return rank == 1 && i != 0 ? nullptr : data + offset;
  }

  /// Row i, column j of a tile of that many rows and columns at this place, or null.
  T *find(const place &at, int rows, int cols, int i, int j) const {
    const long long left = at.first(rank - 1, cols);
    const int part = rows / at.parts();
    const long long top = rank < 2 ? 0 : at.first(rank - 2, part);
    if (part == rows)
      return find(at, top + i, left + j);
    return find(at.in_page(i / part), top + i % part, left + j);
  }

protected:
  bool inFragments = false; // as gl_fragments are

private:
  static constexpr int lastExtent() {
    int last = -1;
    ((last = extents), ...);
    return last;
  }

  /// From an element's place in a gl_fragments to where it lies in memory.
  static void moveToFragment(long long (&index)[rank]) {
    constexpr int cols = lastExtent();
    const long long j = index[rank - 1];
    if constexpr (rank == 1 || cols < 0) {
      index[rank - 1] = j / 16 * 16 + j % 8 / 2 * 4 + j % 16 / 8 * 2 + j % 2;
    } else {
      const long long i = index[rank - 2];
      const long long lane = i % 8 * 4 + j % 8 / 2,
                      at = j / 8 * 128 + lane * 4 + i % 16 / 8 * 2 + j % 2;
      index[rank - 2] = i / 16 * 16 + at / cols;
      index[rank - 1] = at % cols;
    }
  }

  number_of<T> number(const place &at, int i, int j) const {
    const T *element = find(at, i, j);
    return element ? static_cast<number_of<T>>(*element) : 0;
  }
  gl part(int dimension, int first, int last) const {
    gl result = *this;
    if (dimension < 0) // a vector has no rows
      return result;
    const int size = static_cast<int>(extent[dimension]);
    const int end = last < 0 ? 0 : last < size ? last : size;
    const int begin = first < 0 ? 0 : first < end ? first : end;
    result.data += begin * stride[dimension];
    result.extent[dimension] = end - begin;
    return result;
  }

  int size(int fromLast) const {
    return fromLast < rank ? static_cast<int>(extent[rank - 1 - fromLast]) : 1;
  }

  T *data;
  long long extent[rank];
  long long stride[rank];
#endif
};

/// A tensor of 4-byte elements whose memory has the order of MMA fragments: each 16 rows and 8
/// columns are consecutive, as the 32 lanes of a warp hold them, 4 elements each; of a tensor whose
/// last extent is not compiled in, so are each 16 elements of that dimension. Threads move its
/// tiles and vectors between registers and memory 16 bytes at a time. Both a kernel that stores to
/// such a tensor and the next one, which loads from it, declare it so. Its rows (of vectors: its
/// elements) are a multiple of 16.
///
///     gl_fragments<float, -1, -1, -1, 128> Sum   added to by one kernel, read by the next
template <typename T, int... extents>
class TK_LANGUAGE("gl_fragments") gl_fragments : public gl<T, extents...> {
#ifndef __TKC__
public:
  gl_fragments(T *data, const long long *sizes, const long long *steps)
      : gl<T, extents...>(data, sizes, steps) {
    this->inFragments = true;
  }
#endif
};

#ifndef __TKC__
inline elements::elements(int i) : i(i) {}
inline place::place(int i) : at{i}, pages{i} {}
inline place::place(int i, int j) : at{i, j}, pages{i} {}
inline place::place(int i, int j, int k) : at{i, j, k}, pages{i} {}
inline place::place(int i, int j, int k, int l) : at{i, j, k, l}, pages{i} {}
inline place::place(elements i) : at{i.count()}, inElements{true} {}
inline place::place(int i, elements j) : at{i, j.count()}, inElements{false, true} {}
inline place::place(elements i, int j) : at{i.count(), j}, inElements{true} {}
inline place::place(elements i, elements j) : at{i.count(), j.count()}, inElements{true, true} {}
inline place::place(int i, int j, elements k)
    : at{i, j, k.count()}, inElements{false, false, true} {}
inline place::place(int i, elements j, int k) : at{i, j.count(), k}, inElements{false, true} {}
inline place::place(int i, elements j, elements k)
    : at{i, j.count(), k.count()}, inElements{false, true, true} {}
inline place::place(int i, int j, int k, elements l)
    : at{i, j, k, l.count()}, inElements{false, false, false, true} {}
inline place::place(int i, int j, elements k, int l)
    : at{i, j, k.count(), l}, inElements{false, false, true} {}
inline place::place(int i, int j, elements k, elements l)
    : at{i, j, k.count(), l.count()}, inElements{false, false, true, true} {}
template <int count>
place::place(const int (&pages)[count], int j, int k) : at{pages[0], j, k}, partCount(count) {
  static_assert(count <= 64, "a tile has at most 64 pages");
  for (int i = 0; i < count; ++i)
    this->pages[i] = pages[i];
}
template <int count>
place::place(const int (&pages)[count], int j, int k, int l)
    : at{pages[0], j, k, l}, partCount(count) {
  static_assert(count <= 64, "a tile has at most 64 pages");
  for (int i = 0; i < count; ++i)
    this->pages[i] = pages[i];
}

template <typename T, int... extents>
typename detail::numbers<T>::type gl<T, extents...>::at(int i) const {
  static_assert(rank == 1, "an element has one number per dimension");
  return number({i}, 0, i);
}
template <typename T, int... extents>
typename detail::numbers<T>::type gl<T, extents...>::at(int i, int j) const {
  static_assert(rank == 2, "an element has one number per dimension");
  return number({i, j}, i, j);
}
template <typename T, int... extents>
typename detail::numbers<T>::type gl<T, extents...>::at(int i, int j, int k) const {
  static_assert(rank == 3, "an element has one number per dimension");
  return number({i, j, k}, j, k);
}
template <typename T, int... extents>
typename detail::numbers<T>::type gl<T, extents...>::at(int i, int j, int k, int l) const {
  static_assert(rank == 4, "an element has one number per dimension");
  return number({i, j, k, l}, k, l);
}
template <typename T, int... extents> int gl<T, extents...>::rows() const { return size(1); }
template <typename T, int... extents> int gl<T, extents...>::cols() const { return size(0); }
template <typename T, int... extents> int gl<T, extents...>::depth() const { return size(2); }
template <typename T, int... extents> int gl<T, extents...>::batch() const { return size(3); }
template <typename T, int... extents>
gl<T, extents...> gl<T, extents...>::rows(int first, int last) const {
  return part(rank - 2, first, last);
}
template <typename T, int... extents>
gl<T, extents...> gl<T, extents...>::cols(int first, int last) const {
  return part(rank - 1, first, last);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_TENSORS_H
