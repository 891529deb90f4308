//===- Frontend.cpp - A .tk file to a module of the tk dialect ------------===//
//
// Runs Clang in this process, without its driver: a .tk file needs no system
// headers, and looking for them takes longer than parsing a kernel.
//
//===----------------------------------------------------------------------===//
#include "frontend/Frontend.h"

#include "dialect/tk/TkChoiceOp.h"
#include "frontend/CompileFlags.h"
#include "frontend/DiagnosticFormats.h"
#include "frontend/ImportKernel.h"
#include "frontend/Limits.h"
#include "frontend/PrecompiledLanguage.h"
#include "frontend/SourceFile.h"
#include "frontend/SourceHash.h"

#include "mlir/IR/Verifier.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace clang;
using namespace tkc;

namespace {
/// The macros of -D stand in a file of this name. It is included after the language header, so
/// that no macro changes what that means.
constexpr llvm::StringLiteral definesFile = "/<command line>";

/// Clang's list of the files included, embedded and asked for, with the headers of the language.
class Dependencies : public DependencyCollector {
public:
  bool needSystemDependencies() override { return true; }
  bool sawDependency(llvm::StringRef name, bool fromModule, bool isSystem, bool isModuleFile,
                     bool isMissing) override {
    return name != definesFile && !isModuleFile &&
           DependencyCollector::sawDependency(name, fromModule, isSystem, isModuleFile, isMissing);
  }
};

/// The state of a run of the frontend besides Clang's.
struct Run {
  const tkc::FrontendOptions &options;
  mlir::MLIRContext &context;
  InputFiles &inputs;
  ConsumeModule consume;
  std::string languageFolder;
  std::string pch;            // of the language header; empty if that is to be parsed
  std::string instantiations; // lines to parse after the end of the file
  bool done = false;          // lowered and consumed without error
};
} // namespace

/// Functions that choose among kernels stand after them.
static void addChoices(mlir::ModuleOp module, llvm::ArrayRef<Choice> choices,
                       const SourceManager &sources) {
  auto builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  for (const Choice &choice : choices) {
    PresumedLoc place = sources.getPresumedLoc(choice.place);
    llvm::SmallVector<mlir::Attribute> kernels;
    for (const std::string &kernel : choice.kernels)
      kernels.push_back(mlir::FlatSymbolRefAttr::get(builder.getContext(), kernel));
    builder.create<tk::ChoiceOp>(mlir::FileLineColLoc::get(builder.getContext(),
                                                           place.getFilename(), place.getLine(),
                                                           place.getColumn()),
                                 choice.name, builder.getArrayAttr(kernels));
  }
}

namespace {
class ImportConsumer : public SemaConsumer {
public:
  explicit ImportConsumer(Run &run) : run(run) {}

  void InitializeSema(Sema &instance) override {
    sema = &instance;
    limitTemplates(instance, run.options.templateLimit);
  }

  void HandleTranslationUnit(ASTContext &ast) override {
    DiagnosticsEngine &engine = ast.getDiagnostics();
    if (engine.hasErrorOccurred())
      return;
    Vocabulary language(ast.getSourceManager(), run.languageFolder);
    std::string name = run.options.inputFile == "-" ? "<stdin>" : run.options.inputFile;
    Instances instances = findInstances(*sema, language, name);
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(mlir::UnknownLoc::get(&run.context));
    bool ok = !instances.kernels.empty();
    // An error of one instance is mostly one of the others of its template: it is said once.
    llvm::SmallPtrSet<const FunctionTemplateDecl *, 4> wrong;
    UnusedValues unused;
    for (const Instance &instance : instances.kernels) {
      const FunctionTemplateDecl *primary = instance.function->getPrimaryTemplate();
      if (primary && wrong.contains(primary->getCanonicalDecl()))
        continue;
      ImportContext context(ast, language, run.context);
      if (KernelImporter(context, unused, *module).import(instance))
        continue;
      ok = false;
      if (primary)
        wrong.insert(primary->getCanonicalDecl());
    }
    ok &= !engine.hasErrorOccurred();
    if (ok) {
      addChoices(*module, instances.choices, ast.getSourceManager());
      unused.warn(engine);
    }
    run.done = ok && succeeded(mlir::verify(*module)) &&
               run.consume(*module, engine, ast.getSourceManager());
  }

private:
  Run &run;
  Sema *sema = nullptr;
};

class ImportAction : public ASTFrontendAction {
public:
  explicit ImportAction(Run &run) : run(run) {}

