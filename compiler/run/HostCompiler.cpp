//===- HostCompiler.cpp - Emitted text to programs for this CPU -----------===//
//
// The flags are files of the runtime, because whoever builds emitted CUDA for the
// emulator needs the same. The emulator's headers have the names of those for the
// GPU, so that their folder must come first.
//
//===----------------------------------------------------------------------===//
#include "run/HostCompiler.h"

#include "frontend/CompileFlags.h"
#include "run/PrecompiledHeader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <thread>

using namespace llvm;
using namespace tkc;
using namespace tkc::run;

std::string tkc::run::joined(const Twine &folder, StringRef name) {
  SmallString<128> path;
  folder.toVector(path);
  sys::path::append(path, name);
  return path.str().str();
}

Expected<HostCompiler> run::findHostCompiler(const std::string &name) {
  HostCompiler result;
  ErrorOr<std::string> program = sys::findProgramByName(name);
  if (!program || !sys::fs::can_execute(*program))
    return createStringError("there is no '" + name +
                             "' to compile the emitted code for this CPU; install GCC, or name "
                             "one with --host-compiler");
  result.program = *program;
  result.runtimeFolder = sys::path::parent_path(languageFolder()).str();
  std::string self = programPath();
  result.emulatorLibrary =
      joined(sys::path::parent_path(sys::path::parent_path(self)), "lib/libtkemulator.a");
  if (!sys::fs::exists(result.emulatorLibrary))
    return createStringError("there is no '" + result.emulatorLibrary +
                             "'; build the target tkemulator");
  result.hasGold = bool(sys::findProgramByName("ld.gold"));
  return result;
}

/// The command of every build: its flags, the folders of its headers, its output.
static std::vector<std::string> commonCommand(const HostCompiler &compiler,
                                              const std::string &output,
                                              ArrayRef<StringRef> folders) {
  std::vector<std::string> command = {
      compiler.program, "@" + joined(compiler.runtimeFolder, "host/compile.flags"), "-o", output};
  for (StringRef folder : folders)
    command.insert(command.end(), {"-I", joined(compiler.runtimeFolder, folder)});
  return command;
}

/// The files that are linked after the source.
static std::vector<std::string> linked(const HostCompiler &compiler,
                                       std::vector<std::string> files) {
  files.insert(files.begin(), {"-x", "none"});
  if (compiler.hasGold)
    files.push_back("-fuse-ld=gold");
  return files;
}

Build run::buildCalls(const HostCompiler &compiler, const std::string &source,
                      const std::string &output) {
  std::vector<std::string> command = commonCommand(compiler, output, {""});
  command.insert(command.end(), {"-fPIC", "-c", source});
  return {"what calls the kernels", command, output + ".log"};
}

Build run::buildEmulated(const HostCompiler &compiler, const std::string &source,
                         const std::string &calls, const std::string &output, bool isContracted) {
  const std::string rounding = isContracted ? "contracted" : "uncontracted";
  std::vector<std::string> command = commonCommand(compiler, output, {"emulator", "hopper", ""});
  // GCC takes the first file of that name, precompiled or not.
  StringRef libraries = sys::path::parent_path(compiler.emulatorLibrary);
  std::vector<std::string> headers = precompiledKernelHeaders(joined(libraries, rounding), source);
  command.insert(command.begin() + 1, headers.begin(), headers.end());
  command.insert(command.end(),
                 {"@" + joined(compiler.runtimeFolder, "emulator/kernel.flags"),
                  "@" + joined(compiler.runtimeFolder, "emulator/" + rounding + ".flags"), "-x",
                  "c++", source});
  append_range(command, linked(compiler, {calls, compiler.emulatorLibrary}));
  return {"the emulated kernels", command, output + ".log"};
}

Build run::buildReference(const HostCompiler &compiler, const std::string &source,
                          const std::string &calls, const std::string &output) {
  std::vector<std::string> command = commonCommand(compiler, output, {""});
  command.push_back(source);
  append_range(command, linked(compiler, {calls}));
  return {"the reference", command, output + ".log"};
}

Error run::runBuilds(ArrayRef<Build> builds, function_ref<void()> tick) {
  std::vector<sys::ProcessInfo> processes;
  for (const Build &build : builds) {
    std::vector<StringRef> arguments(build.command.begin(), build.command.end());
    std::optional<StringRef> redirects[] = {StringRef(), StringRef(build.log),
                                            StringRef(build.log)};
    processes.push_back(sys::ExecuteNoWait(arguments.front(), arguments, std::nullopt, redirects));
  }
  Error result = Error::success();
  for (auto [build, process] : zip(builds, processes)) {
    sys::ProcessInfo ended = process;
    while (process.Pid != sys::ProcessInfo::InvalidPid) {
      ended = sys::Wait(process, /*SecondsToWait=*/0);
      if (ended.Pid == process.Pid)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      tick();
    }
    if (process.Pid != sys::ProcessInfo::InvalidPid && ended.ReturnCode == 0)
      continue;
    ErrorOr<std::unique_ptr<MemoryBuffer>> log = MemoryBuffer::getFile(build.log);
    Error error =
        createStringError("cannot build " + build.what + ":\n" + join(build.command, " ") + "\n" +
                          (log ? (*log)->getBuffer() : StringRef()));
    if (result)
      consumeError(std::move(error));
    else
      result = std::move(error);
  }
  return result;
}
