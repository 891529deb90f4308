//===- ObjectLayout.h - Structs and arrays as rows of values --------------===//
//
// The importer turns variables into SSA values. A struct or an array is nothing
// but its parts: an object has one slot for each scalar, tile, vector or tensor
// in it, in the order of bases, fields and elements, and a part of an object is a
// range of its slots.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_OBJECTLAYOUT_H
#define TKC_FRONTEND_OBJECTLAYOUT_H

#include "frontend/ImportTypes.h"

#include <optional>
#include <string>

namespace tkc {

/// A variable, a temporary or a part of one: as many slots as its type has values, from `first`.
struct Object {
  clang::QualType type;
  unsigned first = 0;
};

class ObjectLayout {
public:
  ObjectLayout(clang::ASTContext &ast, Vocabulary &language, const TypeImporter &types)
      : ast(ast), language(language), types(types) {}

  /// How many values an object of this type holds. Nothing after an error, which was reported at
  /// `place`: the type has a part that the language has not.
  std::optional<unsigned> count(clang::QualType type, clang::SourceLocation place);

  /// A part of an object whose type has been counted.
  Object field(Object object, const clang::FieldDecl *field);
  Object base(Object object, const clang::CXXRecordDecl *base);
  Object element(Object array, unsigned index);

  /// The type of the value in slot `index` of an object of a counted type.
  clang::QualType typeOf(clang::QualType type, unsigned index);
  /// How a person writes that part, and how an identifier spells it: ".best[1]", "_best_1".
  std::string pathOf(clang::QualType type, unsigned index);
  std::string suffixOf(clang::QualType type, unsigned index);

private:
  std::optional<unsigned> countRecord(const clang::CXXRecordDecl *record,
                                      clang::SourceLocation place);
  bool isSupported(const clang::CXXRecordDecl *record, clang::SourceLocation place);
  unsigned counted(clang::QualType type);
  /// Goes down to the value in slot `index`; `step` sees the name of each field ("best") or the
  /// number of each element ("[1]") on the way.
  clang::QualType descend(clang::QualType type, unsigned index,
                          llvm::function_ref<void(llvm::StringRef field, unsigned element)> step);

  clang::ASTContext &ast;
  Vocabulary &language;
  const TypeImporter &types;
  llvm::DenseMap<const clang::Type *, std::optional<unsigned>> counts;
};

} // namespace tkc

#endif // TKC_FRONTEND_OBJECTLAYOUT_H
