//===- fuzz_source.cpp - Any text as a .tk file ---------------------------===//
//
// The whole compiler in this process: frontend, passes, emission; what it would
// print goes nowhere. tkc survives its own crashes with a message, so here the
// message is what counts as a finding.
//
//===----------------------------------------------------------------------===//
#include "TextMutator.h"
#include "driver/Compile.h"
#include "driver/Options.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "Mutators.inc"

/// A file in memory that has a path.
static int memoryFile(const char *name) {
  int file = memfd_create(name, 0);
  return file < 0 ? (perror("memfd_create"), abort(), -1) : file;
}

/// Takes what is written to standard error while it lives.
namespace {
class Captured {
public:
  Captured() : file(memoryFile("errors")), saved(dup(STDERR_FILENO)) { dup2(file, STDERR_FILENO); }
  ~Captured() {
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(file);
  }
  std::string text() const {
    std::string result(size_t(lseek(file, 0, SEEK_END)), ' ');
    if (pread(file, result.data(), result.size(), 0) < 0)
      result.clear();
    return result;
  }

private:
  int file, saved;
};
} // namespace

/// Whether tkc says that it crashed. (Where a message quotes the source, it may say anything.)
static bool saysThatItCrashed(llvm::StringRef errors) {
  for (llvm::StringRef line : llvm::split(errors, '\n'))
    if (line.contains("internal error: tkc") && !line.contains(" | "))
      return true;
  return false;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int source = memoryFile("source");
  if (ftruncate(source, 0) || pwrite(source, data, size, 0) != ssize_t(size))
    abort();
  tkc::Options options;
  options.input = "/proc/self/fd/" + std::to_string(source);
  options.output = "-";
  std::string errors;
  {
    Captured captured;
    tkc::compile(options);
    errors = captured.text();
  }
  if (!saysThatItCrashed(errors))
    return 0;
  fprintf(stderr, "%s", errors.c_str());
  abort();
}
