//===- Constants.h - Constants of a kernel --------------------------------===//
//
// Constants stand at the top of the kernel, once each. A value computed from constants
// is one, so template parameters leave no trace in the IR.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_CONSTANTS_H
#define TKC_FRONTEND_CONSTANTS_H

#include "frontend/ClangAst.h"

#include <optional>

namespace tkc {

class Constants {
public:
  explicit Constants(mlir::OpBuilder &builder) : builder(builder) {}

  /// The first block of the kernel, for constants to stand in.
  void begin(mlir::Block *block) { entry = block; }

  mlir::Value get(mlir::TypedAttr value, mlir::Location loc);
  mlir::Value get(int32_t value, mlir::Location loc) {
    return get(builder.getI32IntegerAttr(value), loc);
  }

  /// The constant that a fresh op computes, if its operands are constants; else its result.
  mlir::Value fold(mlir::Value result);

  /// The number that an integer or a condition is known to be.
  static std::optional<int64_t> valueOf(mlir::Value value);

private:
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Attribute, mlir::Value> known;
  mlir::Operation *last = nullptr;
  mlir::Block *entry = nullptr;
};

} // namespace tkc

#endif // TKC_FRONTEND_CONSTANTS_H
