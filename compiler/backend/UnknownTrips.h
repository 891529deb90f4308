//===- UnknownTrips.h - Loops whose count only the blocks know ------------===//
#ifndef TKC_BACKEND_UNKNOWNTRIPS_H
#define TKC_BACKEND_UNKNOWNTRIPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tkc::backend {

/// How many of a number that only the blocks know one iteration takes: 8 in a loop to
/// `cdiv(parts, 8)`, 1 if the bound says nothing of the kind. Kernels that take different numbers
/// at once can be compared so.
inline int64_t getTakenAtOnce(mlir::scf::ForOp loop) {
  auto count = loop.getUpperBound().getDefiningOp<mlir::arith::CeilDivSIOp>();
  llvm::APInt taken;
  if (!count || !mlir::matchPattern(loop.getLowerBound(), mlir::m_Zero()) ||
      !mlir::matchPattern(count.getRhs(), mlir::m_ConstantInt(&taken)) ||
      !taken.isStrictlyPositive())
    return 1;
  return taken.getSExtValue();
}

} // namespace tkc::backend

#endif // TKC_BACKEND_UNKNOWNTRIPS_H
