//===- ImportTypes.h - rt, st, gl and scalars to types of the tk dialect --===//
#ifndef TKC_FRONTEND_IMPORTTYPES_H
#define TKC_FRONTEND_IMPORTTYPES_H

#include "dialect/tk/Tk.h"
#include "frontend/Vocabulary.h"

#include "clang/AST/Type.h"

namespace tkc {

class TypeImporter {
public:
  TypeImporter(mlir::MLIRContext &context, clang::ASTContext &ast, Vocabulary &language)
      : context(context), ast(ast), language(language) {}

  /// `int`, `float` or `bool`; null for any other type, and nothing is reported.
  mlir::Type scalar(clang::QualType type) const;

  /// True for `rt` and `st`.
  bool isTile(clang::QualType type) const;
  bool isGlobal(clang::QualType type) const;

  /// The type of a tile or a global tensor. Null after an error, which was reported at `place`.
  tk::TileType tile(clang::QualType type, clang::SourceLocation place) const;
  tk::GlobalType global(clang::QualType type, clang::SourceLocation place) const;

private:
  mlir::Type element(clang::QualType type, clang::SourceLocation place) const;

  mlir::MLIRContext &context;
  clang::ASTContext &ast;
  Vocabulary &language;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTTYPES_H
