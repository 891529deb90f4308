//===- Options.cpp - The command line of tkc ------------------------------===//
//
// CLI11 knows single-letter and double-dash options only, but build systems
// write dependency options the way compilers spell them (-MD -MF x.d), so those
// few are renamed before CLI11 sees them.
//
//===----------------------------------------------------------------------===//
#include "driver/Options.h"

#include "driver/CommandLine.h"
#include "driver/ResourceLimits.h"

#include <unistd.h>

#include <filesystem>
#include <map>

using namespace tkc;

const char *tkc::versionString() { return TKC_VERSION; }

static const std::map<std::string, Emit> emitNames = {{"cuda", Emit::Cuda},
                                                      {"header", Emit::Header},
                                                      {"reference", Emit::Reference},
                                                      {"ptx", Emit::Ptx},
                                                      {"cubin", Emit::Cubin},
                                                      {"device", Emit::Device},
                                                      {"plan", Emit::Plan},
                                                      {"tk", Emit::Tk},
                                                      {"hopper", Emit::Hopper},
                                                      {"report", Emit::Report},
                                                      {"report-json", Emit::ReportJson},
                                                      {"lines", Emit::Lines},
                                                      {"html", Emit::Html}};

/// The options that compilers spell with one dash and several letters.
static const std::map<std::string, std::string> compilerSpellings = {
    {"-MD", "--write-dependencies"},
    {"-MF", "--dependency-file"},
    {"-MT", "--dependency-target"},
    {"-verify", "--verify"}};

/// Likewise, with a value after it.
static const std::string formatSpelling = "-fdiagnostics-format=";

// A validator returns a sentence, empty when the value is good.
static std::string knownEmit(const std::string &value) {
  if (emitNames.count(value))
    return {};
  return "there is no kind '" + value +
         "'; use cuda, header, reference, ptx, cubin, device, plan, tk, hopper, report, "
         "report-json, lines or html";
}
static std::string knownColor(const std::string &value) {
  if (value == "auto" || value == "always" || value == "never")
    return {};
  return "'" + value + "' is not auto, always or never";
}

static const std::map<std::string, DiagnosticFormat> formatNames = {
    {"text", DiagnosticFormat::Text},
    {"json", DiagnosticFormat::Json},
    {"sarif", DiagnosticFormat::Sarif}};

static std::string knownFormat(const std::string &value) {
  if (formatNames.count(value))
    return {};
  return "there is no format '" + value + "'; use text, json or sarif";
}

static std::string defaultOutput(const Options &options) {
  if (options.emit == Emit::Tk || options.emit == Emit::Hopper || options.emit == Emit::Report ||
      options.emit == Emit::ReportJson || options.emit == Emit::Lines || options.input == "-")
    return "-";
  const char *extension = options.emit == Emit::Cuda     ? ".cu"
                          : options.emit == Emit::Header ? ".h"
                          : options.emit == Emit::Ptx    ? ".ptx"
                          : options.emit == Emit::Cubin  ? ".cubin"
                          : options.emit == Emit::Device ? ".device.cu"
                          : options.emit == Emit::Plan   ? ".json"
                          : options.emit == Emit::Html   ? ".html"
                                                         : "_reference.cpp";
  std::filesystem::path input(options.input);
  return input.stem().string() + extension;
}

void tkc::addLimitOptions(CLI::App &app, unsigned &timeLimit, unsigned &memoryLimit) {
  app.add_option("--time-limit", timeLimit,
                 "give up after this many seconds of computing (default 60), or ten\n"
                 "times as many on the clock; 0 never gives up")
      ->type_name("SECONDS")
      ->default_val(defaultTimeLimit)
      ->group("Source");
  app.add_option("--memory-limit", memoryLimit,
                 "give up where more memory is needed (default 2048);\n0 never gives up")
      ->type_name("MIB")
      ->default_val(defaultMemoryLimit)
      ->group("Source");
}

void tkc::addSourceOptions(CLI::App &app, Options &options) {
  app.add_option("--instantiate", options.instances,
                 "compile this instance too, for example 'gemm<64, 128>'")
      ->type_name("INSTANCE")
      ->allow_extra_args(false)
      ->group("Source");
  app.add_option("--tuned", options.tuned,
                 "choose among the instances that tkc tune measured to be the\n"
                 "fastest; see tkc tune --help")
      ->type_name("FILE")
      ->group("Source");
  app.add_option("-D", options.defines, "define a macro")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false)
      ->group("Source");
  app.add_option("-I", options.includeDirs, "search this directory for included files")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group("Source");
  app.add_option("--clang", options.clangArguments, "hand one argument on to Clang")
      ->type_name("ARGUMENT")
      ->allow_extra_args(false)
      ->group("Source");
  addLimitOptions(app, options.timeLimit, options.memoryLimit);
  app.add_option("--template-limit", options.templateLimit,
                 "instantiate at most this many templates (default 50000);\n0 is no limit")
      ->type_name("COUNT")
      ->default_val(50000u)
      ->group("Source");
}

