//===- ptx/shuffle.h - What the lanes of a warp tell each other -----------===//
//
// All 32 lanes take part in each of these.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-vote-sync
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_SHUFFLE_H
#define TK_PTX_SHUFFLE_H

#include <ptx/device.h>

namespace tk {

// shfl.sync.bfly: the value of the lane whose index differs in the bits of `lanes`.
TK_DEVICE float shfl_xor(float value, int lanes) { return __shfl_xor_sync(0xffffffff, value, lanes); }
TK_DEVICE int shfl_xor(int value, int lanes) { return __shfl_xor_sync(0xffffffff, value, lanes); }

// shfl.sync.idx: the value of that lane.
TK_DEVICE float shfl(float value, int lane) { return __shfl_sync(0xffffffff, value, lane); }
TK_DEVICE int shfl(int value, int lane) { return __shfl_sync(0xffffffff, value, lane); }

// vote.sync: whether the condition holds in any, or in every lane.
TK_DEVICE bool any_lane(bool condition) { return __any_sync(0xffffffff, condition); }
TK_DEVICE bool every_lane(bool condition) { return __all_sync(0xffffffff, condition); }

} // namespace tk

#endif // TK_PTX_SHUFFLE_H
