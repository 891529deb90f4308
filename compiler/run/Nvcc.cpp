//===- Nvcc.cpp - Emitted CUDA to machine code, and what ptxas says of it -===//
//
// nvcc runs in the folder of its input and is given names of files, not their paths:
// symbols of a cubin hold a hash of the path.
//
//===----------------------------------------------------------------------===//
#include "run/Nvcc.h"

#include "frontend/CompileFlags.h"
#include "run/HostCompiler.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::run;

static Expected<std::string> findNamed(const std::string &name, StringRef where) {
  ErrorOr<std::string> found = sys::findProgramByName(name);
  if (found && sys::fs::can_execute(*found))
    return *found;
  return createStringError("there is no program '" + name + "', which " + where + " names");
}

Expected<std::string> run::findNvcc(const std::string &named) {
  if (!named.empty())
    return findNamed(named, "--nvcc");
  std::string variable = sys::Process::GetEnv("TKC_NVCC").value_or("");
  if (variable == "none")
    return createStringError("nvcc is hidden, because TKC_NVCC is 'none'");
  if (!variable.empty())
    return findNamed(variable, "TKC_NVCC");
  std::string home = sys::Process::GetEnv("CUDA_HOME").value_or("");
  for (const std::string &candidate :
       {home.empty() ? home : joined(home, "bin/nvcc"), std::string("nvcc"),
        std::string("/usr/local/cuda/bin/nvcc")}) {
    if (candidate.empty())
      continue;
    ErrorOr<std::string> found = sys::findProgramByName(candidate);
    if (found && sys::fs::can_execute(*found))
      return *found;
  }
  return createStringError("there is no nvcc in CUDA_HOME, in PATH or in /usr/local/cuda; install "
                           "CUDA 12.8 or newer, or name its nvcc in TKC_NVCC");
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

/// Empty if there is none.
static std::string read(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

Expected<NvccOutput> run::runNvcc(const std::string &nvcc, StringRef cuda, StringRef header,
                                  StringRef headerName) {
  SmallString<128> folder;
  if (std::error_code error = sys::fs::createUniqueDirectory("tkc-nvcc", folder))
    return createStringError("cannot make a folder for nvcc: " + error.message());
  auto removal = make_scope_exit([&] { sys::fs::remove_directories(folder); });
  if (Error error = write(joined(folder, "kernels.cu"), cuda))
    return error;
  if (Error error = write(joined(folder, headerName), header))
    return error;
  SmallString<128> program(nvcc);
  sys::fs::make_absolute(program);
  std::string runtime = sys::path::parent_path(languageFolder()).str();
  Build build{"the kernels with nvcc",
              {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.str().str(), program.str().str(),
               "-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-I",
               joined(runtime, "hopper"), "-I", runtime, "-Xptxas", "-v", "-keep", "-cubin",
               "kernels.cu", "-o", "kernels.cubin"},
              joined(folder, "log")};
  if (Error error = runBuilds(build, [] {}))
    return error;
  return NvccOutput{read(joined(folder, "kernels.ptx")), read(joined(folder, "kernels.cubin")),
                    readPtxasReport(read(joined(folder, "log")))};
}
