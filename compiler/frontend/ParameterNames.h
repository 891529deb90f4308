//===- ParameterNames.h - Template parameters as the source names them ----===//
//
// Clang computes every template parameter, so the IR has numbers only. Its AST
// still says where a parameter stood: in an expression, and among the arguments
// of a type as it was written. (dialect/tk/TemplateParameters.h)
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_PARAMETERNAMES_H
#define TKC_FRONTEND_PARAMETERNAMES_H

#include "frontend/Vocabulary.h"

#include "mlir/IR/Operation.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace tkc {

class ParameterNames {
public:
  explicit ParameterNames(Vocabulary &language) : language(language) {}

  /// The kernel whose parameters count from now on; those of inlined functions have no names.
  void begin(const clang::FunctionDecl *instance);

  /// The parameter that an expression is, parentheses and conversions aside; empty if it is none.
  llvm::StringRef find(const clang::Expr *expr) const;

  /// Says that the IR has a variable `name` of this type.
  void noteVariable(llvm::StringRef name, clang::QualType type);

  /// Writes the known names down, on the kernel.
  void attach(mlir::Operation *kernel) const;

private:
  using Extents = llvm::SmallVector<llvm::StringRef, 2>;
  Extents findExtents(clang::QualType type) const;

  Vocabulary &language;
  llvm::MapVector<const clang::NamedDecl *, int32_t> parameters;
  llvm::StringMap<Extents> variables;
};

} // namespace tkc

#endif // TKC_FRONTEND_PARAMETERNAMES_H
