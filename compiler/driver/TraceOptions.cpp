//===- TraceOptions.cpp - The command line of `tkc trace` -----------------===//
#include "driver/TraceOptions.h"

#include "driver/CommandLine.h"

#include <filesystem>

using namespace tkc;

std::variant<TraceOptions, int> tkc::parseTraceCommandLine(int argc, const char *const *argv) {
  TraceOptions options;
  CLI::App app(
      "Makes a timeline of the run of a kernel that was compiled with --profile.\n\n"
      "  tkc --profile gemm.tk           writes gemm.cu, gemm.h and gemm.profile.json\n"
      "  tkc trace run.bin               writes run.json, which https://ui.perfetto.dev shows\n",
      "tkc trace");
  app.footer(
      "Exit status: 0 done; 1 the run or its table cannot be used, or a file cannot be read or\n"
      "written; 2 the command line is wrong. Nothing is written unless the status is 0.");
  app.add_option("input", options.input,
                 "the bytes of the buffer that the kernel wrote its records to");
  app.add_option("-o,--output", options.output,
                 "output file; - prints. Default: the input's name with .json")
      ->type_name("FILE");
  app.add_option("--table", options.table,
                 "what the records mean; default: the one of the same build among\n"
                 "the *.profile.json in the input's folder")
      ->type_name("FILE");
  addLimitOptions(app, options.timeLimit, options.memoryLimit);
  app.add_flag("-v,--verbose", options.verbose, "name the files written");
  if (std::optional<int> status = parseArguments(app, argc, argv))
    return *status;
  if (options.input.empty())
    return refuseCommandLine(app, "input is required");
  if (options.output.empty())
    options.output = std::filesystem::path(options.input).replace_extension(".json").string();
  return options;
}
