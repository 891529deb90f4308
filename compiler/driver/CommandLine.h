//===- CommandLine.h - Options that the command lines of tkc share --------===//
//
// `tkc` and `tkc run` read a source file alike, so they take the same options for
// it and complain in the same words.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DRIVER_COMMANDLINE_H
#define TKC_DRIVER_COMMANDLINE_H

#include "driver/Options.h"

#include <CLI/CLI.hpp>

#include <optional>

namespace tkc {

/// Where the source is read: instances, macros, folders, time limit.
void addSourceOptions(CLI::App &app, Options &options);

/// --time-limit and --memory-limit.
void addLimitOptions(CLI::App &app, unsigned &timeLimit, unsigned &memoryLimit);

/// --color, whose value goes to `color`; -v.
void addDiagnosticOptions(CLI::App &app, Options &options, std::string &color);

/// -Wname and -Wno-name; part of addDiagnosticOptions.
void addWarningOptions(CLI::App &app, Options &options);

/// -Rtk-pass=REGEX and -Rtk-missed=REGEX; part of addDiagnosticOptions.
void addRemarkOptions(CLI::App &app, Options &options);

/// The choice that addDiagnosticOptions read, as the options want it.
bool isColored(const std::string &color);

/// An exit status if there is nothing left to do: 0 after --help, 2 after a mistake, now explained.
std::optional<int> parseArguments(CLI::App &app, int argc, const char *const *argv);

/// Explains a mistake that CLI11 cannot know; the exit status.
int refuseCommandLine(const CLI::App &app, const std::string &what);

} // namespace tkc

#endif // TKC_DRIVER_COMMANDLINE_H
