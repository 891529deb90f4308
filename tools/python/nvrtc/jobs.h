//===- jobs.h - Kernels that are compiled side by side --------------------===//
#ifndef TKC_NVRTC_JOBS_H
#define TKC_NVRTC_JOBS_H

#include "compile.h"

#include <sys/types.h>

// How a kernel's process ended. The package knows these numbers (nvrtc.py).
enum class outcome : uint32_t { compiled, killed, ended, not_started };

// A process that compiles one kernel, and what it has said so far.
struct job {
  uint32_t kernel;
  pid_t process;
  int pipe;
  buffer said;
};

// A process for a kernel of this text, forked from this one, which has loaded NVRTC. False and
// errno if there is none.
bool start(job &of, const nvrtc &by, const char *text, const char *name, int count,
           const char *const *options);

// Reads what there is to read; true at the end.
bool has_ended(job &of);

// Waits for the process of a job that has ended, and writes its answer: kernel, outcome, a detail
// (the signal, the exit status), the length of what it said, and that.
void answer(job &of, int to);

#endif // TKC_NVRTC_JOBS_H
