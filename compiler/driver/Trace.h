//===- Trace.h - From the records of a run to a timeline ------------------===//
#ifndef TKC_DRIVER_TRACE_H
#define TKC_DRIVER_TRACE_H

#include "driver/TraceOptions.h"
#include "profile/ProfileRun.h"

#include "llvm/Support/MemoryBuffer.h"

namespace tkc {

/// A run and the table that it points into.
struct TracedRun {
  std::unique_ptr<profile::Table> table;
  profile::Run run;
  std::string tablePath = {}; // if it was read from a file
};

/// A run's bytes, from a regular file: a pipe may never end.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readRunFile(llvm::StringRef path);

/// Reads the run in `path`. Its table is in `tablePath`, or, if that is empty, the one of the same
/// build beside the run. The error names the file that cannot be used, and says why.
llvm::Expected<TracedRun> readTracedRun(llvm::StringRef path, llvm::StringRef tablePath);

/// `tkc trace`; the exit status.
int trace(const TraceOptions &options);

} // namespace tkc

#endif // TKC_DRIVER_TRACE_H
