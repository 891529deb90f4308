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

std::vector<std::string> tkc::parserFlags(const std::string &folder, const std::string &pch) {
  std::vector<std::string> flags = {
      "-triple", "x86_64-unknown-linux-gnu", // sizes of int and float, the same on every host
      "-fsyntax-only", "-nostdsysteminc", "-nobuiltininc", "-fexceptions",
      "-fcxx-exceptions", // for the importer to refuse, as it does the rest of C++
      "-ffreestanding",   // `main` is a name like any other, which kernels may not have
      // Beyond these a program is a mistake or an attack; see Limits.h.
      "-disable-pragma-debug-crash", // a source cannot crash its compiler by a pragma for tests of
                                     // Clang
      "-ferror-limit", "20", "-fbracket-depth", "256", "-ftemplate-depth=128",
      "-fconstexpr-depth=128", "-fconstexpr-steps=1000000"};
  std::vector<std::string> language = languageFlags(folder);
  if (!pch.empty()) {
    language.resize(language.size() - 2); // -include FILE
    language.insert(language.end(), {"-include-pch", pch, "-isysroot", folder});
  }
  flags.insert(flags.end(), language.begin(), language.end());
  return flags;
}

std::vector<std::string> tkc::compileFlags() {
  std::vector<std::string> flags = languageFlags(languageFolder());
  // As in tkc there are no standard headers, and the sizes are those of the GPU.
  flags.insert(flags.end(), {"-nostdinc", "--target=x86_64-unknown-linux-gnu"});
  return flags;
}
