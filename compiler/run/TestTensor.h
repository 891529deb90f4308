//===- TestTensor.h - Tensors that notice stray reads and writes ----------===//
//
// A test tensor lies in a buffer with room before and after it, its rows further
// apart than they are long. Whatever is no element holds NaN: a kernel that reads
// beyond an extent carries it into its result, and one that writes there changes
// bytes that are kept. Outputs start as NaN too, so that an element that is never written is
// found.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_RUN_TESTTENSOR_H
#define TKC_RUN_TESTTENSOR_H

#include "run/Signature.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <random>

namespace tkc::run {

class TestTensor {
public:
  /// Rows are padded to 16 bytes, as TMA wants it, and by `padding` times 16 more. `take` gives the
  /// memory.
  TestTensor(tk_dtype type, std::vector<int64_t> extents, int64_t padding,
             llvm::function_ref<uint8_t *(size_t bytes)> take);

  /// The view that a kernel gets.
  tk_tensor view();
  tk_dtype type() const { return elementType; }

  /// Normally distributed numbers times `scale`; integers are uniform, from 0 to below `limit` of
  /// 32 bits, from -8 to 8 of 8 bits, so that sums of products stay exact in a float.
  void fill(std::mt19937_64 &random, double scale, int64_t limit);
  /// Row numbers of a tensor with this many rows, and now and then of one that it does not have;
  /// no two are the same, if they are to be distinct.
  void fillWithRows(std::mt19937_64 &random, int64_t rows, bool areDistinct);

  /// For each element: its index and where it is, slowest dimension first.
  void
  forEach(llvm::function_ref<void(const std::vector<int64_t> &index, size_t offset)> visit) const;
  const uint8_t *at(size_t offset) const { return buffer + offset; }

  /// All bytes, to compare or restore them later.
  std::vector<uint8_t> save() const;
  void restore(const std::vector<uint8_t> &bytes);
  /// Whether each byte that belongs to no element is as it was then.
  bool surroundingsEqual(const std::vector<uint8_t> &bytes) const;
  /// Whether every byte is as it was then.
  bool equals(const std::vector<uint8_t> &bytes) const;

private:
  tk_dtype elementType;
  std::vector<int64_t> extents, strides; // strides in elements
  uint8_t *buffer;                       // at a multiple of 1024 bytes
  size_t bytes;                          // of the buffer

  /// For each row: the index of its first element and where that is. Rows have no gaps.
  template <typename Visit> void forEachRow(Visit visit) const;
};

} // namespace tkc::run

#endif // TKC_RUN_TESTTENSOR_H
