//===- SharedPlaces.h - Which part of shared memory a value names ---------===//
//
// Two accesses that never touch the same bytes need no barrier between them, and
// two that only ever meet within one warpgroup need a smaller one. Both follow
// from numbers: which tile of a ring, and which of its rows, each as a multiple
// of something that is not known, often the warpgroup's index, plus a constant.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_SHAREDPLACES_H
#define TKC_ANALYSIS_SHAREDPLACES_H

#include "dialect/hopper/Hopper.h"
#include "llvm/ADT/DenseMap.h"

namespace tkc {

/// base * scale + offset; without a base, a constant.
struct SharedNumber {
  mlir::Value base;
  int64_t scale = 1;
  int64_t offset = 0;
  bool isUnknown = false;

  static SharedNumber constant(int64_t number) { return {{}, 1, number}; }
  static SharedNumber unknown() { return {{}, 1, 0, true}; }
  bool isConstant() const { return !base && !isUnknown; }
  /// True if the difference to `other` is known.
  bool isComparable(const SharedNumber &other) const {
    return !isUnknown && !other.isUnknown && base == other.base && (!base || scale == other.scale);
  }
  auto getKey() const { return std::tuple(base.getAsOpaquePointer(), scale, offset, isUnknown); }
};

/// Some rows and columns of a tile of a ring.
struct SharedPlace {
  mlir::Value ring; ///< null if unknown
  SharedNumber tile;
  SharedNumber firstRow;
  int64_t rows = 0;
  SharedNumber firstCol;
  int64_t cols = 0;

  auto getKey() const {
    return std::tuple(ring.getAsOpaquePointer(), tile.getKey(), firstRow.getKey(), rows,
                      firstCol.getKey(), cols);
  }
  bool operator<(const SharedPlace &other) const { return getKey() < other.getKey(); }
  bool operator==(const SharedPlace &other) const { return getKey() == other.getKey(); }
};

class SharedPlaces {
public:
  explicit SharedPlaces(hopper::RoleOp role);

  /// Within the unrolled loop with this counter.
  void setCounter(mlir::Value counter, int64_t value) { counters[counter] = value; }
  void forgetCounter(mlir::Value counter) { counters.erase(counter); }

  SharedPlace getPlace(mlir::Value shared) const;

  /// True if one warpgroup may touch the same bytes through both.
  bool mayOverlap(const SharedPlace &a, const SharedPlace &b) const;

  /// True unless the columns of the two are surely others.
  bool mayMeetInColumns(const SharedPlace &a, const SharedPlace &b) const;

  /// True if one warpgroup may touch through `a` what another one touches through `b`.
  bool mayCross(const SharedPlace &a, const SharedPlace &b) const;

private:
  SharedNumber evaluate(mlir::Value value) const;
  bool isInvariant(mlir::Value value) const;
  bool isApart(const SharedNumber &a, int64_t aExtent, const SharedNumber &b,
               int64_t bExtent) const;

  mlir::Operation *role;
  mlir::Value index; ///< of the warpgroup, null if the role has none
  int64_t warpgroups;
  llvm::DenseMap<mlir::Value, int64_t> counters;
};

} // namespace tkc

#endif // TKC_ANALYSIS_SHAREDPLACES_H
