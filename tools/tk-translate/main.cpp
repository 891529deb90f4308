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
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

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

/// Null after an error that was printed.
static OwningOpRef<ModuleOp> parse(const std::shared_ptr<llvm::SourceMgr> &sources,
                                   MLIRContext *context) {
  llvm::StringRef text = sources->getMemoryBuffer(sources->getMainFileID())->getBuffer();
  if (std::optional<unsigned> line = tkc::findDeepNesting(text)) {
    llvm::errs() << "tk-translate: error: brackets nest more than " << tkc::deepestNesting
                 << " deep on line " << *line << "\n";
    return {};
  }
  DialectRegistry registry;
  tkc::registerDialects(registry);
  context->appendDialectRegistry(registry);
  return parseSourceFile<ModuleOp>(sources, context);
}

static void registerEmission(StringRef flag, StringRef description, Emit &emit) {
  auto translate = [&emit](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os,
                           MLIRContext *context) {
    OwningOpRef<ModuleOp> module = parse(sources, context);
    return module ? emitWithOptions(emit, *module, os) : failure();
  };
  TranslateRegistration registration(flag, description, translate);
}

static LogicalResult emitCuda(ModuleOp module, const tkc::EmitOptions &options, raw_ostream &os) {
  return tkc::emitCuda(module, options, os);
}

int main(int argc, char **argv) {
  llvm::sys::Process::FixupStandardFileDescriptors();
  registerEmission("hopper-to-cuda", "the .cu of a module of hopper kernels", emitCuda);
  registerEmission("hopper-to-header", "the .h of a module of hopper kernels", tkc::emitHeader);
  registerEmission("tk-to-reference", "the C++ file that runs tk kernels by their plain meaning",
                   tkc::emitReference);
  return tkc::runWithLargeStack(
      [&] { return int(failed(mlirTranslateMain(argc, argv, "prints IR as CUDA and C++"))); });
}
