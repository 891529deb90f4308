//===- ImportTensors.h - Elements, parts and extents of tensors -----------===//
//
// Sequences that follow one another in a tensor are parts of it. A part is a tensor
// like others, of which one dimension has been cut down.
//
// A part lies within its tensor whatever its bounds are: they are cut down, too,
// since TMA is told of the part alone and would go beyond the tensor.
//
// Methods return null or false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTTENSORS_H
#define TKC_FRONTEND_IMPORTTENSORS_H

#include "frontend/ImportContext.h"

namespace tkc {

class ObjectImporter;
class ScalarImporter;

class TensorImporter : Importer {
public:
  TensorImporter(ImportContext &context, ScalarImporter &scalars, ObjectImporter &objects)
      : Importer(context), scalars(scalars), objects(objects) {}

  mlir::Value importTensor(const clang::Expr *expr);
  /// A member function of a tensor that gives a number, as `A.rows()`; nothing if `word` is none.
  std::optional<mlir::Value> importNumber(const clang::CallExpr *call, Word word);
  /// False, and an error, if `moved` cannot be loaded from the tensor, or stored to it, because
  /// that is a part of one.
  bool checkPart(mlir::Value tensor, mlir::Type moved, bool isStored, const clang::Expr *place);

private:
  /// The extent of the dimension that many before the last one; 1 if there is none.
  mlir::Value importExtent(const clang::CallExpr *call, int64_t fromLast);
  mlir::Value importElement(const clang::CXXMemberCallExpr *call);
  mlir::Value importPart(const clang::CXXMemberCallExpr *call, int64_t fromLast);

  ScalarImporter &scalars;
  ObjectImporter &objects;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTTENSORS_H
