//===- ProgressLine.cpp - How far long work is ----------------------------===//
#include "run/ProgressLine.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tkc::run;

ProgressLine::ProgressLine() : isTerminal(sys::Process::StandardErrIsDisplayed()) {}

/// "#########.................", `width` characters.
static std::string bar(unsigned done, unsigned total, unsigned width) {
  unsigned filled = unsigned(uint64_t(done) * width / total);
  return std::string(filled, '#') + std::string(width - filled, '.');
}

void ProgressLine::show(unsigned done, unsigned total, StringRef what) {
  using namespace std::chrono_literals;
  Clock::time_point now = Clock::now();
  if (now - start < 1s || now - last < (isTerminal ? 100ms : 10s))
    return;
  last = now;
  double seconds = std::chrono::duration<double>(now - start).count();
  std::string text = formatv("{0:f0} s  {1}", seconds, what);
  if (total)
    text = formatv("[{0}] {1} of {2}, {3:f0} s, {4}", bar(done, total, 24), done, total, seconds,
                   what);
  if (total && done)
    text += formatv(", about {0:f0} s left", seconds * (total - done) / done).str();
  if (!isTerminal) {
    errs() << text << "\n";
    return;
  }
  unsigned columns = sys::Process::StandardErrColumns();
  if (columns && text.size() >= columns)
    text.resize(columns - 1);
  errs() << "\r" << text << "\033[K";
  errs().flush();
  isDrawn = true;
}

void ProgressLine::clear() {
  if (!isDrawn)
    return;
  errs() << "\r\033[K";
  errs().flush();
  isDrawn = false;
}
