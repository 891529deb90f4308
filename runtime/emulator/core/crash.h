//===- core/crash.h - A wild access ends the launch, not the process ------===//
//
// Kernel code runs as host code, so a stack overflow or a wild pointer in it
// raises a signal. While a launch runs, such signals are caught on a stack of
// their own and lead back to the scheduler, which reports them like any fault.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_CRASH_H
#define TK_EMULATOR_CORE_CRASH_H

namespace tk::emulator {

// Runs `work`; returns 0, or the signal that ended it.
int run_guarded(void (*work)());

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_CRASH_H
