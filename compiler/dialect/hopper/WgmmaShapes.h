//===- WgmmaShapes.h - Legal MMAs as a table ------------------------------===//
//
// One wgmma multiplies 64 rows by N columns over a fixed depth of K. Which depth,
// and whether a shared operand may be contiguous along M or N, depends on the
// operands' type (PTX ISA, "wgmma.mma_async", tables of shapes and of the
// transpose immediates).
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_HOPPER_WGMMASHAPES_H
#define TKC_DIALECT_HOPPER_WGMMASHAPES_H

#include "mlir/IR/Types.h"
#include <optional>

namespace tkc::hopper {

/// The MMAs of one operand type.
struct WgmmaKind {
  int64_t depth;   ///< elements of K in one instruction
  bool transposes; ///< operands may be contiguous along M or N
};

/// MMAs of two operands of this type, if there are any: into i32 of i8, into f32 of the others.
std::optional<WgmmaKind> getWgmmaKind(mlir::Type operand);

/// The width of one instruction of an MMA `n` columns wide: the largest that cuts it into equal
/// parts. Parts of an MMA wider than one instruction are whole swizzle-atom columns of B if B is
/// contiguous along N. runtime/hopper/tile/mma.h chooses the same.
int64_t getInstructionWidth(int64_t n, bool isBContiguousAlongN, int64_t atomCols);

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_WGMMASHAPES_H
