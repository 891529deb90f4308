//===- RunOptions.h - The command line of `tkc run` as one struct ---------===//
#ifndef TKC_DRIVER_RUNOPTIONS_H
#define TKC_DRIVER_RUNOPTIONS_H

#include "driver/Options.h"

#include <cstdint>
#include <optional>

namespace tkc {

struct RunOptions {
  Options source;                   // the input and how it is compiled; nothing about its output
  std::vector<std::string> kernels; // the C functions to run; none: all of the file
  std::string emitted;              // a .cu that runs in place of the one tkc would write

  std::vector<std::string> shapes;   // 'A=129x65,B=65x257'; none: those around the kernel's tiles
  std::vector<std::string> scalars;  // 'scale=0.125'
  unsigned seeds = 5;                // each 0 to seeds - 1
  std::optional<uint64_t> seed;      // only this one
  std::vector<std::string> policies; // none: all
  std::optional<double> tolerance;   // none: the one that the kernel's roundings ask for
  bool skipsReference = false;       // compares the runs with each other only
  bool keepsGoing = false;
  bool isUncontracted = false; // the emulated kernel rounds each MMA before it is added

  unsigned jobs = 1;
  std::string hostCompiler = "g++";
  std::string keptFolder; // empty: a temporary one
  bool json = false;
};

/// The emulator's schedulers, as it spells them.
extern const std::vector<std::string> emulatorPolicies;

/// Parses the command line after `tkc run`; as parseCommandLine.
std::variant<RunOptions, int> parseRunCommandLine(int argc, const char *const *argv);

} // namespace tkc

#endif // TKC_DRIVER_RUNOPTIONS_H
