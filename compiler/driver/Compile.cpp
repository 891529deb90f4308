//===- Compile.cpp - One source file to the requested output --------------===//
//
// Frontend, passes, backend. All outputs are made in memory and only then written:
// an error never touches the files of an earlier run.
//
//===----------------------------------------------------------------------===//
#include "driver/Compile.h"

#include "backend/EmitCuda.h"
#include "backend/Interface.h"
#include "backend/LineTable.h"
#include "backend/Standalone.h"
#include "dialect/Dialects.h"
#include "driver/DependencyFile.h"
#include "driver/DiagnosticBridge.h"
#include "driver/EmitBinary.h"
#include "driver/EmitProfiled.h"
#include "driver/KernelThreads.h"
#include "driver/Pipeline.h"
#include "driver/PtxasCheck.h"
#include "driver/ResourceLimits.h"
#include "driver/Tuned.h"
#include "frontend/CompileFlags.h"
#include "frontend/Frontend.h"
#include "frontend/Limits.h"
#include "frontend/PrecompiledLanguage.h"
#include "frontend/SourceHash.h"
#include "remarks/Remarks.h"
#include "report/Report.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/resource.h>

using namespace llvm;
using namespace tkc;

static clang::FileID findFile(clang::SourceManager &sources, StringRef file) {
  clang::FileID id;
  if (auto entry = sources.getFileManager().getOptionalFileRef(file))
    id = sources.translateFile(*entry);
  return id.isInvalid() ? sources.getMainFileID() : id;
}

/// The text of line `number` of `file`, without the spaces around it.
static std::optional<StringRef> sourceLine(clang::SourceManager &sources, StringRef file,
                                           unsigned number) {
  clang::FileID id = findFile(sources, file);
  clang::SourceLocation place = sources.translateLineCol(id, number, 1);
  if (place.isInvalid())
    return std::nullopt;
  StringRef rest = sources.getBufferData(id).drop_front(sources.getFileOffset(place));
  return rest.take_until([](char c) { return c == '\n' || c == '\r'; }).trim();
}

static unsigned tokenLength(clang::SourceManager &sources, StringRef file, unsigned line,
                            unsigned column) {
  clang::SourceLocation place =
      sources.translateLineCol(findFile(sources, file), line, std::max(column, 1u));
  return place.isInvalid() ? 0
                           : clang::Lexer::MeasureTokenLength(place, sources, clang::LangOptions());
}

namespace {
/// Keeps the IR after each pass that changes it.
class PassCollector : public mlir::PassManager::IRPrinterConfig {
public:
  explicit PassCollector(std::vector<PassText> &texts)
      : IRPrinterConfig(/*printModuleScope=*/true, /*printAfterOnlyOnChange=*/true), texts(texts) {}

private:
  void printBeforeIfEnabled(mlir::Pass *, mlir::Operation *, PrintCallbackFn) final {}
  void printAfterIfEnabled(mlir::Pass *pass, mlir::Operation *, PrintCallbackFn print) final {
    if (pass != last) // or it has changed another kernel
      texts.push_back({pass->getArgument().str(), {}});
    last = pass;
    texts.back().text.clear();
    raw_string_ostream stream(texts.back().text);
    print(stream);
  }

  std::vector<PassText> &texts;
  mlir::Pass *last = nullptr;
};
} // namespace

