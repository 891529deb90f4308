//===- ptx/thread.h - Who am I: lane, warp, warpgroup, shared memory ------===//
#ifndef TK_PTX_THREAD_H
#define TK_PTX_THREAD_H

#include <ptx/device.h>

namespace tk {

TK_DEVICE uint32_t lane_index() { return threadIdx.x % 32; }

TK_DEVICE int read_thread_index() { return int(threadIdx.x); }

TK_DEVICE int warp_index() { return int(threadIdx.x) / 32; }

TK_DEVICE int warpgroup_index() { return int(threadIdx.x) / 128; }

// One lane, always the same; which one depends on the seed, as PTX does not say.
TK_DEVICE bool elect_one(TK_PLACE) { return emulator::elect_one(where); }

TK_DEVICE uint32_t shared_memory_base() {
  return emulator::address_in(emulator::position->cluster_rank, emulator::shared_base);
}

} // namespace tk

#endif // TK_PTX_THREAD_H
