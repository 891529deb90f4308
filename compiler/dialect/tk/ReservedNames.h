//===- ReservedNames.h - Names that emitted code may not give -------------===//
//
// A kernel is a C function of its name, so it cannot have one that C++, CUDA, the
// C library or the runtime has given. A variable is the emitted text's own: it
// may not hide what that spells, nor be a macro, and is called otherwise then.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_TK_RESERVEDNAMES_H
#define TKC_DIALECT_TK_RESERVEDNAMES_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace tkc {

enum class NameOwner { Language, Runtime, RuntimeFunction, Spelled, Macro, Cuda, Library };

/// Who has a name that no C function of emitted code may have, or nothing.
std::optional<NameOwner> findOwnerOfFunction(llvm::StringRef name);

/// True if no variable of emitted code may have the name.
bool isReservedForVariables(llvm::StringRef name);

/// True for the names that begin as all of the runtime's C interface do.
bool hasRuntimePrefix(llvm::StringRef name);

} // namespace tkc

#endif // TKC_DIALECT_TK_RESERVEDNAMES_H
