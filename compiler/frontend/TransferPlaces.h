//===- TransferPlaces.h - Where loads and stores go -----------------------===//
//
// The place of a transfer is written in braces: `load(A, {m, k})`. In a tensor it
// counts tiles of the size that is moved, in shared memory parts of that size.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_TRANSFERPLACES_H
#define TKC_FRONTEND_TRANSFERPLACES_H

#include "frontend/BuiltinCall.h"

namespace tkc {

using Indices = llvm::SmallVector<mlir::Value, 4>;

/// A tensor, and the indices of a place in it. Null after an error, which was reported.
mlir::Value importTensorAt(BuiltinCall &builtin, const clang::Expr *tensor,
                           const clang::Expr *place, bool forTile, Indices &indices);

/// The indices of a part of a shared tile or vector; none if it is the whole. False after an error.
bool importPart(BuiltinCall &builtin, const clang::Expr *place, tk::ElementsInterface whole,
                const clang::Expr *wholeExpr, mlir::Type part, Indices &indices);

/// The numbers by which a tile's rows, or a vector's elements, are gathered or scattered, as i32;
/// null after an error.
mlir::Value importRowNumbers(BuiltinCall &builtin, const clang::Expr *expr,
                             tk::ElementsInterface moved, bool isScatter);

/// How elements of a tensor are combined with those that this builtin stores; nothing if it
/// replaces them.
std::optional<tk::Combine> combinationOf(Word word);

/// Elements that are combined have 16 bits or more. False after an error.
bool checkCombined(BuiltinCall &builtin, mlir::Value tensor);

/// The cache policy that `expr`, the last argument of a load or store, says. Nothing after an
/// error.
std::optional<tk::CachePolicy> importCachePolicy(BuiltinCall &builtin, const clang::Expr *expr,
                                                 bool isStore);

/// A tile moves between registers and a shared tile, a vector between registers and a shared
/// vector. False, and an error, for anything else.
bool checkSharedMove(BuiltinCall &builtin, tk::ElementsInterface registers, const Operand &shared);

/// The type of layout 'row' in which memory is read and written.
tk::ElementsInterface inRows(tk::ElementsInterface type);

} // namespace tkc

#endif // TKC_FRONTEND_TRANSFERPLACES_H
