//===- Run.cpp - A source file, compiled, emulated and compared -----------===//
//
// The kernels are built to two programs for this CPU: the emitted CUDA against the
// emulator, and the source as the plain C++ it is. A trial is one kernel at one
// shape with one seed; trials are independent and run in processes of their own.
//
//===----------------------------------------------------------------------===//
#include "driver/Run.h"

#include "driver/Compile.h"
#include "driver/RunPlan.h"
#include "run/Comparison.h"
#include "run/HostCompiler.h"
#include "run/Processes.h"
#include "run/ProgressLine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::run;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {
/// Where everything is made. Removed with all that is in it, unless the user keeps it.
class Folder {
public:
  Error open(const RunOptions &options) {
    std::error_code error;
    keeps = !options.keptFolder.empty();
    if (keeps) {
      path = options.keptFolder;
      error = sys::fs::create_directories(path);
    } else {
      error = sys::fs::createUniqueDirectory("tkc-run", path);
    }
    if (error)
      return createStringError("cannot make the folder '" + path + "': " + error.message());
    return Error::success();
  }
  ~Folder() {
    if (!keeps && !path.empty())
      sys::fs::remove_directories(path);
  }
  std::string file(const Twine &name) const {
    SmallString<128> result(path);
    sys::path::append(result, name);
    return result.str().str();
  }

private:
  SmallString<128> path;
  bool keeps = false;
};

/// The name of the source without its ending and without what #include cannot spell.
std::string harmlessStem(StringRef path) {
  std::string stem = sys::path::stem(path).str();
  for (char &c : stem)
    if (!isAlnum(c) && !StringRef("_-.+=@,").contains(c))
      c = '_';
  return stem;
}

/// The files of a run, by their path.
struct Files {
  std::string cuda, header, reference, calls, callsObject;
  Programs programs;

  Files(const RunOptions &options, const Folder &folder) {
    std::string stem = harmlessStem(options.source.input);
    cuda = folder.file(stem + ".cu");
    header = folder.file(stem + ".h");
    reference = folder.file(stem + "_reference.cpp");
    calls = folder.file(stem + "_calls.cpp");
    callsObject = folder.file(stem + "_calls.o");
    programs.emulated = folder.file(stem + "_emulated");
    if (!options.skipsReference)
      programs.reference = folder.file(stem + "_reference");
  }
};
} // namespace

/// Makes the CUDA and the reference in memory; the signatures of all kernels. False after an error
/// that was printed.
static bool compileSource(const RunOptions &options, InputFiles &inputs,
                          std::vector<OutputFile> &outputs, std::vector<Signature> &signatures) {
  Options compiling = options.source;
  compiling.output = harmlessStem(options.source.input) + ".cu";
  outputs.resize(3);
  auto emit = [&](mlir::ModuleOp module, const EmitOptions &how) {
    for (tk::KernelOp kernel : module.getOps<tk::KernelOp>()) {
      mlir::FailureOr<Signature> signature = getSignature(kernel);
      if (failed(signature))
        return mlir::failure();
      signatures.push_back(*signature);
    }
    raw_string_ostream reference(outputs[0].text), cuda(outputs[1].text), header(outputs[2].text);
    if (failed(emitReference(module, how, reference)))
      return mlir::failure();
    if (!options.emitted.empty())
      return mlir::success();
    return mlir::success(succeeded(runPasses(module, compiling)) &&
                         succeeded(emitCuda(module, how, cuda)) &&
                         succeeded(emitHeader(module, how, header)));
  };
  if (!compileModule(compiling, inputs, emit))
    return false;
  if (!options.emitted.empty()) {
    inputs.add(options.emitted);
    outputs.resize(1);
  }
  return true;
}

/// The host's compiler writes these, and asks nobody.
static Error checkBuilt(const Files &files, const InputFiles &inputs) {
  for (const std::string &built :
       {files.callsObject, files.programs.emulated, files.programs.reference})
    for (const char *ending : {"", ".log"}) {
      sys::fs::UniqueID id;
      if (!sys::fs::getUniqueID(built + ending, id) && inputs.find(id))
        return createStringError("cannot write '" + built + ending +
                                 "': it is an input; choose another folder with --keep");
    }
  return Error::success();
}

