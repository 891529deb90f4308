//===- FragmentVariables.h - Which fragments are one variable -------------===//
#ifndef TKC_ANALYSIS_FRAGMENTVARIABLES_H
#define TKC_ANALYSIS_FRAGMENTVARIABLES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace tkc {

/// Numbers the variables in registers inside an operation: fragments that carry on one another,
/// through products, loops and branches, share a number; a copy begins a new one.
class FragmentVariables {
public:
  explicit FragmentVariables(mlir::Operation *root);

  unsigned lookup(mlir::Value fragment) const { return numbers.lookup(leader(fragment)); }

private:
  void *leader(mlir::Value value) const;
  void join(mlir::Value a, mlir::Value b);

  llvm::EquivalenceClasses<void *> classes;
  llvm::DenseMap<void *, unsigned> numbers;
};

} // namespace tkc

#endif // TKC_ANALYSIS_FRAGMENTVARIABLES_H
