//===- Nvcc.cpp - What ptxas does with emitted CUDA -----------------------===//
#include "run/Nvcc.h"

#include "frontend/CompileFlags.h"
#include "run/HostCompiler.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace tkc;
using namespace tkc::run;

static std::string joined(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

Expected<std::string> run::findNvcc(const std::string &named) {
  auto getVariable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string home = getVariable("CUDA_HOME");
  for (const std::string &candidate :
       {named, getVariable("TKC_NVCC"), home.empty() ? home : joined(home, "bin/nvcc"),
        std::string("nvcc")}) {
    if (candidate.empty())
      continue;
    ErrorOr<std::string> found = sys::findProgramByName(candidate);
    if (found && sys::fs::can_execute(*found))
      return *found;
    if (candidate == named)
      break;
  }
  return createStringError(
      named.empty() ? "there is no nvcc to ask about registers; put it into PATH, or name it with "
                      "--nvcc, TKC_NVCC or CUDA_HOME"
                    : "there is no '" + named + "' to ask about registers");
}

/// gemm of _Z11gemm_kernel14CUtensorMap_st...
static StringRef getPlainName(StringRef symbol) {
  unsigned length;
  StringRef name = symbol;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length))
    return symbol;
  name = name.take_front(length);
  name.consume_back("_kernel");
  return name;
}

std::vector<PtxasKernel> run::readPtxasReport(StringRef text) {
  static const Regex entry("Compiling entry function '([^']*)'"),
      spills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads"),
      registers("Used ([0-9]+) registers"),
      message("\\((C7[0-9]+)\\) (Potential Performance Loss: )?(.*) (in|for) (the )?function "
              "'([^']*)'");
  std::vector<PtxasKernel> kernels;
  std::vector<std::pair<std::string, PtxasMessage>> messages;
  SmallVector<StringRef> lines, groups;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    if (message.match(line, &groups)) // may stand before the kernel's entry
      messages.push_back({getPlainName(groups[6]).str(), {groups[1].str(), groups[3].str()}});
    else if (entry.match(line, &groups))
      kernels.emplace_back().name = getPlainName(groups[1]);
    else if (!kernels.empty() && spills.match(line, &groups)) {
      groups[1].getAsInteger(10, kernels.back().spilledStores);
      groups[2].getAsInteger(10, kernels.back().spilledLoads);
    } else if (!kernels.empty() && registers.match(line, &groups))
      groups[1].getAsInteger(10, kernels.back().registers);
  }
  for (auto &[name, said] : messages)
    for (PtxasKernel &kernel : kernels)
      if (kernel.name == name)
        kernel.messages.push_back(said);
  return kernels;
}

static Error write(const std::string &path, StringRef text) {
  return writeToOutput(path, [&](raw_ostream &stream) {
    stream << text;
    return Error::success();
  });
}

Expected<std::vector<PtxasKernel>> run::askPtxas(const std::string &nvcc, StringRef cuda,
                                                 StringRef header, StringRef headerName) {
  SmallString<128> folder;
  if (std::error_code error = sys::fs::createUniqueDirectory("tkc-ptxas", folder))
    return createStringError("cannot make a folder for nvcc: " + error.message());
  auto removal = make_scope_exit([&] { sys::fs::remove_directories(folder); });
  std::string source = joined(folder, "kernels.cu"),
              runtime = sys::path::parent_path(languageFolder()).str();
  if (Error error = write(source, cuda))
    return std::move(error);
  if (Error error = write(joined(folder, headerName), header))
    return std::move(error);
  Build build{"the kernels with nvcc",
              {nvcc, "-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-I",
               joined(runtime, "hopper"), "-I", runtime, "-Xptxas", "-v", "-cubin", source, "-o",
               joined(folder, "kernels.cubin")},
              joined(folder, "log")};
  if (Error error = runBuilds(build, [] {}))
    return std::move(error);
  ErrorOr<std::unique_ptr<MemoryBuffer>> log = MemoryBuffer::getFile(build.log);
  if (!log)
    return createStringError("cannot read what nvcc said: " + log.getError().message());
  return readPtxasReport((*log)->getBuffer());
}
