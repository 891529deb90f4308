//===- TemplateParameters.h - Which numbers are the user's parameters -----===//
//
// Passes compute with numbers. So that emitted text says BM where the source
// does, names travel beside the numbers: an operator names the parameters that
// its constant operands were in the source, and the kernel knows the extents of
// each variable's type as it was written. Nothing but the printer reads them. A
// name that a pass loses costs only the name: the number is printed.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_TK_TEMPLATEPARAMETERS_H
#define TKC_DIALECT_TK_TEMPLATEPARAMETERS_H

#include "mlir/IR/Operation.h"

namespace tkc::tk {

/// Of a kernel: its int parameters in the order of the template, [{BM = 128 : i32}, ...].
inline constexpr llvm::StringLiteral parametersAttrName = "tk.parameters";

/// Of a kernel: the parameters that the extents of a variable are, {acc = ["BM", "BN"]}; "" for an
/// extent that is none. Variables of one name with different extents have no entry.
inline constexpr llvm::StringLiteral extentsAttrName = "tk.extents";

/// Of an operator: the parameters that its constant operands are, ["BM"].
inline constexpr llvm::StringLiteral namedOperandsAttrName = "tk.named_operands";

/// Says that a constant operand of the operator that computes `result` is `parameter`; nothing if
/// the operator has been folded away, or if `parameter` is empty.
void nameOperand(mlir::Value result, llvm::StringRef parameter);

/// The parameter that extent `dim` of the type of `variable` is, a type with `rank` extents; empty
/// if none is known. `kernel` is a kernel of either dialect.
llvm::StringRef getExtentName(mlir::Operation *kernel, llvm::StringRef variable, unsigned rank,
                              unsigned dim);

/// Says that the variable `to`, which a pass makes, has the extents of `from`.
void shareExtents(mlir::Operation *kernel, llvm::StringRef from, llvm::StringRef to);

/// Hands on what a kernel knows of its parameters.
void copyParameters(mlir::Operation *from, mlir::Operation *to);

/// The user's name of the variable that holds `value`, also where a loop or branch hands it on.
llvm::StringRef getVariableName(mlir::Value value);

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_TEMPLATEPARAMETERS_H
