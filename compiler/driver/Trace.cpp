//===- Trace.cpp - From the records of a run to a timeline ----------------===//
//
// A run and the tables beside it are files that nobody has looked at: only regular
// ones are opened, within limits, and no output replaces one that was read.
//
//===----------------------------------------------------------------------===//
#include "driver/Trace.h"

#include "driver/Nesting.h"
#include "driver/OutputFiles.h"
#include "driver/ResourceLimits.h"
#include "profile/ChromeTrace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::profile;

/// A kernel with a hundred statements has 60 kB.
static constexpr uint64_t longestTable = 64 << 20;

/// The text ends with a zero, a run need not: it is mapped, however long it is.
static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef path, bool isText) {
  sys::fs::file_status status;
  std::error_code error = sys::fs::status(path, status);
  if (!error && !sys::fs::is_regular_file(status) && !sys::fs::is_directory(status))
    return createStringError("cannot read '" + path + "': it is not a regular file");
  if (!error && isText && status.getSize() > longestTable)
    return createStringError("cannot read '" + path + "': it is longer than " +
                             Twine(longestTable) + " bytes, the most a table may have");
  auto file = MemoryBuffer::getFile(path, isText, /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError("cannot read '" + path + "': " + file.getError().message());
  return std::move(*file);
}

Expected<std::unique_ptr<MemoryBuffer>> tkc::readRunFile(StringRef path) {
  return readFile(path, /*isText=*/false);
}

static Expected<std::unique_ptr<Table>> readTable(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readFile(path, /*isText=*/true);
  if (!file)
    return file.takeError();
  // LLVM's parser of JSON calls itself for each level.
  if (std::optional<unsigned> line = findDeepNesting((*file)->getBuffer()))
    return createStringError("cannot use '" + path + "': it nests brackets more than " +
                             Twine(deepestNesting) + " deep on line " + Twine(*line));
  Expected<Table> table = parseTable((*file)->getBuffer());
  if (!table)
    return createStringError("cannot use '" + path +
                             "': it is no table of tkc --profile: " + toString(table.takeError()));
  return std::make_unique<Table>(std::move(*table));
}

/// The table of this build among those beside the run; its path.
static Expected<std::unique_ptr<Table>> findTable(StringRef run, uint64_t build,
                                                  std::string &path) {
  StringRef folder = sys::path::parent_path(run);
  if (folder.empty())
    folder = ".";
  std::vector<std::string> others;
  std::error_code error;
  for (sys::fs::directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error)) {
    if (!StringRef(entry->path()).ends_with(".profile.json"))
      continue;
    Expected<std::unique_ptr<Table>> table = readTable(entry->path());
    if (table && (*table)->build == build) {
      path = entry->path();
      return table;
    }
    if (!table)
      consumeError(table.takeError()); // it may be of something else
    others.push_back(sys::path::filename(entry->path()).str());
  }
  sort(others);
  std::string hex = utohexstr(build, /*LowerCase=*/true);
  if (others.empty())
    return createStringError(
        "there is no .profile.json in '" + folder +
        "'; name the one that tkc --profile wrote beside the CUDA: --table FILE");
  return createStringError("it is of another build, " + hex + ", than " + join(others, ", ") +
                           " in '" + folder + "'; name the table of its build: --table FILE");
}

Expected<TracedRun> tkc::readTracedRun(StringRef path, StringRef tablePath) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readRunFile(path);
  if (!file)
    return file.takeError();
  StringRef bytes = (*file)->getBuffer();
  auto refuse = [&](Error error) {
    return createStringError("cannot use '" + path + "': " + toString(std::move(error)));
  };
  Expected<uint64_t> build = readBuild(bytes);
  if (!build)
    return refuse(build.takeError());
  std::string found = tablePath.str();
  Expected<std::unique_ptr<Table>> table =
      tablePath.empty() ? findTable(path, *build, found) : readTable(tablePath);
  if (!table)
    return tablePath.empty() ? refuse(table.takeError()) : table.takeError();
  Expected<Run> run = readRun(bytes, **table);
  if (!run)
    return refuse(run.takeError());
  return TracedRun{std::move(*table), std::move(*run), found};
}

/// Makes the output in memory. False after an error that was printed.
static bool showRun(const TraceOptions &options, OutputFile &output, InputFiles &inputs) {
  ResourceLimits limits("tkc", options.input, options.timeLimit, options.memoryLimit,
                        /*stackBytes=*/0, "show; give more with");
  Expected<TracedRun> traced = readTracedRun(options.input, options.table);
  if (!traced) {
    WithColor::error(errs(), "tkc") << toString(traced.takeError()) << "\n";
    return false;
  }
  inputs.add(options.input);
  inputs.add(traced->tablePath);
  raw_string_ostream text(output.text);
  printChromeTrace(traced->run, *traced->table, text);
  return true;
}

int tkc::trace(const TraceOptions &options) {
  OutputFile output{options.output, {}, false};
  InputFiles inputs;
  if (!showRun(options, output, inputs))
    return 1;
  return writeOutputs({output}, inputs, options.verbose) ? 0 : 1;
}
