//===- RegisterVariables.h - The tile variables of a role -----------------===//
//
// Which register tiles and vectors are one variable in CUDA is decided in one
// place, analysis/registers/FragmentVariables.h, which the passes that copy and that put
// fences use too. Here each of those variables gets a name, from the user's names of
// its values, and is known to be constant or not.
//
// A variable is declared where its first value is made. All others are made in
// the same block or deeper: they follow from it through operands, loops and
// branches. The result of a branch is the exception, so an `scf.if` declares the
// variables of its results before it.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_REGISTERVARIABLES_H
#define TKC_BACKEND_REGISTERVARIABLES_H

#include "analysis/registers/FragmentVariables.h"

namespace tkc::backend {

class RegisterVariables {
public:
  explicit RegisterVariables(mlir::Operation *role);

  /// The name under which the variable of `value` has been declared; empty before.
  llvm::StringRef getName(mlir::Value value) const { return names[variables.lookup(value)]; }
  void setName(mlir::Value value, llvm::StringRef name) {
    names[variables.lookup(value)] = name.str();
  }

  /// The user's name of the variable: as a loop carries it, or else as it is made first. Empty if
  /// nobody named it.
  llvm::StringRef getWantedName(mlir::Value value) const;

  /// Whether one operation gives the variable its only content.
  bool isConstant(mlir::Value value) const;

  /// The values that overwrite others which are still needed: none after tk-assign-variables.
  llvm::SmallVector<mlir::Value> getOverwriting() const { return variables.getOverwriting(); }

private:
  FragmentVariables variables;
  llvm::SmallVector<std::string> names;
};

} // namespace tkc::backend

#endif // TKC_BACKEND_REGISTERVARIABLES_H
