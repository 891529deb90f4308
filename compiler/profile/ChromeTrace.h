//===- ChromeTrace.h - A run in the format of Chrome and Perfetto ---------===//
#ifndef TKC_PROFILE_CHROMETRACE_H
#define TKC_PROFILE_CHROMETRACE_H

#include "profile/ProfileRun.h"

#include "llvm/Support/raw_ostream.h"

namespace tkc::profile {

/// A process for each block, a thread for each role, and a slice from each record to the next, in
/// the slice of its tile.
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
void printChromeTrace(const Run &run, const Table &table, llvm::raw_ostream &os);

} // namespace tkc::profile

#endif // TKC_PROFILE_CHROMETRACE_H
