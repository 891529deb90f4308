//===- ExtentEquality.h - Dimensions that one index walks -----------------===//
#ifndef TKC_ANALYSIS_EXTENTEQUALITY_H
#define TKC_ANALYSIS_EXTENTEQUALITY_H

#include "dialect/hopper/Hopper.h"

namespace tkc {

/// The pairs of dimensions of a kernel's arguments that must be equal, as an array of
/// `#hopper.equal_extent`, ordered by argument and dimension. Each dimension of a class of equal
/// ones is paired with the first of its class; static extents that agree need no check. Fails with
/// an error at the second access if two static extents disagree.
mlir::FailureOr<mlir::ArrayAttr> getEqualExtents(tk::KernelOp kernel);

/// Where a pass that changes the indices of loads leaves what getEqualExtents gave before it: in
/// the program as it was written, one index walked the dimensions.
inline constexpr llvm::StringLiteral equalExtentsAttrName = "tk.equal_extents";

/// Elements by which one index moves a load or store of this tile or vector along the dimension
/// that is `fromEnd` (1: the last) from the end of the tensor's.
int64_t getAccessStep(mlir::Type accessed, int64_t fromEnd);

} // namespace tkc

#endif // TKC_ANALYSIS_EXTENTEQUALITY_H
