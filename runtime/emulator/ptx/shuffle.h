//===- ptx/shuffle.h - What the lanes of a warp tell each other -----------===//
#ifndef TK_PTX_SHUFFLE_H
#define TK_PTX_SHUFFLE_H

#include <ptx/device.h>

namespace tk {

TK_DEVICE float shfl_xor(float value, int lanes, TK_PLACE) {
  return __shfl_xor_sync(0xffffffff, value, lanes, where);
}
TK_DEVICE int shfl_xor(int value, int lanes, TK_PLACE) {
  return __shfl_xor_sync(0xffffffff, value, lanes, where);
}

TK_DEVICE float shfl(float value, int lane, TK_PLACE) {
  return __shfl_sync(0xffffffff, value, lane, where);
}
TK_DEVICE int shfl(int value, int lane, TK_PLACE) {
  return __shfl_sync(0xffffffff, value, lane, where);
}

// A vote is five rounds in which each lane learns what its partner knows.
TK_DEVICE bool any_lane(bool condition, TK_PLACE) {
  int known = condition;
  for (int lanes = 1; lanes < 32; lanes *= 2)
    known |= shfl_xor(known, lanes, where);
  return known != 0;
}
TK_DEVICE bool every_lane(bool condition, TK_PLACE) { return !any_lane(!condition, where); }

} // namespace tk

#endif // TK_PTX_SHUFFLE_H
