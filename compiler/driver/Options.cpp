//===- Options.cpp - The command line of tkc ------------------------------===//
//
// CLI11 knows single-letter and double-dash options only, but build systems
// write dependency options the way compilers spell them (-MD -MF x.d), so those
// few are renamed before CLI11 sees them.
//
//===----------------------------------------------------------------------===//
#include "driver/Options.h"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <filesystem>
#include <map>

using namespace tkc;

const char *tkc::versionString() { return TKC_VERSION; }

static const std::map<std::string, Emit> emitNames = {{"cuda", Emit::Cuda},
                                                      {"header", Emit::Header},
                                                      {"reference", Emit::Reference},
                                                      {"tk", Emit::Tk},
                                                      {"hopper", Emit::Hopper}};

/// The options that compilers spell with one dash and several letters.
static const std::map<std::string, std::string> compilerSpellings = {
    {"-MD", "--write-dependencies"}, {"-MF", "--dependency-file"}, {"-verify", "--verify"}};

static std::string defaultOutput(const Options &options) {
  if (options.emit == Emit::Tk || options.emit == Emit::Hopper || options.input == "-")
    return "-";
  const char *extension = options.emit == Emit::Cuda     ? ".cu"
                          : options.emit == Emit::Header ? ".h"
                                                         : "_reference.cpp";
  std::filesystem::path input(options.input);
  return input.stem().string() + extension;
}

std::variant<Options, int> tkc::parseCommandLine(int argc, const char *const *argv) {
  Options options;
  std::string color = "auto";

  CLI::App app("Compiles a tile program (.tk) to CUDA C++ for NVIDIA Hopper (sm_90a).\n\n"
               "  tkc gemm.tk -o gemm.cu        writes gemm.cu and gemm.h\n"
               "  tkc gemm.tk -o -              prints the CUDA\n"
               "  tkc gemm.tk --emit=hopper     prints the IR after all passes\n",
               "tkc");
  app.set_version_flag("--version", std::string("tkc ") + versionString() + " (LLVM " +
                                        TKC_LLVM_VERSION + ")");
  app.footer("Exit status: 0 done; 1 the input has errors, or a file cannot be read or written;\n"
             "2 the command line is wrong. Nothing is written unless the status is 0.");

  app.add_option("input", options.input, "the .tk file; - reads standard input")->required();
  app.add_option("-o,--output", options.output,
                 "output file; - prints. Default: the input's name with the right ending, in this "
                 "directory; IR is printed")
      ->type_name("FILE");
  app.add_option("--emit", options.emit,
                 "what to write: cuda (with its header beside it), header, reference (C++ that "
                 "runs the .tk as it stands), tk (IR from the source), hopper (IR after all passes)")
      ->transform(CLI::CheckedTransformer(emitNames).description("KIND"))
      ->default_str("cuda");

  app.add_option("--instantiate", options.instances,
                 "compile this instance too, for example 'gemm<64, 128>'")
      ->type_name("INSTANCE")
      ->allow_extra_args(false)
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

  auto *dependencies = app.add_flag("--write-dependencies", options.writeDependencies,
                                    "write a dependency file for make or ninja (-MD)")
                           ->group("Build systems");
  app.add_option("--dependency-file", options.dependencyFile,
                 "its name (-MF); default: the output's name with .d")
      ->type_name("FILE")
      ->needs(dependencies)
      ->group("Build systems");

  app.add_option("--color", color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->default_str("auto")
      ->group("Diagnostics");
  app.add_flag("-v,--verbose", options.verbose, "say what is written")->group("Diagnostics");
  app.add_flag("--verify", options.verify,
               "compare the diagnostics with the expected-error comments of the source (-verify)")
      ->group("Diagnostics");
  app.add_flag("--mlir-timing", options.timing, "print the time of every pass")
      ->group("Diagnostics");
  app.add_flag("--mlir-print-ir-after-all", options.printIrAfterAll,
               "print the IR after every pass")
      ->group("Diagnostics");

  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) { // CLI11 takes them last first
    auto spelling = compilerSpellings.find(argv[i]);
    arguments.push_back(spelling == compilerSpellings.end() ? argv[i] : spelling->second);
  }
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  options.color = color == "always" || (color == "auto" && isatty(STDERR_FILENO));
  if (options.output.empty())
    options.output = defaultOutput(options);
  if (options.writeDependencies && options.dependencyFile.empty()) {
    if (options.output == "-") {
      fprintf(stderr, "tkc: error: -MD needs -MF or an output file to name the dependency file\n");
      return 2;
    }
    options.dependencyFile =
        std::filesystem::path(options.output).replace_extension(".d").string();
  }
  return options;
}