mlir::LogicalResult tkc::runPasses(mlir::ModuleOp module, const Options &options,
                                   std::vector<PassText> *texts) {
  mlir::PassManager passes(module.getContext());
  buildPipeline(passes, {options.silencedWarnings});
  // After every pass it would be a sixth of the time. Passes ask for it where stages meet, and
  // tk-opt, in tests of a pass, after each.
  passes.enableVerifier(options.printIrAfterAll || !options.crashReproducer.empty());
  if (texts) {
    raw_string_ostream(texts->emplace_back(PassText{"the source", {}}).text) << module;
    passes.enableIRPrinting(std::make_unique<PassCollector>(*texts));
  }
  if (options.timing)
    passes.enableTiming();
  if (options.printIrAfterAll)
    passes.enableIRPrinting([](auto *, auto *) { return false; },
                            [](auto *, auto *) { return true; },
                            /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
  if (!options.crashReproducer.empty())
    passes.enableCrashReproducerGeneration(options.crashReproducer);
  if (failed(passes.run(module)))
    return mlir::failure();
  return mlir::verify(module);
}

/// How emitted text calls its source and its header.
static EmitOptions emitOptions(const Options &options, clang::SourceManager &sources) {
  StringRef stem = sys::path::stem(options.input);
  EmitOptions emit;
  emit.sourceName = options.input == "-" ? "<stdin>" : sys::path::filename(options.input).str();
  bool isAboutCuda = options.emit == Emit::Lines || options.emit == Emit::Html; // of the usual name
  if (options.output != "-" && !isAboutCuda)
    stem = sys::path::stem(options.output);
  else if (options.input == "-")
    stem = "kernel";
  emit.headerName = (stem + ".h").str();
  emit.sourcePath = options.input;
  emit.version = versionString();
  emit.sourceHash = hashSource(sources, languageFolder());
  emit.isStandalone = options.isStandalone;
  emit.profileDetail = options.profile == "all"     ? ProfileDetail::All
                       : options.profile == "waits" ? ProfileDetail::Waits
                                                    : ProfileDetail::Sampled;
  emit.sourceText = [&](StringRef file) -> std::optional<StringRef> {
    return sources.getBufferDataOrNone(findFile(sources, file));
  };
  emit.tokenLength = [&](StringRef file, unsigned line, unsigned column) {
    return tokenLength(sources, file, line, column);
  };
  emit.isDeviceOnly = options.emit == Emit::Device;
  emit.sourceLine = [&](StringRef file, unsigned line) { return sourceLine(sources, file, line); };
  return emit;
}

static std::string cudaName(const EmitOptions &emit) {
  return (sys::path::stem(emit.headerName) + ".cu").str();
}

/// With --ptxas, a problem is in the report and an error as well.
static mlir::LogicalResult emitReport(mlir::ModuleOp module, const Options &options,
                                      const EmitOptions &emit, raw_ostream &text) {
  std::vector<KernelReport> reports = gatherReports(module);
  mlir::LogicalResult result = mlir::success();
  if (options.ptxas)
    result = checkWithPtxas(module, options, emit, reports);
  if (options.emit == Emit::Report)
    printReportsAsText(reports, text);
  else
    printReportsAsJson(reports, text);
  return result;
}

/// Machine code of the CUDA and its header together.
static mlir::LogicalResult emitFromCuda(mlir::ModuleOp module, const Options &options,
                                        const EmitOptions &emit, raw_ostream &os) {
  std::string cuda, header;
  raw_string_ostream cudaStream(cuda), headerStream(header);
  if (failed(emitCuda(module, emit, cudaStream)) || failed(emitHeader(module, emit, headerStream)))
    return mlir::failure();
  mlir::FailureOr<run::NvccOutput> code =
      emitBinary(module, options.nvcc, emit.headerName, cuda, header);
  if (succeeded(code))
    os << (options.emit == Emit::Ptx ? code->ptx : code->cubin);
  return code;
}

/// The page of --emit=html, with the run of --trace in it.
static mlir::LogicalResult emitPage(mlir::ModuleOp module, const Options &options,
                                    const EmitOptions &emit, ExplorerOptions page,
                                    raw_ostream &os) {
  page.isComparing = !options.compared.empty();
  TracedRun traced;
  if (!options.trace.empty()) {
    Expected<TracedRun> read = readRunOf(module, emit, options.trace);
    if (!read) {
      WithColor::error(errs(), "tkc") << toString(read.takeError()) << "\n";
      return mlir::failure();
    }
    traced = std::move(*read);
    page.run = &traced.run;
  }
  return emitExplorer(module, emit, page, os);
}

static mlir::LogicalResult emitLines(mlir::ModuleOp module, const EmitOptions &emit,
                                     raw_ostream &os) {
  LineTable lines;
  if (failed(emitCuda(module, emit, nulls(), &lines)))
    return mlir::failure();
  printLinesAsJson(lines, emit, cudaName(emit), os);
  return mlir::success();
}

/// The CUDA, what belongs beside it, and the header unless it is in the CUDA.
static mlir::LogicalResult emitCudaFiles(mlir::ModuleOp module, const Options &options,
                                         const EmitOptions &emit,
                                         SmallVectorImpl<OutputFile> &outputs) {
  std::string cuda, header, table;
  raw_string_ostream cudaStream(cuda), headerStream(header);
  if (failed(options.isProfiled ? emitProfiled(module, emit, cuda, table)
                                : emitCuda(module, emit, cudaStream)) ||
      failed(emitHeader(module, emit, headerStream)))
    return mlir::failure();
  if (options.isStandalone) {
    Expected<std::string> text =
        makeStandalone(cuda, emit.headerName, header, sys::path::parent_path(languageFolder()));
    if (!text)
      return mlir::emitError(module.getLoc()) << toString(text.takeError());
    cuda = *text;
  }
  outputs.front().text = cuda;
  if (isWrittenInPlace(options.output)) // nothing stands beside a device
    return mlir::success();
  auto writeBeside = [&](const Twine &name, std::string text) {
    SmallString<128> path(sys::path::parent_path(options.output));
    sys::path::append(path, name);
    outputs.push_back({path.str().str(), std::move(text), false});
  };
  if (!options.isStandalone)
    writeBeside(emit.headerName, header);
  if (options.isProfiled)
    writeBeside(sys::path::stem(emit.headerName) + ".profile.json", table);
  return mlir::success();
}

/// The kernels for NVRTC, and how they are launched if that is asked for.
static mlir::LogicalResult emitDevice(mlir::ModuleOp module, const Options &options,
                                      const EmitOptions &emit,
                                      SmallVectorImpl<OutputFile> &outputs) {
  raw_string_ostream text(outputs.front().text);
  if (failed(emitCuda(module, emit, text)))
    return mlir::failure();
  if (options.plan.empty())
    return mlir::success();
  raw_string_ostream plan(outputs.emplace_back(OutputFile{options.plan, {}, false}).text);
  return emitLaunchPlans(module, emit, plan);
}

/// Makes the text of every output in memory.
static mlir::LogicalResult emitOutputs(mlir::ModuleOp module, const Options &options,
                                       const EmitOptions &emit,
                                       SmallVectorImpl<OutputFile> &outputs) {
  OutputFile &main = outputs.emplace_back(OutputFile{options.output, {}, false});
  raw_string_ostream text(main.text);
  if (options.emit == Emit::Tk) {
    module.print(text);
    return mlir::success();
  }
  if (options.emit == Emit::Reference)
    return emitReference(module, emit, text);

  ExplorerOptions page;
  if (failed(runPasses(module, options, options.showPasses ? &page.passes : nullptr)))
    return mlir::failure();
  if (options.isProfiled)
    setProfiled(module, true);
  switch (options.emit) {
  case Emit::Hopper:
    module.print(text);
    return mlir::success();
  case Emit::Report:
  case Emit::ReportJson:
    return emitReport(module, options, emit, text);
  case Emit::Html:
    return emitPage(module, options, emit, std::move(page), text);
  case Emit::Lines:
    return emitLines(module, emit, text);
  case Emit::Header:
    return emitHeader(module, emit, text);
  case Emit::Device:
    return emitDevice(module, options, emit, outputs);
  case Emit::Plan:
    return emitLaunchPlans(module, emit, text);
  default:
    break;
  }
  if (options.emit == Emit::Cubin || options.emit == Emit::Ptx)
    return emitFromCuda(module, options, emit, text);
  return emitCudaFiles(module, options, emit, outputs);
}

/// MLIR shows the IR after a pass, or of one that crashed, from one thread alone. Where the address
/// space is limited, several threads' stacks may not fit.
static bool mayUseThreads(const Options &options) {
  rlimit limit;
  bool isLimited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return !isLimited && !options.showPasses && !options.printIrAfterAll &&
         options.crashReproducer.empty();
}

bool tkc::compileModule(const Options &options, InputFiles &inputs, ConsumeEmittable consume) {
  ResourceLimits limits("tkc", options.input, options.timeLimit, options.memoryLimit,
                        parserStackBytes);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  // Of one kernel, a few hundred ops, no pass makes two tasks.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  RemarkCollector::add(context, options.doneRemarks, options.missedRemarks);

  FrontendOptions frontend;
  frontend.inputFile = options.input;
  frontend.defines = options.defines;
  frontend.includeDirs = options.includeDirs;
  frontend.instances = options.instances;
  frontend.clangArgs = options.clangArguments;
  frontend.onCrash = [&] { limits.endIfMemoryIsShort(); };
  frontend.templateLimit = options.templateLimit;
  frontend.color = options.color;
  frontend.format = options.diagnosticFormat;
  frontend.version = versionString();
  frontend.verify = options.verify;
  std::optional<TunedSource> tuned;
  if (!options.tuned.empty()) {
    inputs.add(options.tuned);
    Expected<TunedSource> read =
        TunedSource::read(options.tuned, sys::path::filename(options.input));
    if (!read) {
      WithColor::error(errs(), "tkc", !options.color) << toString(read.takeError()) << "\n";
      return false;
    }
    tuned = std::move(*read);
    frontend.tuned = [&](const std::string &hash) { return tuned->select(hash); };
  }
  bool ok = runFrontend(
      frontend, context, inputs,
      [&](mlir::ModuleOp module, clang::DiagnosticsEngine &engine, clang::SourceManager &sources) {
        DiagnosticBridge bridge(context, engine, sources);
        auto kernels = module.getOps<tk::KernelOp>();
        std::optional<KernelThreads> threads;
        if (size_t count = range_size(kernels); count > 1 && mayUseThreads(options))
          threads.emplace(context, limits, unsigned(count));
        if (tuned)
          tuned->apply(module);
        return succeeded(consume(module, emitOptions(options, sources)));
      });
  if (tuned)
    inputs.dependencies.push_back(options.tuned);
  return ok;
}

/// MLIR writes the reproducer itself, where a pass fails.
static bool canWriteReproducer(const Options &options, const InputFiles &inputs) {
  sys::fs::UniqueID id;
  if (options.crashReproducer.empty() || sys::fs::getUniqueID(options.crashReproducer, id) ||
      !inputs.find(id))
    return true;
  WithColor::error(errs(), "tkc") << "cannot write '" << options.crashReproducer
                                  << "': it is an input; choose another name\n";
  return false;
}

/// False after an error that was printed.
static bool addDependencies(const Options &options, const InputFiles &inputs,
                            SmallVectorImpl<OutputFile> &outputs) {
  Expected<std::string> text = spellDependencies(
      options.dependencyTarget.empty() ? options.output : options.dependencyTarget,
      inputs.dependencies);
  if (text) {
    outputs.push_back({options.dependencyFile, *text, /*isStamp=*/true});
    return true;
  }
  WithColor::error(errs(), "tkc") << "cannot write '" << options.dependencyFile
                                  << "': " << toString(text.takeError()) << "\n";
  return false;
}

int tkc::compile(const Options &options) {
  if (options.printCompileFlags) {
    for (const std::string &flag : compileFlags())
      outs() << flag << "\n";
    return 0;
  }
  if (!options.precompiledLanguage.empty())
    return precompileLanguage(options.precompiledLanguage) ? 0 : 1;
  InputFiles inputs;
  SmallVector<OutputFile> outputs;
  if (!options.trace.empty())
    inputs.add(options.trace);
  if (!compileModule(options, inputs, [&](mlir::ModuleOp module, const EmitOptions &emit) {
        if (!canWriteReproducer(options, inputs))
          return mlir::LogicalResult::failure();
        return emitOutputs(module, options, emit, outputs);
      })) {
    bool isReport = options.ptxas && !outputs.empty() && !outputs.front().text.empty();
    if (isReport && !options.verify)
      writeOutputs(outputs, inputs, options.verbose);
    return 1;
  }
  if (options.verify) // the diagnostics were the output
    return 0;
  if (options.writeDependencies && !addDependencies(options, inputs, outputs))
    return 1;
  return writeOutputs(outputs, inputs, options.verbose) ? 0 : 1;
}
