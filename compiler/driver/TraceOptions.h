//===- TraceOptions.h - The command line of `tkc trace` as one struct -----===//
#ifndef TKC_DRIVER_TRACEOPTIONS_H
#define TKC_DRIVER_TRACEOPTIONS_H

#include "driver/Options.h"

namespace tkc {

struct TraceOptions {
  std::string input;        // the records that the kernel has written
  std::string table;        // NAME.profile.json; empty: found beside the input
  std::string output;       // "-" is standard output
  unsigned timeLimit = 0;   // seconds; 0 is none
  unsigned memoryLimit = 0; // MiB; 0 is none
  bool verbose = false;
};

/// Parses the command line after `tkc trace`; as parseCommandLine.
std::variant<TraceOptions, int> parseTraceCommandLine(int argc, const char *const *argv);

} // namespace tkc

#endif // TKC_DRIVER_TRACEOPTIONS_H