/// Builds the programs that call the kernels of the plan.
static Error build(const RunOptions &options, const InputFiles &inputs, const Files &files,
                   const RunPlan &plan, ProgressLine &progress) {
  Expected<HostCompiler> compiler = findHostCompiler(options.hostCompiler);
  if (!compiler)
    return compiler.takeError();
  const std::string &cuda = options.emitted.empty() ? files.cuda : options.emitted;
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(cuda, status))
    return createStringError("cannot read '" + cuda + "': " + StringRef(error.message()).lower());
  if (!sys::fs::is_regular_file(status)) // the host's compiler would wait for a pipe
    return createStringError("cannot read '" + cuda + "': it is not a regular file");
  if (Error error = checkBuilt(files, inputs))
    return error;
  SmallString<128> path(cuda);
  sys::fs::make_absolute(path); // or a name could be an option of the host's compiler
  std::vector<Signature> signatures;
  for (const Subject &subject : plan.subjects)
    signatures.push_back(subject.signature);
  if (!writeOutputs({{files.calls, callSource(signatures)}}, inputs, options.source.verbose))
    return createStringError("nothing can be built");
  auto tick = [&] { progress.show(0, 0, "building for this CPU"); };
  if (Error error = runBuilds(buildCalls(*compiler, files.calls, files.callsObject), tick))
    return error;
  std::vector<Build> builds = {buildEmulated(*compiler, path.str().str(), files.callsObject,
                                             files.programs.emulated, !options.isUncontracted)};
  if (!options.skipsReference)
    builds.push_back(
        buildReference(*compiler, files.reference, files.callsObject, files.programs.reference));
  return runBuilds(builds, tick);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The output of a process: a line with the policy before each run, then the outcome.
static Outcome readOutcome(const ProcessResult &result) {
  Outcome outcome;
  SmallVector<StringRef> lines;
  StringRef(result.output).split(lines, '\n', -1, /*KeepEmpty=*/false);
  if (result.death.empty() && !lines.empty()) {
    if (Expected<json::Value> value = json::parse(lines.back())) {
      json::Path::Root root;
      if (fromJSON(*value, outcome, root))
        return outcome;
    } else {
      consumeError(value.takeError());
    }
  }
  StringRef policy = lines.empty() ? "" : lines.back();
  outcome.policy = policy == "reference" ? "" : policy.str();
  outcome.problem =
      std::string(policy == "reference" ? "the reference" : "the process of the emulator") +
      " ended early: " + result.death;
  if (!result.errors.empty())
    outcome.report = outcome.problem + "\n" + result.errors;
  return outcome;
}

/// False if the user interrupted it.
static bool runTrials(const RunOptions &options, const RunPlan &plan, const Programs &programs,
                      RunResults &results) {
  ProgressLine progress;
  auto start = std::chrono::steady_clock::now();
  unsigned done = 0, total = unsigned(plan.trials.size());
  results.runs.resize(plan.subjects.size());
  auto work = [&](unsigned i, Write write) {
    const Trial &trial = plan.trials[i];
    double tolerance = options.tolerance.value_or(defaultTolerance(trial.subject->signature));
    Outcome outcome = runTrial(trial, programs, options.policies, tolerance,
                               [&](StringRef policy) { write((policy + "\n").str()); });
    std::string text;
    raw_string_ostream(text) << toJSON(outcome) << "\n";
    write(text);
  };
  auto finish = [&](unsigned i, ProcessResult result) {
    Outcome outcome = readOutcome(result);
    ++done;
    for (auto [subject, runs] : zip(plan.subjects, results.runs))
      if (&subject == plan.trials[i].subject)
        runs += outcome.runs;
    if (outcome.problem.empty())
      return true;
    results.failures.push_back({i, std::move(outcome)});
    return options.keepsGoing;
  };
  bool isWhole = runInProcesses(total, options.jobs, work, finish, [&] {
    if (done < total)
      progress.show(done, total, describe(plan.trials[done]));
  });
  llvm::sort(results.failures,
             [](const RunFailure &a, const RunFailure &b) { return a.trial < b.trial; });
  // Those that were started beside the first failure may or may not have ended before it.
  if (!options.keepsGoing && results.failures.size() > 1)
    results.failures.resize(1);
  results.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return isWhole;
}

int tkc::runKernels(const RunOptions &options) {
  auto refuse = [&](Error error) {
    WithColor::error(errs(), "tkc", !options.source.color)
        << llvm::toString(std::move(error)) << "\n";
    return 1;
  };
  catchInterrupts();
  InputFiles inputs;
  std::vector<OutputFile> outputs;
  std::vector<Signature> signatures;
  if (!compileSource(options, inputs, outputs, signatures))
    return 1;
  // Made only now: who passes a limit above ends at once, and leaves nothing behind.
  Folder folder;
  if (Error error = folder.open(options))
    return refuse(std::move(error));
  Files files(options, folder);
  const std::string *paths[] = {&files.reference, &files.cuda, &files.header};
  for (auto [output, path] : zip(outputs, paths))
    output.path = *path;
  if (!writeOutputs(outputs, inputs, options.source.verbose))
    return 1;
  RunPlan plan;
  if (Error error = makeRunPlan(options, std::move(signatures), plan))
    return refuse(std::move(error));

  ProgressLine progress;
  Error error = build(options, inputs, files, plan, progress);
  progress.clear();
  if (wasInterrupted()) {
    consumeError(std::move(error)); // of the host's compiler, which was interrupted too
    error = createStringError("interrupted");
  }
  if (error)
    return refuse(std::move(error));

  RunResults results;
  bool isWhole = runTrials(options, plan, files.programs, results);
  if (!isWhole)
    return refuse(createStringError("interrupted"));
  (options.json ? tellAsJson : tellAsText)(options, plan, results);
  return results.failures.empty() ? 0 : 1;
}
