//===- Nesting.h - IR that MLIR's parser can read -------------------------===//
#ifndef TKC_DRIVER_NESTING_H
#define TKC_DRIVER_NESTING_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tkc {

/// How deep brackets of IR may nest; real kernels stay below 30.
inline constexpr unsigned deepestNesting = 1000;

/// The line on which brackets first nest deeper than that, counted from 1.
std::optional<unsigned> findDeepNesting(llvm::StringRef ir);

/// Runs `work` on a thread whose stack suffices for IR within the bound, and for one that a server
/// reads unchecked unless it is megabytes deep. Returns what `work` does.
int runWithLargeStack(llvm::function_ref<int()> work);

} // namespace tkc

#endif // TKC_DRIVER_NESTING_H
