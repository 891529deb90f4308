//===- ImportPosition.h - How far the import of a kernel has come ---------===//
//
// Which statement is being imported, in how many loops and blocks, after how many
// others: loops are unrolled and functions entered where they are called, so a short
// program may mean a great many statements.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTPOSITION_H
#define TKC_FRONTEND_IMPORTPOSITION_H

#include "frontend/Messages.h"

namespace tkc {

class ImportPosition {
public:
  explicit ImportPosition(clang::DiagnosticsEngine &engine) : engine(engine) {}

  clang::SourceLocation statement; // the one that is being imported
  unsigned loops = 0;              // around it
  unsigned nesting = 0;            // of loops, branches and blocks

  /// Counts a statement; false, and an error the first time, if unrolling and inlining make too
  /// many.
  bool countWork(clang::SourceLocation place) {
    if (++work == mostWork)
      report(engine, place, Message::too_much_work) << mostWork;
    return work < mostWork;
  }

  /// False, and an error, if loops, branches and blocks nest too deep.
  bool mayNest(clang::SourceLocation place) {
    if (nesting == deepestNesting)
      report(engine, place, Message::nested_too_deep) << deepestNesting;
    return nesting < deepestNesting;
  }

private:
  /// Far more than anybody writes; passes may recurse that deep.
  static constexpr unsigned deepestNesting = 64;
  /// And far more than a kernel of the machine's size has.
  static constexpr unsigned mostWork = 100'000;

  clang::DiagnosticsEngine &engine;
  unsigned work = 0; // statements imported so far
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTPOSITION_H
