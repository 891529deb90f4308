//===- ptx/registers.h - Moving registers between warpgroups --------------===//
//
// A block starts with the same number of registers per thread everywhere. A
// warpgroup that needs few gives them back, one that needs many takes them;
// taking blocks until the pool has them. All four warps execute it, once, as
// the first thing in their role.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#miscellaneous-instructions-setmaxnreg
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_REGISTERS_H
#define TK_PTX_REGISTERS_H

#include <ptx/device.h>

namespace tk {

// setmaxnreg.dec
template <int registers> TK_DEVICE void setmaxnreg_dec() {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256,
                "setmaxnreg takes a multiple of 8 from 24 to 256: round the register count up");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}

// setmaxnreg.inc
template <int registers> TK_DEVICE void setmaxnreg_inc() {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256,
                "setmaxnreg takes a multiple of 8 from 24 to 256: round the register count down");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

} // namespace tk

#endif // TK_PTX_REGISTERS_H
