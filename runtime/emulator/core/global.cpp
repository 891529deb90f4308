//===- core/global.cpp - Ordinary accesses to global memory ---------------===//
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"

#include <cstring>
#include <fmt/format.h>

namespace tk::emulator {

void check_alignment(const void *address, int bytes) {
  if (uintptr_t(address) % uintptr_t(bytes) != 0)
    fault(fmt::format("{} of {} bytes goes to global address {}, which is not a multiple of {}",
                      current->instruction, bytes, address, bytes));
}

void check_global_range(const void *, uint32_t) {}

void check_global(const void *address, int bytes) {
  check_dependency();
  check_alignment(address, bytes);
  check_global_range(address, uint32_t(bytes));
}

void load_global(const void *address, void *registers, int bytes, place where) {
  TK_BEGIN("ld.global");
  check_global(address, bytes);
  memcpy(registers, address, size_t(bytes));
}

void store_global(void *address, const void *registers, int bytes, content held, place where) {
  TK_BEGIN("st.global");
  check_global(address, bytes);
  check_registers(registers, bytes, held);
  memcpy(address, registers, size_t(bytes));
}

} // namespace tk::emulator
