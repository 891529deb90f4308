//===- ptx/clock.h - The SM's cycles, the global timer, the SM's number ---===//
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#special-registers-clock
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_CLOCK_H
#define TK_PTX_CLOCK_H

#include <ptx/device.h>

namespace tk {

// mov.u32 %clock: the SM's cycles, low word. The clobber keeps it between the accesses of memory around it.
TK_DEVICE uint32_t clock_low() {
  uint32_t cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}

// mov.u64 %clock64: the SM's cycles.
TK_DEVICE uint64_t clock_cycles() {
  uint64_t cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}

// mov.u64 %globaltimer: nanoseconds, the same on all SMs.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#special-registers-globaltimer
TK_DEVICE uint64_t global_timer() {
  uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}

// mov.u32 %smid: the SM that runs this thread.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#special-registers-smid
TK_DEVICE uint32_t sm_index() {
  uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

} // namespace tk

#endif // TK_PTX_CLOCK_H