void tkc::addDiagnosticOptions(CLI::App &app, Options &options, std::string &color) {
  color = "auto";
  app.add_option("--color", color, "auto (default), always or never")
      ->type_name("WHEN")
      ->check(knownColor)
      ->group("Diagnostics");
  app.add_option_function<std::string>(
         "--diagnostics-format",
         [&options](const std::string &name) { options.diagnosticFormat = formatNames.at(name); },
         "text (default); json as GCC writes it, or sarif, for editors\n"
         "and CI servers, on stderr (-fdiagnostics-format=)")
      ->type_name("FORMAT")
      ->check(knownFormat)
      ->group("Diagnostics");
  addWarningOptions(app, options);
  addRemarkOptions(app, options);
  app.add_flag("-v,--verbose", options.verbose, "name the files written")->group("Diagnostics");
}

bool tkc::isColored(const std::string &color) {
  return color == "always" || (color == "auto" && isatty(STDERR_FILENO));
}

std::optional<int> tkc::parseArguments(CLI::App &app, int argc, const char *const *argv) {
  app.failure_message([](const CLI::App *app, const CLI::Error &error) {
    return "tkc: error: " + std::string(error.what()) + "; see " + app->get_name() + " --help\n";
  });
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) { // CLI11 takes them last first
    std::string argument = argv[i];
    auto spelling = compilerSpellings.find(argument);
    if (spelling != compilerSpellings.end())
      argument = spelling->second;
    else if (argument.compare(0, formatSpelling.size(), formatSpelling) == 0)
      argument = "--diagnostics-format=" + argument.substr(formatSpelling.size());
    arguments.push_back(argument);
  }
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

int tkc::refuseCommandLine(const CLI::App &app, const std::string &what) {
  fprintf(stderr, "tkc: error: %s; see %s --help\n", what.c_str(), app.get_name().c_str());
  return 2;
}

