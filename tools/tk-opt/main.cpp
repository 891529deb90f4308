//===- tk-opt - Any pass on any IR file -----------------------------------===//
//
// MLIR's opt driver with the dialects and passes of tkc:
//
//   tk-opt gemm.mlir --tk-verify-layouts --tk-distribute --tk-insert-pipeline
//
// It has the limits of tkc, because it too is given files that nobody has looked at.
//
//===----------------------------------------------------------------------===//
#include "dialect/Dialects.h"
#include "driver/Nesting.h"
#include "driver/ResourceLimits.h"
#include "driver/TextOutput.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

#ifdef TKC_TEST_PASSES
namespace tkc::test {
void registerTestPasses();
} // namespace tkc::test
#endif

static cl::opt<unsigned>
    timeLimit("time-limit", cl::init(tkc::defaultTimeLimit),
              cl::desc("seconds of computing after which to give up; 0: never"));
static cl::opt<unsigned> memoryLimit("memory-limit", cl::init(tkc::defaultMemoryLimit),
                                     cl::desc("MiB of memory after which to give up; 0: never"));

static int fail(const Twine &what) {
  WithColor::error(errs(), "tk-opt") << what << "\n";
  return 1;
}

/// What mlir::MlirOptMain does between reading the command line and writing the output.
static int optimize(int argc, char **argv, StringRef input, StringRef output,
                    mlir::DialectRegistry &registry) {
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects()) // and then reads nothing
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  std::string error;
  std::unique_ptr<MemoryBuffer> buffer;
  std::string text;
  raw_string_ostream stream(text);
  {
    tkc::ResourceLimits limits("tk-opt", input.str(), timeLimit, memoryLimit);
    buffer = mlir::openInputFile(input, &error);
    if (!buffer)
      return fail(error);
    if (std::optional<unsigned> line = tkc::findDeepNesting(buffer->getBuffer()))
      return fail("'" + input + "' nests brackets more than " + Twine(tkc::deepestNesting) +
                  " deep on line " + Twine(*line));
    if (failed(mlir::MlirOptMain(stream, std::move(buffer), registry, config)))
      return 1;
  }
  if (Error error = tkc::writeText(output, text))
    return fail(toString(std::move(error)));
  return 0;
}

int main(int argc, char **argv) {
  sys::Process::FixupStandardFileDescriptors();
  InitLLVM initialized(argc, argv);
  mlir::DialectRegistry registry;
  tkc::registerDialects(registry);
  tkc::registerPasses();
  mlir::registerTransformsPasses();
#ifdef TKC_TEST_PASSES
  tkc::test::registerTestPasses();
#endif
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "the passes of tkc on an IR file\n", registry);
  return tkc::runWithLargeStack([&, &input = input, &output = output] {
    return optimize(argc, argv, input, output, registry);
  });
}
