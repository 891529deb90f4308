//===- tk-translate: the printers on any IR file --------------------------===//
//
//   tk-translate --hopper-to-cuda kernel.mlir --source=kernel.tk
//
// For tests and for people who want to see how one op is spelled. `--source`
// names the file whose lines the locations quote.
//
//===----------------------------------------------------------------------===//
#include "backend/EmitCuda.h"
#include "dialect/Dialects.h"
#include "driver/Nesting.h"
#include "driver/TextOutput.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

static llvm::cl::opt<std::string> source("source",
                                         llvm::cl::desc("the .tk file that locations quote"));

using Emit = LogicalResult(ModuleOp, const tkc::EmitOptions &, raw_ostream &);

static LogicalResult emitWithOptions(Emit &emit, ModuleOp module, raw_ostream &os) {
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  SmallVector<StringRef> lines;
  if (!source.empty()) {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(source);
    if (!file)
      return module.emitError("cannot read '") << source << "': " << file.getError().message();
    buffer = std::move(*file);
    buffer->getBuffer().split(lines, '\n');
  }
  std::string stem = source.empty() ? "kernel" : llvm::sys::path::stem(source).str();
  auto lineOf = [&](StringRef, unsigned line) -> std::optional<StringRef> {
    if (line == 0 || line > lines.size())
      return std::nullopt;
    return lines[line - 1];
  };
  tkc::EmitOptions options;
  options.sourceName = stem + ".tk";
  options.sourcePath = source;
  options.headerName = stem + ".h";
  options.version = TKC_VERSION;
  options.sourceLine = lineOf;
  return emit(module, options, os);
}

static LogicalResult emitCuda(ModuleOp module, const tkc::EmitOptions &options, raw_ostream &os) {
  return tkc::emitCuda(module, options, os);
}

//===----------------------------------------------------------------------===//
// What mlir::mlirTranslateMain does, with an output that is whole or absent
//===----------------------------------------------------------------------===//

static llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::init("-"),
                                        llvm::cl::desc("<input file>"));
static llvm::cl::opt<std::string> output("o", llvm::cl::init("-"), llvm::cl::value_desc("filename"),
                                         llvm::cl::desc("the file that is written"));
static llvm::cl::opt<bool> splits("split-input-file",
                                  llvm::cl::desc("treat what '// -----' separates as files"));
static llvm::cl::opt<bool> verifies("verify-diagnostics",
                                    llvm::cl::desc("compare errors with the comments expected-*"));

namespace {
enum class Printer { Cuda, Header, Reference };
} // namespace

static llvm::cl::opt<Printer> printer(
    llvm::cl::desc("what is printed:"), llvm::cl::Required,
    llvm::cl::values(
        clEnumValN(Printer::Cuda, "hopper-to-cuda", "the .cu of a module of hopper kernels"),
        clEnumValN(Printer::Header, "hopper-to-header", "the .h of a module of hopper kernels"),
        clEnumValN(Printer::Reference, "tk-to-reference",
                   "the C++ file that runs tk kernels by their plain meaning")));

static Emit &chosenEmit() {
  switch (printer.getValue()) {
  case Printer::Cuda:
    return emitCuda;
  case Printer::Header:
    return tkc::emitHeader;
  case Printer::Reference:
    return tkc::emitReference;
  }
  llvm_unreachable("an option has one of its values");
}

static int fail(const llvm::Twine &what) {
  llvm::WithColor::error(llvm::errs(), "tk-translate") << what << "\n";
  return 1;
}

/// Prints one file, or one part of a file.
static LogicalResult translate(std::unique_ptr<llvm::MemoryBuffer> buffer, raw_ostream &os) {
  if (std::optional<unsigned> line = tkc::findDeepNesting(buffer->getBuffer())) {
    fail("brackets nest more than " + llvm::Twine(tkc::deepestNesting) + " deep on line " +
         llvm::Twine(*line));
    return failure();
  }
  DialectRegistry registry;
  tkc::registerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(!verifies);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  auto print = [&] {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
    return module ? emitWithOptions(chosenEmit(), *module, os) : failure();
  };
  if (verifies) {
    SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
    (void)print(); // its errors are what is compared
    return handler.verify();
  }
  SourceMgrDiagnosticHandler handler(*sources, &context);
  return print();
}

static int run() {
  std::string error, text;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &error);
  if (!buffer)
    return fail(error);
  llvm::raw_string_ostream stream(text);
  if (failed(splitAndProcessBuffer(std::move(buffer), translate, stream,
                                   splits ? kDefaultSplitMarker : "")))
    return 1;
  if (llvm::Error error = tkc::writeText(output, text))
    return fail(llvm::toString(std::move(error)));
  return 0;
}

int main(int argc, char **argv) {
  llvm::sys::Process::FixupStandardFileDescriptors();
  llvm::InitLLVM initialized(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "prints IR as CUDA and C++\n");
  return tkc::runWithLargeStack(run);
}