std::variant<Options, int> tkc::parseCommandLine(int argc, const char *const *argv) {
  Options options;
  std::string emit = "cuda", color;

  CLI::App app("Compiles a tile program (.tk) to CUDA C++ for NVIDIA Hopper (sm_90a).\n\n"
               "  tkc gemm.tk -o gemm.cu        writes gemm.cu and gemm.h\n"
               "  tkc gemm.tk -o -              prints the CUDA\n"
               "  tkc gemm.tk --emit=hopper     prints the IR after all passes\n"
               "  tkc run --emulate gemm.tk     proves the kernel on this CPU; see tkc run --help\n"
               "  tkc trace run.bin             shows where a profiled run spent its time; see tkc "
               "trace --help\n"
               "  tkc tune prepare gemm.tk ...  finds the fastest instances; see tkc tune --help\n",
               "tkc");
  app.set_version_flag("--version",
                       std::string("tkc ") + versionString() + " (LLVM " + TKC_LLVM_VERSION + ")");
  app.footer("Exit status: 0 done; 1 the input has errors, or a file cannot be read or written;\n"
             "2 the command line is wrong. Nothing is written unless the status is 0, but the\n"
             "report of --ptxas.");

  app.add_option("input", options.input, "the .tk file; - reads standard input");
  app.add_option("-o,--output", options.output,
                 "output file; - prints. Default: the input's name with the\n"
                 "right ending, in this directory; IR is printed")
      ->type_name("FILE");
  app.add_option("--emit", emit,
                 "what to write:\n"
                 "  cuda       the CUDA, and its header beside it (default)\n"
                 "  header     the C header alone\n"
                 "  reference  C++ that exports the same functions from the .tk as it stands\n"
                 "  ptx, cubin machine code, made with nvcc (TKC_NVCC names it)\n"
                 "  device     the kernels alone, for NVRTC\n"
                 "  plan       how those are launched, as JSON\n"
                 "  tk         the IR of the source\n"
                 "  hopper     the IR after all passes\n"
                 "  report     decisions with their reasons, and missed optimisations:\n"
                 "             registers, shared memory, waits, remarks, limits\n"
                 "  report-json the same for tools\n"
                 "  lines      what every line of the CUDA is: its source, role, kind, reason\n"
                 "  html       a page that shows source and CUDA side by side, and why each line\n"
                 "             is there")
      ->type_name("KIND")
      ->check(knownEmit);

  app.add_option("--compare", options.compared,
                 "compile this instance too, for example 'gemm<64, 128>', and compare it\n"
                 "on the page of --emit=html")
      ->type_name("INSTANCE");
  app.add_flag("--passes", options.showPasses,
               "the page of --emit=html has the IR after each pass, with what changed");
  app.add_option("--trace", options.trace,
                 "the timeline of --emit=html has this run of the kernel beside the model:\n"
                 "the records of what --profile has emitted from the same source")
      ->type_name("FILE");
  app.add_flag("--ptxas", options.ptxas,
               "compile the kernels with nvcc for the report: registers, spills and\n"
               "serialised wgmma (C75xx) as they are. Where there are any, the report\n"
               "is written and the exit status is 1");
  app.add_option("--nvcc", options.nvcc,
                 "the nvcc of --ptxas, --emit=cubin and ptx; default: TKC_NVCC, that "
                 "of\nCUDA_HOME, or in PATH")
      ->type_name("PROGRAM");
  app.add_option("--plan", options.plan,
                 "beside the output of --emit=device, write what --emit=plan writes here")
      ->type_name("FILE");
  app.add_flag("--standalone", options.isStandalone,
               "the CUDA in one file, with the parts of the runtime that it uses");

  std::string profile;
  app.add_flag("--profile{sampled}", profile,
               "the CUDA records when its roles begin to wait, and what they do after\n"
               "it, in one of 32 iterations of a loop; what the records mean is\n"
               "written beside it, as NAME.profile.json, for tkc trace.\n"
               "--profile=waits: in every iteration. --profile=all: wherever a role\n"
               "begins something else, which keeps apart what else would overlap")
      ->check(CLI::IsMember({"sampled", "waits", "all"}));

  addSourceOptions(app, options);
  auto *dependencies = app.add_flag("--write-dependencies", options.writeDependencies,
                                    "write a dependency file for make or ninja (-MD)")
                           ->group("Build systems");
  app.add_option("--dependency-file", options.dependencyFile,
                 "its name (-MF); default: the output's name with .d")
      ->type_name("FILE")
      ->needs(dependencies)
      ->group("Build systems");

  app.add_option("--dependency-target", options.dependencyTarget,
                 "what depends (-MT); default: the output")
      ->type_name("FILE")
      ->needs(dependencies)
      ->group("Build systems");

  app.add_flag("--print-compile-flags", options.printCompileFlags,
               "print, one a line, what makes Clang and clangd read a\n.tk file as C++")
      ->group("Source");

  // No user's concern: the build calls it, see tools/tkc/CMakeLists.txt.
  app.add_option("--precompile-language", options.precompiledLanguage,
                 "write Clang's PCH of the language header")
      ->group("");

  addDiagnosticOptions(app, options, color);
  app.add_flag("--verify", options.verify,
               "compare the diagnostics with the expected-error comments\nof the source (-verify)")
      ->group("Diagnostics");
  app.add_flag("--mlir-timing", options.timing, "print the time of every pass")
      ->group("Diagnostics");
  app.add_flag("--mlir-print-ir-after-all", options.printIrAfterAll,
               "print the IR after every pass")
      ->group("Diagnostics");
  app.add_option("--mlir-pass-pipeline-crash-reproducer", options.crashReproducer,
                 "if a pass crashes or fails, write the IR and the passes\n"
                 "here, for tk-opt --run-reproducer")
      ->type_name("FILE")
      ->group("Diagnostics");

  if (std::optional<int> status = parseArguments(app, argc, argv))
    return *status;
  if (options.input.empty() && !options.printCompileFlags && options.precompiledLanguage.empty())
    return refuseCommandLine(app, "input is required");
  options.emit = emitNames.at(emit);
  options.isProfiled = !profile.empty();
  options.profile = profile;
  if (options.ptxas && options.emit != Emit::Report && options.emit != Emit::ReportJson)
    return refuseCommandLine(app, "--ptxas needs --emit=report or --emit=report-json");
  if (!options.plan.empty() && options.emit != Emit::Device)
    return refuseCommandLine(app, "--plan stands beside device text, not beside --emit=" + emit);
  if (options.isStandalone && options.emit != Emit::Cuda)
    return refuseCommandLine(app, "--standalone is about the CUDA, not about --emit=" + emit);
  if (options.isProfiled && options.emit != Emit::Cuda)
    return refuseCommandLine(app, "--profile is about the CUDA, not about --emit=" + emit);
  if (options.emit != Emit::Html &&
      (options.showPasses || !options.compared.empty() || !options.trace.empty()))
    return refuseCommandLine(app, "--compare, --passes and --trace need --emit=html");
  if (!options.compared.empty())
    options.instances.push_back(options.compared);
  options.color = isColored(color);
  if (options.output.empty())
    options.output = defaultOutput(options);
  if (options.writeDependencies && options.dependencyFile.empty()) {
    if (options.output == "-") {
      fprintf(stderr, "tkc: error: -MD needs -MF or an output file to name the dependency file\n");
      return 2;
    }
    options.dependencyFile = std::filesystem::path(options.output).replace_extension(".d").string();
  }
  return options;
}
