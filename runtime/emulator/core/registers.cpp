//===- core/registers.cpp - Registers that are read too early -------------===//
//
// Kernel code computes with plain variables, which nobody watches. But every
// instruction of the ptx layer that takes registers, and every map over a tile,
// looks for two patterns: that of a register which an MMA in flight has yet
// to write, and that of a variable which nothing has been written to. The second
// is a value like others where a register holds four bytes: -2 of s8, -448 of e4m3.
//
//===----------------------------------------------------------------------===//
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <cstring>

namespace tk::emulator {
namespace {

[[noreturn]] void refuse_poison() {
  const warpgroup_state &group = current->home->warpgroups[size_t(current->warpgroup())];
  std::vector<note> notes;
  for (const auto &target : group.accumulators)
    notes.push_back({"issued", "the MMA", target->issued});
  notes.push_back({"fix", "call wgmma_wait for the MMA's group before its registers are used", {}});
  fault(
      formatted("{} reads a register that an MMA in flight has yet to write", current->instruction),
      notes);
}

[[noreturn]] void refuse_uninitialised() {
  fault(formatted("{} reads a register that nothing has been written to", current->instruction));
}

} // namespace

void check_registers(const void *registers, int bytes, content held) {
  for (int at = 0; at + 4 <= bytes; at += 4) {
    uint32_t bits;
    memcpy(&bits, static_cast<const char *>(registers) + at, 4);
    if (is_poison(bits))
      refuse_poison();
    if (bits == uninitialised_bits && held == content::words)
      refuse_uninitialised();
  }
}

void suspicious_read(const char *instruction, uint32_t bits, place where) {
  TK_BEGIN(instruction);
  if (bits == uninitialised_bits)
    refuse_uninitialised();
  refuse_poison();
}

} // namespace tk::emulator
