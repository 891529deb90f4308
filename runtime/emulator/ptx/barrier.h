//===- ptx/barrier.h - The sixteen named barriers of a block --------------===//
#ifndef TK_PTX_BARRIER_H
#define TK_PTX_BARRIER_H

#include <ptx/device.h>

namespace tk {

TK_DEVICE void named_barrier_sync(uint32_t id, uint32_t threads, TK_PLACE) {
  emulator::named_barrier(id, threads, /*wait=*/true, where);
}

TK_DEVICE void named_barrier_arrive(uint32_t id, uint32_t threads, TK_PLACE) {
  emulator::named_barrier(id, threads, /*wait=*/false, where);
}

} // namespace tk

#endif // TK_PTX_BARRIER_H
