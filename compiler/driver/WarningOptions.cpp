//===- WarningOptions.cpp - Which warnings are wanted ---------------------===//
//
// As compilers spell it: -Wname and -Wno-name, the last word counts. An option that begins
// with tk- is ours (passes/finish/PerformanceWarnings.def); Clang reads the rest.
//
//===----------------------------------------------------------------------===//
#include "driver/CommandLine.h"

#include <CLI/CLI.hpp>

using namespace tkc;

static const std::string all = "tk-perf", prefix = all + "-";

static const std::set<std::string> performanceWarnings = {
#define TKC_PERFORMANCE_WARNING(name, flag, meaning) flag,
#include "passes/finish/PerformanceWarnings.def"
};

/// The help of -W: one line for each kind.
static std::string describeWarnings() {
  std::string text = "warn, or with no- do not; names that do not begin with tk- are\n"
                     "Clang's. On by default is tk-perf, code that is right but slow:\n";
#define TKC_PERFORMANCE_WARNING(name, flag, meaning)                                               \
  text += "  " + prefix + flag "\n      " meaning "\n";
#include "passes/finish/PerformanceWarnings.def"
  text.pop_back();
  return text;
}

static bool beginsWith(const std::string &text, const std::string &beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

/// The kinds that a name stands for. Throws if there is no such warning.
static std::set<std::string> findWarnings(const std::string &name) {
  if (name == all)
    return performanceWarnings;
  std::string flag = beginsWith(name, prefix) ? name.substr(prefix.size()) : "";
  if (!performanceWarnings.count(flag))
    throw CLI::ValidationError("-W", "there is no warning '" + name + "'");
  return {flag};
}

static void chooseWarnings(const std::string &wish, Options &options) {
  bool isOff = beginsWith(wish, "no-");
  std::string name = isOff ? wish.substr(3) : wish;
  if (!beginsWith(name, "tk-")) { // -Werror is among these
    options.clangArguments.push_back("-W" + wish);
    return;
  }
  for (const std::string &flag : findWarnings(name)) {
    if (isOff)
      options.silencedWarnings.insert(flag);
    else
      options.silencedWarnings.erase(flag);
  }
}

void tkc::addWarningOptions(CLI::App &app, Options &options) {
  app.add_flag_callback(
         "--werror", [&options] { options.clangArguments.push_back("-Werror"); },
         "every warning is an error (-Werror); with --emit=cubin or ptx\n"
         "these are also spills and what ptxas says of wgmma (C75xx)")
      ->group("Diagnostics");
  app.add_flag_callback(
         "-w", [&options] { options.clangArguments.push_back("-w"); },
         "no warnings, whatever -W and --werror say")
      ->group("Diagnostics");
  app.add_option_function<std::vector<std::string>>(
         "-W",
         [&options](const std::vector<std::string> &wishes) {
           for (const std::string &wish : wishes)
             chooseWarnings(wish, options);
         },
         describeWarnings())
      ->type_name("[no-]WARNING")
      ->allow_extra_args(false)
      ->group("Diagnostics");
}
