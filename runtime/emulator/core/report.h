//===- core/report.h - Faults, and how they are told ----------------------===//
//
// A fault ends the launch. What is known is recorded where it happens, on the
// fiber; finding lines and writing sentences waits until the fibers are left.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_REPORT_H
#define TK_EMULATOR_CORE_REPORT_H

#include "core/machine.h"

namespace tk::emulator {

// One more line of a report: "written   by thread 130 at gemm.cu:126 | store(...)".
struct note {
  std::string label;
  std::string text;
  site where; // no pc: no place
};

struct fault_record {
  std::string what; // the sentence
  site where;       // no pc: the launch as a whole
  int block = -1;
  int thread = -1;
  std::vector<const void *> frames; // of the faulting thread, innermost first
  std::vector<note> notes;
};

// By the running thread; never returns.
[[noreturn]] void fault(std::string what, std::vector<note> notes = {});

// By the scheduler, on behalf of an operation or of everybody.
void fault_of(const block &home, const site &where, std::string what, std::vector<note> notes = {});

// The first line, and everything.
struct rendered_report {
  std::string message;
  std::string text;
};
rendered_report render(const fault_record &record);

// "thread 5", of which block if there are several in a cluster.
std::string who_of(const site &where);

// "shared byte 196608 (C_staging + 0)", "full[1]": names come from the emitted text, if it can be
// found.
std::string name_of_address(uint32_t address);
std::string name_of_barrier(const mbarrier &barrier);

// All blocked threads of all blocks and what they wait for.
void record_deadlock();

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_REPORT_H
