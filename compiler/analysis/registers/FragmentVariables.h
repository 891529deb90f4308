//===- FragmentVariables.h - Which register values are one variable -------===//
//
// In the IR every operation makes a new value; in CUDA there are variables. This
// analysis says which values share one, in a role of the hopper dialect:
//
// - always: an MMA's accumulator and its result; what a loop carries, from its
//   initial value through the iteration argument and the yielded values to the
//   result; the yielded values of the branches of an `scf.if` and its result;
// - what has one number of registers (`registersAttrName`);
// - where nobody needs the old value any more: the result of an operation and an
//   operand that the user calls by the same name, `s = exp2(s)`.
//
// `hopper.copy` begins a new variable. tk-assign-variables inserts the copies
// without which the first group would hold two values at once.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_FRAGMENTVARIABLES_H
#define TKC_ANALYSIS_FRAGMENTVARIABLES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace tkc {

/// Of operations whose results share a variable: its number, which is the same for all of them
/// (passes/finish/ShareRegisters.cpp).
inline constexpr llvm::StringLiteral registersAttrName = "hopper.registers";

class FragmentVariables {
public:
  /// `inPlace` false leaves out the second group.
  explicit FragmentVariables(mlir::Operation *root, bool inPlace = true);

  /// The number of a value's variable, from 1 in program order; 0 for values that are not held in
  /// registers.
  unsigned lookup(mlir::Value value) const { return numbers.lookup(value.getAsOpaquePointer()); }

  /// How many variables there are.
  unsigned getCount() const { return members.size() - 1; }

  /// The values of a variable, in program order; what a loop or branch gives comes after its body.
  llvm::ArrayRef<mlir::Value> getMembers(unsigned variable) const { return members[variable]; }

  /// The values that are made while another value of their variable is still needed; none after
  /// tk-assign-variables.
  mlir::SmallVector<mlir::Value> getOverwriting() const;

  /// True if the two variables could be one.
  bool mayMerge(unsigned a, unsigned b) const;

private:
  void *leader(mlir::Value value) const;
  void join(mlir::Value a, mlir::Value b);
  void joinCarried(mlir::Operation *op);
  void number(mlir::Operation *root);
  void joinInPlace(mlir::Operation *op);
  bool haveOneName(mlir::Value operand, mlir::Value result) const;

  llvm::EquivalenceClasses<void *> classes;
  llvm::DenseMap<void *, unsigned> numbers; ///< of values
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> members;
};

} // namespace tkc

#endif // TKC_ANALYSIS_FRAGMENTVARIABLES_H
