//===- Nesting.cpp - IR that MLIR's parser can read -----------------------===//
//
// MLIR's parser, verifier and printer call themselves for each level of a region, a
// type or an attribute, and end by a stack overflow where there are too many.
//
//===----------------------------------------------------------------------===//
#include "driver/Nesting.h"

#include "llvm/Support/thread.h"

using namespace llvm;

/// Committed only where it is used.
static constexpr unsigned stackBytes = 1u << 31;

/// The rest of `text` after a string that has begun; a string ends with its line at the latest.
static StringRef skipString(StringRef text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"' || text[i] == '\n')
      return text.drop_front(text[i] == '"' ? i + 1 : i);
  }
  return {};
}

std::optional<unsigned> tkc::findDeepNesting(StringRef ir) {
  unsigned line = 1, depth = 0, signs = 0; // '-' nests too: affine expressions are negated
  while (!ir.empty()) {
    char c = ir.front();
    if (ir.consume_front("//")) {
      ir = ir.drop_until([](char c) { return c == '\n'; });
      continue;
    }
    if (ir.consume_front("->") || ir.consume_front(">=") || ir.consume_front("<=")) {
      signs = 0;
      continue;
    }
    ir = ir.drop_front();
    if (c == '\n')
      ++line;
    if (c == '"')
      ir = skipString(ir);
    else if (StringRef("([{<").contains(c))
      ++depth;
    else if (StringRef(")]}>").contains(c) && depth > 0)
      --depth;
    signs = c == '-' ? signs + 1 : isspace(static_cast<unsigned char>(c)) ? signs : 0;
    if (depth + signs > deepestNesting)
      return line;
  }
  return std::nullopt;
}

int tkc::runWithLargeStack(function_ref<int()> work) {
  int result = 1;
  std::optional<unsigned> size = stackBytes;
  thread worker(size, [&] { result = work(); });
  worker.join();
  return result;
}
