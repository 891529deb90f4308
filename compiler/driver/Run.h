//===- Run.h - A source file, compiled, emulated and compared -------------===//
#ifndef TKC_DRIVER_RUN_H
#define TKC_DRIVER_RUN_H

#include "driver/RunOptions.h"

namespace tkc {

/// Compiles the source to CUDA and to its reference, builds both for this CPU, and runs each kernel
/// at each shape with each seed under each policy. Prints what went wrong, or how many runs were
/// right. Returns the exit status: 0, or 1 after any problem, which has then been printed.
int runKernels(const RunOptions &options);

} // namespace tkc

#endif // TKC_DRIVER_RUN_H
