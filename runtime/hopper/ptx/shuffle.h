//===- ptx/shuffle.h - Exchange of registers among a warp's lanes ---------===//
//
// All 32 lanes take part in each of these. For parts of a warp there are CUDA's
// own __shfl_..._sync and votes, with a mask.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-vote-sync
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-redux-sync
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_SHUFFLE_H
#define TK_PTX_SHUFFLE_H

#include <ptx/device.h>

namespace tk {

#define TK_SHUFFLE(name, intrinsic)                                                                                    \
  TK_DEVICE float name(float value, int lanes) { return intrinsic(0xffffffff, value, lanes); }                         \
  TK_DEVICE int name(int value, int lanes) { return intrinsic(0xffffffff, value, lanes); }                             \
  TK_DEVICE uint32_t name(uint32_t value, int lanes) { return intrinsic(0xffffffff, value, lanes); }

TK_SHUFFLE(shfl_xor, __shfl_xor_sync)   // shfl.sync.bfly: of the lane whose index differs in the bits of `lanes`
TK_SHUFFLE(shfl_up, __shfl_up_sync)     // shfl.sync.up: of the lane that many below; the first ones keep their own
TK_SHUFFLE(shfl_down, __shfl_down_sync) // shfl.sync.down: of the lane that many above; the last ones keep their own
TK_SHUFFLE(shfl, __shfl_sync)           // shfl.sync.idx: of that lane

#undef TK_SHUFFLE

// vote.sync: whether the condition holds in any, or in every lane; or in which ones, a bit for each.
TK_DEVICE bool any_lane(bool condition) { return __any_sync(0xffffffff, condition); }
TK_DEVICE bool every_lane(bool condition) { return __all_sync(0xffffffff, condition); }
TK_DEVICE uint32_t ballot(bool condition) { return __ballot_sync(0xffffffff, condition); }

// redux.sync: one integer of all lanes.
TK_DEVICE int redux_add(int value) { return __reduce_add_sync(0xffffffff, value); }
TK_DEVICE int redux_min(int value) { return __reduce_min_sync(0xffffffff, value); }
TK_DEVICE int redux_max(int value) { return __reduce_max_sync(0xffffffff, value); }

} // namespace tk

#endif // TK_PTX_SHUFFLE_H
