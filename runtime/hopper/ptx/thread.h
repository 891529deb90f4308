//===- ptx/thread.h - Who am I: lane, warp, warpgroup, shared memory ------===//
//
// Warp and warpgroup indices are broadcast from lane 0, which tells ptxas that
// they are the same in the whole warp: a role branch on them is then uniform
// and addresses computed from them live in uniform registers.
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_THREAD_H
#define TK_PTX_THREAD_H

#include <ptx/device.h>

namespace tk {

// mov.u32 %laneid: 0 to 31.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#special-registers-laneid
TK_DEVICE uint32_t lane_index() {
  uint32_t lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// mov.u32 %tid.x: threadIdx.x, read anew where this stands. Addresses computed from it take no registers from one
// iteration of a loop to the next.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#special-registers-tid
TK_DEVICE int read_thread_index() {
  int index;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(index));
  return index;
}

// The warp's index in the block, the same value in all its lanes.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
TK_DEVICE int warp_index() { return __shfl_sync(0xffffffff, int(threadIdx.x / 32), 0); }

// A warpgroup is four consecutive warps, the unit that issues wgmma.
TK_DEVICE int warpgroup_index() { return __shfl_sync(0xffffffff, int(threadIdx.x / 128), 0); }

// elect.sync: true in exactly one lane, always the same one. The warp must be converged.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-elect-sync
TK_DEVICE bool elect_one() {
  uint32_t elected;
  asm volatile("{\n"
               ".reg .pred p;\n"
               "elect.sync _|p, 0xffffffff;\n"
               "selp.u32 %0, 1, 0, p;\n"
               "}"
               : "=r"(elected));
  return elected != 0;
}

// The shared-window address of the block's dynamic shared memory. Swizzles permute address bits 4 to 9, so
// a base off a 1024-byte boundary would give silently permuted tiles: it traps instead.
TK_DEVICE uint32_t shared_memory_base() {
  extern __shared__ __align__(1024) unsigned char tk_shared_memory[];
  const uint32_t base = uint32_t(__cvta_generic_to_shared(tk_shared_memory));
  if (base % 1024 != 0)
    __trap();
  // ptxas would compute it anew, from a special register, before each use; a broadcast it keeps.
  return __shfl_sync(0xffffffff, base, 0);
}

} // namespace tk

#endif // TK_PTX_THREAD_H
