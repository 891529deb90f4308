//===- Names.cpp - Unique names in emitted C++ ----------------------------===//
#include "backend/Names.h"

#include "dialect/tk/ReservedNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::backend;

bool Names::isInScope(StringRef name) const {
  return llvm::any_of(scopes, [&](const llvm::StringSet<> &scope) { return scope.contains(name); });
}

bool Names::isTaken(StringRef name) const {
  return isReservedForVariables(name) || isInScope(name);
}

std::string Names::take(StringRef wanted) {
  // IR written by hand may hold names that are no identifiers; what begins with '_' is the
  // implementation's, and a number after does not tell a name from the runtime's.
  std::string base;
  for (char c : wanted)
    base += isAlnum(c) || c == '_' ? c : '_';
  if (base.empty() || isDigit(base.front()) || base.front() == '_')
    base.insert(0, "v");
  else if (hasRuntimePrefix(base))
    base.insert(0, "v_");

  std::string name = base;
  for (unsigned i = 2; isTaken(name); ++i)
    name = base + "_" + utostr(i);
  scopes.back().insert(name);
  return name;
}
