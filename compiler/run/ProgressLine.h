//===- ProgressLine.h - How far long work is ------------------------------===//
#ifndef TKC_RUN_PROGRESSLINE_H
#define TKC_RUN_PROGRESSLINE_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>

namespace tkc::run {

/// On a terminal a bar in the last line of stderr, redrawn in place; elsewhere a line every ten
/// seconds. Nothing is shown of work that ends within a second.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// `done` of `total`; 0 of 0 if that is not known. `what` is what is being done.
  void show(unsigned done, unsigned total, llvm::StringRef what);
  /// Takes the bar away, so that something can be printed; the next show draws it again.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  bool isTerminal, isDrawn = false;
  Clock::time_point start = Clock::now(), last = start;
};

} // namespace tkc::run

#endif // TKC_RUN_PROGRESSLINE_H
