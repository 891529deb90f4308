//===- Tk.h - The one header of the tk dialect ----------------------------===//
#ifndef TKC_DIALECT_TK_TK_H
#define TKC_DIALECT_TK_TK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tkc::tk {

/// The resource that loads read and stores write: all of global memory.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "GlobalMemory"; }
};

/// Tk_InTilePrograms and Tk_SameOnFragments of TkInterfaces.td.
template <typename ConcreteType>
class InTilePrograms : public mlir::OpTrait::TraitBase<ConcreteType, InTilePrograms> {};
template <typename ConcreteType>
class SameOnFragments : public mlir::OpTrait::TraitBase<ConcreteType, SameOnFragments> {};

/// The name of the attribute that marks a pipelined `scf.for`.
inline constexpr llvm::StringLiteral pipelineAttrName = "tk.pipeline";

/// The name of the argument attribute that holds the user's name of a kernel argument.
inline constexpr llvm::StringLiteral argumentNameAttrName = "tk.name";

/// By how many columns an MMA's sums make its accumulator wider: the least that an instruction
/// can.
inline constexpr int64_t columnsOfOnes = 8;

/// Bits that an element takes in memory and in registers: 32 for tf32, which MLIR counts as 19.
inline unsigned getStorageBits(mlir::Type elementType) {
  return elementType.isTF32() ? 32 : elementType.getIntOrFloatBitWidth();
}

} // namespace tkc::tk

#include "dialect/tk/TkDialect.h.inc"
#include "dialect/tk/TkEnums.h.inc"
#include "dialect/tk/TkOpInterfaces.h.inc"
#include "dialect/tk/TkTypeInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/tk/TkAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/tk/TkTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/tk/TkOps.h.inc"

#endif // TKC_DIALECT_TK_TK_H
