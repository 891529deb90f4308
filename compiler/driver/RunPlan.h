//===- RunPlan.h - Which kernels run, on what, and what came of it --------===//
#ifndef TKC_DRIVER_RUNPLAN_H
#define TKC_DRIVER_RUNPLAN_H

#include "driver/RunOptions.h"
#include "run/Trial.h"

#include <deque>

namespace tkc {

/// All that is run. Trials are ordered by kernel, shape and seed.
struct RunPlan {
  std::deque<run::Subject> subjects; // which trials point to
  std::vector<run::Trial> trials;
};

/// Chooses among the kernels of a file as the options say. The error says which kernel, scalar or
/// shape of them does not fit the file.
llvm::Error makeRunPlan(const RunOptions &options, std::vector<run::Signature> all, RunPlan &plan);

struct RunFailure {
  unsigned trial; // of the plan
  run::Outcome outcome;
};

struct RunResults {
  std::vector<int64_t> runs;        // by subject
  std::vector<RunFailure> failures; // ordered by trial
  double seconds = 0;
};

/// "gemm at A=1x1,B=1x1,C=1x1, seed 0"
std::string describe(const run::Trial &trial);

/// Problems go to stderr, each with the command that repeats it; one line per kernel to stdout.
void tellAsText(const RunOptions &options, const RunPlan &plan, const RunResults &results);
/// All of it as one object on stdout.
void tellAsJson(const RunOptions &options, const RunPlan &plan, const RunResults &results);

} // namespace tkc

#endif // TKC_DRIVER_RUNPLAN_H
