//===- ptx/barrier.h - The sixteen named barriers of a block --------------===//
//
// `threads` counts those who arrive and those who wait together, a multiple of
// 32. Identifier 0 is __syncthreads.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-bar
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_BARRIER_H
#define TK_PTX_BARRIER_H

#include <ptx/device.h>

namespace tk {

// barrier.cta.sync: arrives and waits for the others.
TK_DEVICE void named_barrier_sync(uint32_t id, uint32_t threads) {
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// barrier.cta.arrive: arrives and goes on.
TK_DEVICE void named_barrier_arrive(uint32_t id, uint32_t threads) {
  asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

} // namespace tk

#endif // TK_PTX_BARRIER_H
