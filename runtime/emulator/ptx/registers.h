//===- ptx/registers.h - Moving registers between warpgroups --------------===//
#ifndef TK_PTX_REGISTERS_H
#define TK_PTX_REGISTERS_H

#include <ptx/device.h>

namespace tk {

template <int registers> TK_DEVICE void setmaxnreg_dec(TK_PLACE) {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256,
                "setmaxnreg takes a multiple of 8 from 24 to 256: round the register count up");
  emulator::setmaxnreg(registers, /*increase=*/false, where);
}

template <int registers> TK_DEVICE void setmaxnreg_inc(TK_PLACE) {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256,
                "setmaxnreg takes a multiple of 8 from 24 to 256: round the register count down");
  emulator::setmaxnreg(registers, /*increase=*/true, where);
}

} // namespace tk

#endif // TK_PTX_REGISTERS_H
