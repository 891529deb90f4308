//===- ptx/shuffle.h - Exchange of registers among a warp's lanes ---------===//
#ifndef TK_PTX_SHUFFLE_H
#define TK_PTX_SHUFFLE_H

#include <ptx/device.h>

namespace tk {

#define TK_SHUFFLE(name, intrinsic)                                                                \
  TK_DEVICE float name(float value, int lanes, TK_PLACE) {                                         \
    return intrinsic(0xffffffff, value, lanes, 32, where);                                         \
  }                                                                                                \
  TK_DEVICE int name(int value, int lanes, TK_PLACE) {                                             \
    return intrinsic(0xffffffff, value, lanes, 32, where);                                         \
  }                                                                                                \
  TK_DEVICE uint32_t name(uint32_t value, int lanes, TK_PLACE) {                                   \
    return intrinsic(0xffffffff, value, lanes, 32, where);                                         \
  }

TK_SHUFFLE(shfl_xor, __shfl_xor_sync)
TK_SHUFFLE(shfl_up, __shfl_up_sync)
TK_SHUFFLE(shfl_down, __shfl_down_sync)
TK_SHUFFLE(shfl, __shfl_sync)

#undef TK_SHUFFLE

TK_DEVICE bool any_lane(bool condition, TK_PLACE) {
  return __any_sync(0xffffffff, condition, where) != 0;
}
TK_DEVICE bool every_lane(bool condition, TK_PLACE) {
  return __all_sync(0xffffffff, condition, where) != 0;
}
TK_DEVICE uint32_t ballot(bool condition, TK_PLACE) {
  return __ballot_sync(0xffffffff, condition, where);
}

TK_DEVICE int redux_add(int value, TK_PLACE) { return __reduce_add_sync(0xffffffff, value, where); }
TK_DEVICE int redux_min(int value, TK_PLACE) { return __reduce_min_sync(0xffffffff, value, where); }
TK_DEVICE int redux_max(int value, TK_PLACE) { return __reduce_max_sync(0xffffffff, value, where); }

} // namespace tk

#endif // TK_PTX_SHUFFLE_H
