//===- Compile.cpp - One source file to the requested output --------------===//
//
// Frontend, passes, backend. All outputs are made in memory and only then
// written, each to a temporary file that is renamed into place: an error never
// leaves a half-written file, and never touches the file of an earlier run.
//
//===----------------------------------------------------------------------===//
#include "driver/Compile.h"

#include "backend/EmitCuda.h"
#include "dialect/Dialects.h"
#include "driver/DiagnosticBridge.h"
#include "driver/Pipeline.h"
#include "driver/TimeLimit.h"
#include "frontend/CompileFlags.h"
#include "frontend/Frontend.h"
#include "report/Report.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tkc;

/// The text of line `number` of `file`, without the spaces around it.
static std::optional<StringRef> sourceLine(clang::SourceManager &sources, StringRef file,
                                           unsigned number) {
  clang::FileID id;
  if (auto entry = sources.getFileManager().getOptionalFileRef(file))
    id = sources.translateFile(*entry);
  if (id.isInvalid())
    id = sources.getMainFileID();
  clang::SourceLocation place = sources.translateLineCol(id, number, 1);
  if (place.isInvalid())
    return std::nullopt;
  StringRef rest = sources.getBufferData(id).drop_front(sources.getFileOffset(place));
  return rest.take_until([](char c) { return c == '\n' || c == '\r'; }).trim();
}

mlir::LogicalResult tkc::runPasses(mlir::ModuleOp module, const Options &options) {
  mlir::PassManager passes(module.getContext());
  buildPipeline(passes, {options.silencedWarnings});
  if (options.timing)
    passes.enableTiming();
  if (options.printIrAfterAll)
    passes.enableIRPrinting([](auto *, auto *) { return false; },
                            [](auto *, auto *) { return true; },
                            /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
  if (!options.crashReproducer.empty())
    passes.enableCrashReproducerGeneration(options.crashReproducer);
  return passes.run(module);
}

/// How emitted text calls its source and its header.
static EmitOptions emitOptions(const Options &options, clang::SourceManager &sources) {
  StringRef stem = sys::path::stem(options.input);
  EmitOptions emit;
  emit.sourceName = options.input == "-" ? "<stdin>" : sys::path::filename(options.input).str();
  if (options.output != "-")
    stem = sys::path::stem(options.output);
  else if (options.input == "-")
    stem = "kernel";
  emit.headerName = (stem + ".h").str();
  emit.sourcePath = options.input;
  emit.version = versionString();
  emit.sourceLine = [&](StringRef file, unsigned line) { return sourceLine(sources, file, line); };
  return emit;
}

/// Makes the text of every output in memory.
static mlir::LogicalResult emitOutputs(mlir::ModuleOp module, const Options &options,
                                       const EmitOptions &emit,
                                       SmallVectorImpl<OutputFile> &outputs) {
  OutputFile &main = outputs.emplace_back(OutputFile{options.output, {}});
  raw_string_ostream text(main.text);
  if (options.emit == Emit::Tk) {
    module.print(text);
    return mlir::success();
  }
  if (options.emit == Emit::Reference)
    return emitReference(module, emit, text);

  if (failed(runPasses(module, options)))
    return mlir::failure();
  switch (options.emit) {
  case Emit::Hopper:
    module.print(text);
    return mlir::success();
  case Emit::Report:
    printReportsAsText(gatherReports(module), text);
    return mlir::success();
  case Emit::ReportJson:
    printReportsAsJson(gatherReports(module), text);
    return mlir::success();
  case Emit::Header:
    return emitHeader(module, emit, text);
  default:
    break;
  }
  if (failed(emitCuda(module, emit, text)))
    return mlir::failure();
  if (options.output == "-")
    return mlir::success();
  SmallString<128> headerPath(sys::path::parent_path(options.output));
  sys::path::append(headerPath, emit.headerName);
  OutputFile &header = outputs.emplace_back(OutputFile{headerPath.str().str(), {}});
  raw_string_ostream headerText(header.text);
  return emitHeader(module, emit, headerText);
}

/// Writes to a stream, and says what the stream would otherwise die of: a full disk.
static Error writeStream(raw_fd_ostream &stream, StringRef text) {
  stream << text;
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return errorCodeToError(error);
}

/// Writes one output; a device or a pipe is written in place, because renaming would replace it.
static Error writeFile(const OutputFile &file) {
  if (file.path == "-")
    return writeStream(outs(), file.text);
  sys::fs::file_status status;
  if (sys::fs::status(file.path, status) || sys::fs::is_regular_file(status))
    return writeToOutput(file.path, [&](raw_ostream &stream) {
      stream << file.text;
      return Error::success();
    });
  if (sys::fs::is_directory(status))
    return createStringError(std::make_error_code(std::errc::is_a_directory), "it is a directory");
  std::error_code error;
  raw_fd_ostream stream(file.path, error);
  if (error)
    return errorCodeToError(error);
  return writeStream(stream, file.text);
}

bool tkc::writeOutputs(ArrayRef<OutputFile> outputs, bool verbose) {
  SmallVector<StringRef> written;
  for (const OutputFile &file : outputs) {
    Error error = writeFile(file);
    if (!error) {
      written.push_back(file.path);
      if (verbose && file.path != "-")
        WithColor::note(errs(), "tkc") << "wrote " << file.path << "\n";
      continue;
    }
    WithColor::error(errs(), "tkc")
        << "cannot write '" << file.path << "': " << toString(std::move(error)) << "\n";
    for (StringRef path : written)
      if (path != "-")
        sys::fs::remove(path);
    return false;
  }
  return true;
}

bool tkc::compileModule(const Options &options, ConsumeEmittable consume) {
  TimeLimit limit(options.timeLimit, options.input);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  // One module of a few hundred ops: starting threads would take longer than the passes.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);

  FrontendOptions frontend;
  frontend.inputFile = options.input;
  frontend.defines = options.defines;
  frontend.includeDirs = options.includeDirs;
  frontend.instances = options.instances;
  frontend.clangArgs = options.clangArguments;
  frontend.templateLimit = options.templateLimit;
  frontend.color = options.color;
  frontend.verify = options.verify;
  if (options.writeDependencies) {
    frontend.depFile = options.dependencyFile;
    frontend.depTarget = options.output;
  }
  return runFrontend(
      frontend, context,
      [&](mlir::ModuleOp module, clang::DiagnosticsEngine &engine, clang::SourceManager &sources) {
        DiagnosticBridge bridge(context, engine, sources);
        return succeeded(consume(module, emitOptions(options, sources)));
      });
}

int tkc::compile(const Options &options) {
  if (options.printCompileFlags) {
    for (const std::string &flag : compileFlags())
      outs() << flag << "\n";
    return 0;
  }
  SmallVector<OutputFile> outputs;
  if (!compileModule(options, [&](mlir::ModuleOp module, const EmitOptions &emit) {
        return emitOutputs(module, options, emit, outputs);
      }))
    return 1;
  if (options.verify) // the diagnostics were the output
    return 0;
  return writeOutputs(outputs, options.verbose) ? 0 : 1;
}
