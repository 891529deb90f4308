//===- Hopper.h - The one header of the hopper dialect --------------------===//
#ifndef TKC_DIALECT_HOPPER_HOPPER_H
#define TKC_DIALECT_HOPPER_HOPPER_H

#include "dialect/hopper/HopperInterfaces.h"
#include "dialect/tk/Tk.h"

namespace tkc::hopper {

// The resources that order the ops of this dialect against each other.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "SharedMemory"; }
};
struct Barriers : mlir::SideEffects::Resource::Base<Barriers> {
  llvm::StringRef getName() final { return "Barriers"; }
};
struct Cursors : mlir::SideEffects::Resource::Base<Cursors> {
  llvm::StringRef getName() final { return "Cursors"; }
};
struct Registers : mlir::SideEffects::Resource::Base<Registers> {
  llvm::StringRef getName() final { return "Registers"; }
};
struct TensorCores : mlir::SideEffects::Resource::Base<TensorCores> {
  llvm::StringRef getName() final { return "TensorCores"; }
};

/// Marks an `scf.for` with constant bounds that the emitted CUDA unrolls; every other loop is kept
/// rolled.
inline constexpr llvm::StringLiteral unrollAttrName = "hopper.unroll";
/// On an scf.if that a pass has made: why it stands there, for the emitted text.
inline constexpr llvm::StringLiteral becauseAttrName = "hopper.because";

/// A BoolAttr of an `scf.for`: whether warpgroups ping-pong at starting its MMAs.
inline constexpr llvm::StringLiteral pingpongWarpgroupsAttrName = "hopper.pingpong_warpgroups";

} // namespace tkc::hopper

#include "dialect/hopper/HopperDialect.h.inc"
#include "dialect/hopper/HopperEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/hopper/HopperAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/hopper/HopperTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/hopper/HopperOps.h.inc"

namespace tkc::hopper {

/// Whether the value is a register tile or vector, which lives in a variable.
inline bool isInRegisters(mlir::Value value) {
  return mlir::isa<FragmentType, FragmentVectorType>(value.getType());
}

/// How the runtime's functions call a reduction: "sum", "max".
llvm::StringRef getReductionName(tk::Combine combine);

/// The ring in whose bytes a ring lies: the one that it lies over, or itself.
mlir::Value getMemory(mlir::Value ring);

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_HOPPER_H
