//===- CompileFlags.cpp - Flags with which Clang reads a .tk file ---------===//
//
// tkc calls Clang's frontend, an editor calls Clang's driver: the two spell some
// arguments differently. Those that make the language are the same for both.
//
//===----------------------------------------------------------------------===//
#include "frontend/CompileFlags.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <sys/auxv.h>

using namespace tkc;

std::string tkc::programPath() {
  // The kernel says it too, for the sake of a chroot without /proc.
  auto *called = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
  return llvm::sys::fs::getMainExecutable(
      called, reinterpret_cast<void *>(reinterpret_cast<intptr_t>(&programPath)));
}

std::string tkc::languageFolder() {
  std::string program = programPath();
  llvm::SmallString<128> folder =
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(program));
  llvm::sys::path::append(folder, "share", "tkc", "runtime", "language");
  return llvm::sys::fs::exists(folder + "/tk.h") ? folder.str().str() : TKC_LANGUAGE_DIR;
}

std::vector<std::string> tkc::languageFlags(const std::string &folder) {
  return {"-x", "c++", "-std=c++20", "-D__TKC__", "-include", folder + "/tk.h"};
}

std::vector<std::string> tkc::compileFlags() {
  std::vector<std::string> flags = languageFlags(languageFolder());
  // As in tkc there are no standard headers, and the sizes are those of the GPU.
  flags.insert(flags.end(), {"-nostdinc", "--target=x86_64-unknown-linux-gnu"});
  return flags;
}
