//===- EmissionAttributes.h - From tk-legalize-for-emission to the backend ===//
#ifndef TKC_DIALECT_HOPPER_EMISSIONATTRIBUTES_H
#define TKC_DIALECT_HOPPER_EMISSIONATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace tkc::hopper {

/// On a `hopper.stage` or `hopper.slot`, a StringAttr: its tile is a constant of the emitted CUDA,
/// named so, or after its ring if that is empty. Without it, the tile is spelled where it is used.
inline constexpr llvm::StringLiteral tileNameAttrName = "hopper.tile_name";

/// A DenseI64ArrayAttr of any op: those of its results that overwrite what an MMA has left in their
/// registers, unread.
inline constexpr llvm::StringLiteral renewsAttrName = "hopper.renews";

/// On a `hopper.load_fragment` of 16-bit elements: the fragment is the transpose of the source.
inline constexpr llvm::StringLiteral transposedAttrName = "hopper.transposed";

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_EMISSIONATTRIBUTES_H