  bool BeginSourceFileAction(CompilerInstance &compiler) override {
    limitPreprocessor(compiler);
    return checkTokens(compiler);
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<ImportConsumer>(run);
  }

private:
  Run &run;
};
} // namespace

static std::shared_ptr<CompilerInvocation> makeInvocation(const Run &run,
                                                          DiagnosticsEngine &engine) {
  std::vector<const char *> arguments;
  const std::vector<std::string> language = parserFlags(run.languageFolder, run.pch);
  for (const std::string &flag : language)
    arguments.push_back(flag.c_str());
  const tkc::FrontendOptions &options = run.options;
  if (!options.defines.empty())
    arguments.insert(arguments.end(), {"-include", definesFile.data()});
  for (const std::string &folder : options.includeDirs)
    arguments.insert(arguments.end(), {"-I", folder.c_str()});
  if (options.color)
    arguments.push_back("-fcolor-diagnostics");
  if (options.verify)
    arguments.insert(arguments.end(), {"-verify", "-ferror-limit", "0"});
  for (const std::string &argument : options.clangArgs)
    arguments.push_back(argument.c_str());

  auto invocation = std::make_shared<CompilerInvocation>();
  if (!CompilerInvocation::CreateFromArgs(*invocation, arguments, engine))
    return nullptr;
  return invocation;
}

static bool addInstantiations(Run &run, llvm::ArrayRef<TunedFunction> tuned,
                              DiagnosticsEngine &engine) {
  if (run.options.instances.empty() && tuned.empty())
    return true;
  run.instantiations = instantiationMarker.str();
  for (const std::string &text : run.options.instances) {
    std::string line = instantiationLine(text);
    if (line.empty())
      return report(engine, SourceLocation(), Message::bad_instance) << text, false;
    run.instantiations += line;
  }
  for (const TunedFunction &function : tuned)
    run.instantiations += spellTuned(function);
  return true;
}

/// The lines that define the macros of the command line; null after an error, which was reported.
static std::unique_ptr<llvm::MemoryBuffer> spellDefines(llvm::ArrayRef<std::string> defines,
                                                        DiagnosticsEngine &engine) {
  std::string text = "# 1 \"<command line>\"\n";
  for (llvm::StringRef define : defines) {
    if (define.find_first_of("\n\r") != llvm::StringRef::npos || define.ends_with("\\"))
      return report(engine, SourceLocation(), Message::bad_define) << define, nullptr;
    auto [name, value] = define.split('=');
    text += ("#define " + name + " " + (define.contains('=') ? value : "1") + "\n").str();
  }
  return llvm::MemoryBuffer::getMemBufferCopy(text, definesFile);
}

namespace {
/// Reads the source as the preprocessor does, for the hash of all that it reads.
class HashAction : public PreprocessOnlyAction {
public:
  HashAction(const Run &run, std::string &hash) : run(run), hash(hash) {}

  bool BeginSourceFileAction(CompilerInstance &compiler) override {
    limitPreprocessor(compiler);
    return true;
  }
  void EndSourceFileAction() override {
    hash = hashSource(getCompilerInstance().getSourceManager(), run.languageFolder);
  }

private:
  const Run &run;
  std::string &hash;
};

/// The text that Clang reads, and the macros that it reads before it.
struct SourceText {
  std::string name, text, defines;
};
} // namespace

/// False if Clang cannot start.
static bool startClang(Run &run, const SourceText &source, CompilerInstance &compiler,
                       DiagnosticsEngine &earlyEngine, DiagnosticConsumer *consumer) {
  auto invocation = makeInvocation(run, earlyEngine);
  if (!invocation)
    return false;
  invocation->getFrontendOpts().Inputs = {
      FrontendInputFile(source.name, InputKind(clang::Language::CXX))};
  PreprocessorOptions &files = invocation->getPreprocessorOpts();
  files.addRemappedFile(source.name,
                        llvm::MemoryBuffer::getMemBufferCopy(source.text, source.name).release());
  files.addRemappedFile(
      definesFile, llvm::MemoryBuffer::getMemBufferCopy(source.defines, definesFile).release());
  compiler.setInvocation(invocation);
  invocation->getDiagnosticOpts().ShowCarets &=
      !consumer; // without them it does not count at the end
  compiler.createDiagnostics(consumer, /*ShouldOwnClient=*/false);
  if (!compiler.hasDiagnostics())
    return false;
  compiler.createFileManager(createVFSFromCompilerInvocation(
      compiler.getInvocation(), compiler.getDiagnostics(), makeSafeFileSystem(run.inputs)));
  return true;
}

