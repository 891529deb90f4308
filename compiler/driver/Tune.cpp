//===- Tune.cpp - `tkc tune` ----------------------------------------------===//
#include "driver/Tune.h"

#include "frontend/CompileFlags.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <unistd.h>

using namespace llvm;
using namespace tkc;

/// The folder of the package: beside the runtime where tkc is installed, else in the sources.
static std::string packageFolder() {
  SmallString<128> folder = sys::path::parent_path(sys::path::parent_path(programPath()));
  sys::path::append(folder, "share", "tkc", "python");
  return sys::fs::exists(folder + "/tkc/tuner/cli.py") ? folder.str().str() : TKC_PYTHON_DIR;
}

int tkc::tune(int argc, char **argv) {
  std::string folder = packageFolder();
  const char *earlier = std::getenv("PYTHONPATH");
  std::string path = earlier && *earlier ? folder + ":" + earlier : folder;
  setenv("PYTHONPATH", path.c_str(), 1);
  setenv("PYTHONDONTWRITEBYTECODE", "1", 0); // the folder may be the system's
  setenv("TKC_COMPILER", programPath().c_str(), 1);
  const char *named = std::getenv("TKC_PYTHON");
  std::string python = named && *named ? named : "python3";
  std::vector<char *> arguments = {python.data(), const_cast<char *>("-m"),
                                   const_cast<char *>("tkc.tuner")};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  arguments.push_back(nullptr);
  execvp(python.c_str(), arguments.data());
  WithColor::error(errs(), "tkc") << "cannot start '" << python << "': " << std::strerror(errno)
                                  << "; tkc tune needs Python 3.10 or later, and TKC_PYTHON names "
                                     "one\n";
  return 1;
}
