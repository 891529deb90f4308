//===- Expressions.h - Scalar values as C++ expressions -------------------===//
//
// A scalar op is printed where its value is used, so that a coordinate reads
// `m * 128 + consumer * 64` as a person would write it, with parentheses only
// where C++ needs them or host compilers ask for them. A value that the user named,
// or that is long and used more than once, gets a named constant instead.
//
// How an op is spelled is a table in the .cpp, one line per op.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_EXPRESSIONS_H
#define TKC_BACKEND_EXPRESSIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace tkc::backend {

/// C++'s, loosest first. An operand needs parentheses if it binds looser than its place asks.
enum class Precedence {
  Conditional,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Unary,
  Primary
};

struct Expression {
  std::string text;
  Precedence precedence = Precedence::Primary;
};

/// A template parameter of the kernel, as a constant of its plan.
struct Parameter {
  std::string userName, name;
  int64_t value;
};

class Expressions {
public:
  /// Names for the numbers of expressions; all of them must be in scope.
  llvm::ArrayRef<Parameter> parameters;

  /// The constant that stands for `userName` if it has this value; otherwise the number.
  std::string spellParameter(llvm::StringRef userName, int64_t value) const;

  /// From here on `value` is spelled `name`.
  void bind(mlir::Value value, llvm::StringRef name) { names[value] = name.str(); }
  bool isBound(mlir::Value value) const { return names.contains(value); }
  /// Null if it is not bound.
  const std::string *nameOf(mlir::Value value) const {
    auto known = names.find(value);
    return known == names.end() ? nullptr : &known->second;
  }
  /// Whether the launcher can compute it: not what a block loads or carries through a loop.
  bool isKnownAtLaunch(mlir::Value value) const;

  /// The value as text, in parentheses if it binds looser than `tightness`. A value without a
  /// spelling is reported at its place and gives some text; see `hadError`.
  std::string text(mlir::Value value, Precedence tightness = Precedence::Conditional);
  /// Each value, with commas between.
  std::string texts(mlir::ValueRange values);

  /// Whether a scalar op becomes a named constant rather than text at its uses.
  bool wantsName(mlir::Operation *op) const;

  /// In the body of a map, which only the GPU computes; other scalars the launcher may compute too.
  bool inMap = false;

  bool hadError() const { return !reported.empty(); }
  /// Reports that `op` cannot be emitted, once.
  void error(mlir::Operation *op, const llvm::Twine &message);

private:
  Expression spell(mlir::Value value);
  Expression spellOperator(mlir::Operation *op);
  /// An operand, by the name of the template parameter that it was in the source.
  std::string operandText(mlir::Operation *op, unsigned index,
                          Precedence tightness = Precedence::Conditional);
  unsigned countOperators(mlir::Value value) const;

  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::DenseSet<mlir::Operation *> reported;
};

/// "int" for i32; empty if the type has no spelling as a scalar.
llvm::StringRef scalarTypeName(mlir::Type type);

/// The value if it is a constant integer.
std::optional<int64_t> constantValue(mlir::Value value);

} // namespace tkc::backend

#endif // TKC_BACKEND_EXPRESSIONS_H
