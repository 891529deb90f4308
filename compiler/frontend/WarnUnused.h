//===- WarnUnused.h - Tiles and vectors that are computed for nothing -----===//
//
// A tile that nothing uses costs registers, shared memory and time, and is mostly
// a mistake. A place of the source is warned of if no value that it gave is used:
// a function may be entered several times, a loop unrolled, a template compiled in
// several instances.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_WARNUNUSED_H
#define TKC_FRONTEND_WARNUNUSED_H

#include "mlir/IR/Value.h"
#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <string>

namespace clang {
class IfStmt;
class Stmt;
class ValueDecl;
} // namespace clang

namespace tkc {

/// The uses of the values that the variables of all instances got.
class UnusedValues {
public:
  struct Value {
    std::string name;                      // of the variable, as the user would write it
    clang::SourceLocation place, replaced; // where it got the value, and the next one
  };
  void note(const Value &value, bool isUsed);
  void warn(clang::DiagnosticsEngine &engine) const;

private:
  using Place = std::pair<unsigned, std::string>;
  struct Fate {
    Value value;
    bool isUsed;
  };
  llvm::MapVector<Place, Fate, std::map<Place, unsigned>> places;
};

/// The values that the variables of one instance get.
class WrittenValues {
public:
  explicit WrittenValues(UnusedValues &all) : all(all) {}

  /// A statement gives the variable `value` instead of `before`; `name` is what the user calls it.
  void note(const clang::ValueDecl *variable, std::string name, mlir::Value before,
            mlir::Value value, clang::SourceLocation statement);
  /// Statements of a branch that is not taken may be the uses of a value.
  void noteDiscarded(const clang::IfStmt *branch, const clang::Stmt *discarded);
  /// The instance is whole: whose value has no use has none.
  void finish();

private:
  struct Written {
    mlir::Operation *op;
    const clang::ValueDecl *variable;
    UnusedValues::Value fate;
  };
  UnusedValues &all;
  llvm::SmallVector<Written> written;
  /// The variables that branches which are not taken name; all, if those are not known.
  llvm::SmallPtrSet<const clang::ValueDecl *, 8> discarded;
  bool hasUnknownDiscarded = false;
};

} // namespace tkc

#endif // TKC_FRONTEND_WARNUNUSED_H
