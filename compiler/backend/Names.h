//===- Names.h - Unique names in emitted C++ ------------------------------===//
//
// A name is taken while its scope is open, and an inner scope takes no name of
// an outer one, so that every name can be used wherever C++ can see it. Names of
// C++, macros, CUDA and the runtime are taken from the start: a tile that the user
// calls `store` must not hide tk::store.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_NAMES_H
#define TKC_BACKEND_NAMES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <string>

namespace tkc::backend {

class Names {
public:
  Names() : scopes(1) {}

  /// Takes `wanted`, or `wanted_2`, `wanted_3`, ... if it is taken.
  std::string take(llvm::StringRef wanted);

  /// Whether `name` is a variable that can be used here.
  bool isInScope(llvm::StringRef name) const;

  /// The names taken during its life are free again after it.
  class Scope {
  public:
    explicit Scope(Names &names) : names(names) { names.scopes.emplace_back(); }
    ~Scope() { names.scopes.pop_back(); }

  private:
    Names &names;
  };

private:
  bool isTaken(llvm::StringRef name) const;

  std::deque<llvm::StringSet<>> scopes;
};

} // namespace tkc::backend

#endif // TKC_BACKEND_NAMES_H
