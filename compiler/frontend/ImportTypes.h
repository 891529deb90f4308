//===- ImportTypes.h - Types of the language to types of the tk dialect ---===//
//
// A value of the language is a scalar, a tile, a vector or a tensor; everything
// else is a struct or an array of them.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTTYPES_H
#define TKC_FRONTEND_IMPORTTYPES_H

#include "dialect/tk/Tk.h"
#include "frontend/Vocabulary.h"

#include "clang/AST/Type.h"

#include <string>

namespace tkc {

class TypeImporter {
public:
  TypeImporter(mlir::MLIRContext &context, clang::ASTContext &ast, Vocabulary &language)
      : context(context), ast(ast), language(language) {}

  /// `int`, `float`, `bool` or an enum of int; null for any other type, and nothing is reported.
  mlir::Type scalar(clang::QualType type) const;

  /// True for `rt` and `st`, for `rv` and `sv`, for `gl`; a reference to one is one.
  bool isTile(clang::QualType type) const;
  bool isVector(clang::QualType type) const;
  bool isGlobal(clang::QualType type) const;
  /// True for types of one SSA value: a scalar, tile, vector or tensor.
  bool isValue(clang::QualType type) const;

  /// The type of a tile, a vector or a global tensor. Null after an error, which was reported at
  /// `place`.
  tk::TileType tile(clang::QualType type, clang::SourceLocation place) const;
  tk::TileVectorType vector(clang::QualType type, clang::SourceLocation place) const;
  tk::GlobalType global(clang::QualType type, clang::SourceLocation place) const;
  /// The type of whatever is one value.
  mlir::Type value(clang::QualType type, clang::SourceLocation place) const;

private:
  mlir::Type element(clang::QualType type, clang::SourceLocation place) const;

  mlir::MLIRContext &context;
  clang::ASTContext &ast;
  Vocabulary &language;
};

/// A type of elements, tiles or vectors as the user writes it: "rt<bf16, 64, 32>".
std::string spell(mlir::Type type);

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTTYPES_H
