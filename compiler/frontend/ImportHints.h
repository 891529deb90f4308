//===- ImportHints.h - Choices that the user makes for the compiler -------===//
#ifndef TKC_FRONTEND_IMPORTHINTS_H
#define TKC_FRONTEND_IMPORTHINTS_H

#include "frontend/ImportContext.h"

namespace tkc {

class ScalarImporter;

/// A member function of `grid(...)` or `pipeline(...)`, with its constant arguments.
struct Hint {
  Word word;
  llvm::SmallVector<int64_t, 2> values;
  clang::SourceLocation place;

  /// Writes a hint of `grid` down.
  void set(tk::KernelOp kernel, tk::GridOp grid) const;
};

class HintImporter : Importer {
public:
  HintImporter(ImportContext &context, ScalarImporter &scalars)
      : Importer(context), scalars(scalars) {}

  /// The hints around a call of `grid` or `pipeline`, outermost first; `range` becomes that call.
  /// Nothing after an error, which was reported.
  std::optional<llvm::SmallVector<Hint>> importHints(const clang::Expr *&range);

private:
  bool check(const Hint &hint, const clang::CXXMemberCallExpr *call);

  ScalarImporter &scalars;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTHINTS_H
