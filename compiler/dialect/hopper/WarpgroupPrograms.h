//===- WarpgroupPrograms.h - Loops that each warpgroup has as its own -----===//
#ifndef TKC_DIALECT_HOPPER_WARPGROUPPROGRAMS_H
#define TKC_DIALECT_HOPPER_WARPGROUPPROGRAMS_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tkc::hopper {

/// Marks a branch of which one warpgroup takes the first side, and the others the second one: each
/// side is their program alone, and they hand tiles over to each other.
inline constexpr llvm::StringLiteral ownProgramAttrName = "hopper.own_program";

/// The side of such a branch that holds `op`, the innermost one: null outside of them.
inline mlir::Region *getOwnProgram(mlir::Operation *op) {
  for (; op; op = op->getParentOp())
    if (mlir::Region *region = op->getParentRegion();
        region && region->getParentOp() && region->getParentOp()->hasAttr(ownProgramAttrName))
      return region;
  return nullptr;
}

/// Whether a warpgroup takes the first side of a branch, if its condition is a comparison of the
/// role's index with a constant: nothing otherwise.
std::optional<bool> takesThen(mlir::scf::IfOp branch, RoleOp role, int64_t warpgroup);

/// False if branches on the role's index keep a warpgroup from `op`.
bool comesTo(mlir::Operation *op, RoleOp role, int64_t warpgroup);

/// The outermost branch on the role's index that holds `op`, but not `other`; null if there is
/// none.
mlir::Operation *getOwnBranch(mlir::Operation *op, mlir::Operation *other);

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_WARPGROUPPROGRAMS_H
