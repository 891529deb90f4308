//===- ptx/clock.h - What time it is, and on which SM ---------------------===//
//
// Virtual time: an instruction of any thread is a cycle and a nanosecond.
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_CLOCK_H
#define TK_PTX_CLOCK_H

#include <ptx/device.h>

namespace tk {

TK_DEVICE uint32_t clock_low(TK_PLACE) { return uint32_t(emulator::virtual_time(where)); }

TK_DEVICE uint64_t clock_cycles(TK_PLACE) { return emulator::virtual_time(where); }

TK_DEVICE uint64_t global_timer(TK_PLACE) { return emulator::virtual_time(where); }

TK_DEVICE uint32_t sm_index() {
  return emulator::position->block_index.x % unsigned(emulator::num_sms());
}

} // namespace tk

#endif // TK_PTX_CLOCK_H
