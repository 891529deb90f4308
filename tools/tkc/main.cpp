//===- main.cpp - tkc -----------------------------------------------------===//
#include "driver/Compile.h"
#include "driver/Options.h"
#include "driver/Run.h"
#include "driver/RunOptions.h"

#include <cstring>

/// What a command line asks for, or the status with which parsing it ended.
template <typename Options>
static int act(std::variant<Options, int> parsed, int (*work)(const Options &)) {
  if (auto *status = std::get_if<int>(&parsed))
    return *status;
  return work(std::get<Options>(parsed));
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "run"))
    return act(tkc::parseRunCommandLine(argc - 1, argv + 1), tkc::runKernels);
  return act(tkc::parseCommandLine(argc, argv), tkc::compile);
}