/// The measurements of this source.
static std::vector<TunedFunction> findTuned(Run &run, const SourceText &source,
                                            DiagnosticsEngine &earlyEngine) {
  CompilerInstance compiler;
  IgnoringDiagConsumer silent; // the parser will say it
  std::string hash;
  HashAction action(run, hash);
  if (!startClang(run, source, compiler, earlyEngine, &silent))
    return {};
  compiler.ExecuteAction(action);
  return run.options.tuned(hash);
}

static bool runClang(Run &run, DiagnosticsEngine &earlyEngine, DiagnosticConsumer *collector) {
  std::unique_ptr<llvm::MemoryBuffer> file = readSource(run.options.inputFile, earlyEngine);
  if (!file)
    return false;
  run.inputs.add(run.options.inputFile);
  std::unique_ptr<llvm::MemoryBuffer> defines = spellDefines(run.options.defines, earlyEngine);
  if (!defines)
    return false;
  std::string header = run.languageFolder + "/tk.h";
  if (!llvm::sys::fs::exists(header))
    return report(earlyEngine, SourceLocation(), Message::header_not_found) << header, false;
  SourceText source{file->getBufferIdentifier().str(), file->getBuffer().str(),
                    defines->getBuffer().str()};
  std::vector<TunedFunction> tuned;
  if (run.options.tuned)
    tuned = findTuned(run, source, earlyEngine);
  if (!addInstantiations(run, tuned, earlyEngine))
    return false;
  source.text += run.instantiations;

  CompilerInstance compiler;
  if (!startClang(run, source, compiler, earlyEngine, collector))
    return false;
  auto dependencies = std::make_shared<Dependencies>();
  compiler.addDependencyCollector(dependencies);
  ImportAction action(run);
  bool clean = compiler.ExecuteAction(action);
  // The user's files first: the headers of a PCH are noted before those, parsed ones after them.
  run.inputs.dependencies = dependencies->getDependencies();
  std::ranges::stable_partition(run.inputs.dependencies, [&](const std::string &file) {
    return !llvm::StringRef(file).starts_with(run.languageFolder);
  });
  return run.options.verify ? clean : clean && run.done;
}

bool tkc::runFrontend(const tkc::FrontendOptions &options, mlir::MLIRContext &context,
                      InputFiles &inputs, ConsumeModule consume) {
  Run run{options, context, inputs, consume, languageFolder(), {}, {}};
  if (options.clangArgs.empty()) // those may change what the header means
    run.pch = findPrecompiledLanguage(run.languageFolder, inputs);
  // For errors while Clang has no engine of its own: before it reads the file, after it crashed.
  auto look = llvm::makeIntrusiveRefCnt<DiagnosticOptions>();
  look->ShowColors = options.color;
  std::unique_ptr<DiagnosticCollector> collector;
  if (options.format != DiagnosticFormat::Text)
    collector = std::make_unique<DiagnosticCollector>();
  TextDiagnosticPrinter printer(llvm::errs(), look.get());
  DiagnosticsEngine engine(new DiagnosticIDs, look,
                           collector ? static_cast<DiagnosticConsumer *>(collector.get())
                                     : &printer,
                           /*ShouldOwnClient=*/false);

  // A thread of its own for its stack, a recovery context for what Limits.cpp stops.
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  bool ok = false;
  bool finished = recovery.RunSafelyOnThread([&] { ok = runClang(run, engine, collector.get()); },
                                             parserStackBytes);
  if (!finished && recovery.RetCode != stoppedByLimit && options.onCrash)
    options.onCrash();
  if (!finished && recovery.RetCode != stoppedByLimit)
    report(engine, SourceLocation(), Message::crashed) << options.inputFile;
  if (collector)
    collector->print(options.format, options.version, llvm::errs());
  return finished && ok;
}
