//===- Trace.cpp - From the records of a run to a timeline ----------------===//
#include "driver/Trace.h"

#include "driver/OutputFiles.h"
#include "profile/ChromeTrace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::profile;

static Error wrong(const Twine &what) { return createStringError(what); }

static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef path, bool isText) {
  auto file = MemoryBuffer::getFile(path, isText, /*RequiresNullTerminator=*/false);
  if (!file)
    return wrong("cannot read '" + path + "': " + file.getError().message());
  return std::move(*file);
}

static Expected<std::unique_ptr<Table>> readTable(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readFile(path, /*isText=*/true);
  if (!file)
    return file.takeError();
  Expected<Table> table = parseTable((*file)->getBuffer());
  if (!table)
    return wrong("cannot use '" + path +
                 "': it is no table of tkc --profile: " + toString(table.takeError()));
  return std::make_unique<Table>(std::move(*table));
}

/// The table of this build among those beside the run.
static Expected<std::unique_ptr<Table>> findTable(StringRef run, uint64_t build) {
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
    if (table && (*table)->build == build)
      return table;
    if (!table)
      consumeError(table.takeError()); // it may be of something else
    others.push_back(sys::path::filename(entry->path()).str());
  }
  sort(others);
  std::string hex = utohexstr(build, /*LowerCase=*/true);
  if (others.empty())
    return wrong("there is no .profile.json in '" + folder +
                 "'; name the one that tkc --profile wrote beside the CUDA: --table FILE");
  return wrong("it is of another build, " + hex + ", than " + join(others, ", ") + " in '" +
               folder + "'; name the table of its build: --table FILE");
}

Expected<TracedRun> tkc::readTracedRun(StringRef path, StringRef tablePath) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readFile(path, /*isText=*/false);
  if (!file)
    return file.takeError();
  StringRef bytes = (*file)->getBuffer();
  auto refuse = [&](Error error) {
    return wrong("cannot use '" + path + "': " + toString(std::move(error)));
  };
  Expected<uint64_t> build = readBuild(bytes);
  if (!build)
    return refuse(build.takeError());
  Expected<std::unique_ptr<Table>> table =
      tablePath.empty() ? findTable(path, *build) : readTable(tablePath);
  if (!table)
    return tablePath.empty() ? refuse(table.takeError()) : table.takeError();
  Expected<Run> run = readRun(bytes, **table);
  if (!run)
    return refuse(run.takeError());
  return TracedRun{std::move(*table), std::move(*run)};
}

int tkc::trace(const TraceOptions &options) {
  Expected<TracedRun> traced = readTracedRun(options.input, options.table);
  if (!traced) {
    WithColor::error(errs(), "tkc") << toString(traced.takeError()) << "\n";
    return 1;
  }
  OutputFile output{options.output, {}, false};
  raw_string_ostream text(output.text);
  printChromeTrace(traced->run, *traced->table, text);
  InputFiles inputs;
  inputs.add(options.input);
  if (!options.table.empty())
    inputs.add(options.table);
  return writeOutputs({output}, inputs, options.verbose) ? 0 : 1;
}
