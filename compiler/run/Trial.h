//===- Trial.h - One kernel on one set of values, under every timing ------===//
#ifndef TKC_RUN_TRIAL_H
#define TKC_RUN_TRIAL_H

#include "run/KernelProgram.h"
#include "run/Shape.h"

#include "llvm/Support/JSON.h"

namespace tkc::run {

/// A kernel as it is run.
struct Subject {
  Signature signature;
  unsigned number = 0; // in the programs
  std::vector<Scalar> scalars;
};

/// Paths of the host compiler's outputs.
struct Programs {
  std::string emulated;
  std::string reference; // empty to compare timings with each other only
};

struct Trial {
  const Subject *subject;
  Shape shape;
  uint64_t seed;
};

/// How a trial went. It crosses the border of a process as JSON.
struct Outcome {
  int64_t runs = 0;    // of the emulated kernel
  std::string policy;  // of the run that shows the problem; empty if none does
  std::string problem; // in a sentence, without a full stop; empty: there is none
  std::string report;  // the emulator's, if it found a fault
};

llvm::json::Value toJSON(const Outcome &outcome);
bool fromJSON(const llvm::json::Value &value, Outcome &outcome, llvm::json::Path path);

/// The SMs that the emulator has with this seed: 1 to 4, so that a block of a
/// persistent kernel computes few tiles or many.
int numSmsOf(uint64_t seed);

/// Runs the reference once, then the kernel under each policy, and compares. The values follow from
/// the seed; `begin` is told the policy before each run, and "reference" first.
Outcome runTrial(const Trial &trial, const Programs &programs,
                 const std::vector<std::string> &policies, double tolerance,
                 llvm::function_ref<void(llvm::StringRef)> begin);

} // namespace tkc::run

#endif // TKC_RUN_TRIAL_H
