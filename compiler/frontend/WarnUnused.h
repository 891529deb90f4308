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

#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <string>

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

} // namespace tkc

#endif // TKC_FRONTEND_WARNUNUSED_H
