//===- RunOptions.cpp - The command line of `tkc run` ---------------------===//
#include "driver/RunOptions.h"

#include "driver/CommandLine.h"

#include <algorithm>
#include <thread>

using namespace tkc;

const std::vector<std::string> tkc::emulatorPolicies = {"random", "latest", "earliest", "starve",
                                                        "consumer_first"};

// A validator returns a sentence, empty when the value is good.
static std::string knownPolicy(const std::string &value) {
  if (std::count(emulatorPolicies.begin(), emulatorPolicies.end(), value))
    return {};
  return "there is no policy '" + value +
         "'; use random, latest, earliest, starve or consumer_first";
}
static std::string assignment(const std::string &value) {
  size_t equals = value.find('=');
  if (equals != 0 && equals != std::string::npos && equals + 1 < value.size())
    return {};
  return "'" + value + "' is not NAME=VALUE";
}

static void addRunOptions(CLI::App &app, RunOptions &options) {
  // Repeated options take one value each, or the input would be taken for another.
  auto list = [&](const char *name, std::vector<std::string> &values, const char *help,
                  const char *type, const char *group) {
    return app.add_option(name, values, help)
        ->type_name(type)
        ->allow_extra_args(false)
        ->group(group);
  };
  list("--kernel", options.kernels, "run this kernel; default: all of the file", "NAME", "What");
  app.add_option("--emitted", options.emitted,
                 "run this CUDA in place of what tkc makes of the .tk,\n"
                 "for example after a change by hand")
      ->type_name("FILE.cu")
      ->group("What");
  list("--shape", options.shapes,
       "extents of its tensors, for example A=129x65,B=65x257;\n"
       "default: 1, tile - 1, tile, tile + 1, and several tiles in each\n"
       "direction. Sizes that the kernel wants equal need be given once",
       "SHAPE", "What");
  list("--set", options.scalars, "a scalar argument; default: 0.125, 1, true", "NAME=VALUE", "What")
      ->check(assignment);

  auto *seeds = app.add_option("--seeds", options.seeds,
                               "values and timings per shape and policy (default 5)")
                    ->type_name("N")
                    ->check(CLI::Range(1u, 1000000u))
                    ->group("How");
  app.add_option("--seed", options.seed, "only this seed, counted from 0")
      ->type_name("SEED")
      ->excludes(seeds)
      ->group("How");
  list("--policy", options.policies,
       "random, latest, earliest, starve or consumer_first;\ndefault: each of them", "POLICY",
       "How")
      ->check(knownPolicy);
  app.add_option("--tolerance", options.tolerance,
                 "how far results may be from the reference, relative to them\n"
                 "and to all of the tensor; of integers, 1 is allowed (default 1/64,\n"
                 "1/16 where the kernel rounds to e4m3 and 1/8 where to e5m2)")
      ->type_name("T")
      ->check(CLI::NonNegativeNumber)
      ->group("How");
  app.add_flag("--no-reference", options.skipsReference,
               "compare the runs with each other only, where the reference takes\ntoo long")
      ->group("How");
  app.add_flag("--no-contraction", options.isUncontracted,
               "round each multiplication before it is added to something; nvcc\nmakes one "
               "multiply-add of both")
      ->group("How");
  app.add_flag("--keep-going", options.keepsGoing, "do not end after the first problem")
      ->group("How");

  app.add_option("-j,--jobs", options.jobs, "processes at a time (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u))
      ->group("Host");
  app.add_option("--host-compiler", options.hostCompiler, "a GCC for this CPU (default g++)")
      ->type_name("PROGRAM")
      ->group("Host");
  app.add_option("--keep", options.keptFolder,
                 "leave the CUDA, the reference and what they were built to in\nthis folder")
      ->type_name("DIR")
      ->group("Host");
  app.add_flag("--json", options.json, "print the outcome for tools")->group("Host");
}

std::variant<RunOptions, int> tkc::parseRunCommandLine(int argc, const char *const *argv) {
  RunOptions options;
  std::string color;
  bool emulates = false;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());

  CLI::App app(
      "Compiles a tile program, runs its kernels on random values under many timings,\n"
      "and compares them with the program run as plain C++.\n\n"
      "  tkc run --emulate gemm.tk                   all kernels, shapes around their tiles\n"
      "  tkc run --emulate gemm.tk --seeds 20 --shape A=300x200,B=200x100\n",
      "tkc run");
  app.footer(
      "Exit status: 0 all runs are right and clean; 1 the emulator reported a fault, a result\n"
      "is wrong, or the input has errors; 2 the command line is wrong.");
  app.add_option("input", options.source.input, "the .tk file");
  app.add_flag("--emulate", emulates, "on the emulator, on this CPU");
  addRunOptions(app, options);
  addSourceOptions(app, options.source);
  addDiagnosticOptions(app, options.source, color);

  if (std::optional<int> status = parseArguments(app, argc, argv))
    return *status;
  if (!emulates)
    return refuseCommandLine(app,
                             "tkc runs kernels on its emulator only, so say --emulate; on a GPU, "
                             "compile the CUDA with nvcc and call its C function");
  if (options.source.input.empty())
    return refuseCommandLine(app, "input is required");
  if (options.source.input == "-")
    return refuseCommandLine(app,
                             "standard input cannot be run, because the reference includes the "
                             "file by its name");
  if (options.policies.empty())
    options.policies = emulatorPolicies;
  options.source.color = isColored(color);
  return options;
}
