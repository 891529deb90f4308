//===- InstanceNames.h - Names of kernels and of their instances ----------===//
//
// An instance of a kernel that is a template has a name as a C function, and a
// spelling as its author writes it.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_INSTANCENAMES_H
#define TKC_FRONTEND_INSTANCENAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace clang {
class DeclRefExpr;
class FunctionDecl;
} // namespace clang

namespace tkc {

/// "gemm_64_128" for "gemm<64, 128>".
std::string nameOfInstance(llvm::StringRef text);

/// The function after a name in `instantiate`; null if it is none.
const clang::FunctionDecl *namedFunction(const clang::DeclRefExpr *reference);

/// "BM = 128, BN = 256", or without names "128, 256".
std::string templateArguments(const clang::FunctionDecl *function, bool withNames);

/// "gemm<64, 128>" with the arguments that the user wrote, or with all of them.
std::string writeInstance(const clang::DeclRefExpr *reference, bool withDefaults = false);

/// "attention_64_bm192_bn128": an instance of the choice `name`, by the parameters in which the
/// instances of that choice differ.
std::string nameOfAlternative(llvm::StringRef name, const clang::FunctionDecl *function,
                              llvm::ArrayRef<const clang::DeclRefExpr *> kernels);

} // namespace tkc

#endif // TKC_FRONTEND_INSTANCENAMES_H
