//===- Postfix.h - Scalar values as postfix lists -------------------------===//
//
// The second spelling of what Expressions.h prints as C++, for programs that
// evaluate a launch at run time: ceil_div(C_rows, 128) is ["$C_rows", 128,
// "ceil_div"]. A number stands for itself and a string with a dollar for a value
// of the launch; any other string takes its operands from the stack. Integers
// are 32 bits wide and wrap; "fadd" and "fmul" are of doubles.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_POSTFIX_H
#define TKC_BACKEND_POSTFIX_H

#include "backend/Expressions.h"
#include "llvm/Support/JSON.h"

namespace tkc::backend {

class Postfix {
public:
  /// `values` knows the names of the launch's values.
  explicit Postfix(Expressions &values) : values(values) {}

  /// From here on `value` is spelled by this list.
  void bind(mlir::Value value, llvm::json::Array list) { lists[value] = std::move(list); }

  /// Appends `value` to `list`. A value without such a spelling is reported at its place.
  void append(mlir::Value value, llvm::json::Array &list);
  llvm::json::Array list(mlir::Value value);

private:
  Expressions &values;
  llvm::DenseMap<mlir::Value, llvm::json::Array> lists;
};

} // namespace tkc::backend

#endif // TKC_BACKEND_POSTFIX_H
