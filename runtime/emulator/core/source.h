//===- core/source.h - From an address in a kernel to lines people know ---===//
//
// An instruction is called from a runtime header, which the kernel inlined; what
// a person wants to see is the line of the emitted file, and the .tk line it
// comes from. The kernel's debug information (-g1 is enough) knows the chain of
// inlined calls: addr2line reads it, once, when a report is written. The emitted
// text itself says the rest: a comment above the line names the .tk line, a
// ruled comment the role.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_SOURCE_H
#define TK_EMULATOR_CORE_SOURCE_H

#include "core/machine.h"

#include <set>

namespace tk::emulator {

struct source_line {
  std::string file; // the name without folders; empty if nothing is known
  int number = 0;
  std::string text;   // trimmed
  std::string origin; // "gemm.tk:10 | mma_AB(acc, a, b);"
  std::string role;   // "producer"

  // "gemm.cu:131 | tma_store(...);"
  std::string shown() const;
};

class source_finder {
public:
  // Of these places, with one call of addr2line per shared object.
  void look_up(const std::set<const void *> &addresses);

  source_line find(const site &where);
  source_line find(const std::vector<const void *> &frames, const site &otherwise);

  // "C_staging" and the bytes after its start, from the emitted text's `..._offset` constants;
  // empty if unknown.
  std::pair<std::string, uint32_t> area_of(uint32_t offset);

private:
  struct position {
    std::string file;
    int line = 0;
  };
  std::map<const void *, std::vector<position>> chains; // innermost first
  std::map<std::string, std::vector<std::string>> texts;
  std::string emitted; // the file that a kernel was found in

  const std::vector<std::string> &text_of(const std::string &file);
  source_line describe(const position &at);
  const position *outside_runtime(const void *address) const;
};

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_SOURCE_H
