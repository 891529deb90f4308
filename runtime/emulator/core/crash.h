//===- core/crash.h - A wild access ends the launch, not the process ------===//
//
// Kernel code runs as host code, so a stack overflow or a wild pointer in it
// raises a signal. While a launch runs, such signals are caught on a stack of
// their own and lead back to the scheduler, which reports them like any fault.
//
// A thread that computes for seconds without an instruction of the ptx layer is
// in an endless loop, which nothing else would end: a timer that counts processor
// time ends it the same way. And when threads execute instructions for a minute
// but nothing comes of it, no phase, no barrier, no copy, the scheduler is told
// (machine::patient) and reports what they wait for.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_CRASH_H
#define TK_EMULATOR_CORE_CRASH_H

namespace tk::emulator {

constexpr int endless_loop = -1;

// Runs `work`; returns 0, the signal that ended it, or endless_loop.
int run_guarded(void (*work)(), int patience);

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_CRASH_H
