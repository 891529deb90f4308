//===- ptx/cp_async.h - Copies that threads make, asynchronously ----------===//
#ifndef TK_PTX_CP_ASYNC_H
#define TK_PTX_CP_ASYNC_H

#include <ptx/device.h>

namespace tk {

#define TK_CP_ASYNC(bytes)                                                                         \
  TK_DEVICE void cp_async_##bytes(uint32_t destination, const void *source, TK_PLACE) {            \
    emulator::copy_async(destination, source, bytes, bytes, where);                                \
  }                                                                                                \
  TK_DEVICE void cp_async_##bytes(uint32_t destination, const void *source, uint32_t given,        \
                                  TK_PLACE) {                                                      \
    emulator::copy_async(destination, source, bytes, given, where);                                \
  }

TK_CP_ASYNC(4)
TK_CP_ASYNC(8)
TK_CP_ASYNC(16)

#undef TK_CP_ASYNC

TK_DEVICE void cp_async_commit(TK_PLACE) { emulator::copy_commit(where); }

template <int pending> TK_DEVICE void cp_async_wait(TK_PLACE) {
  emulator::copy_wait(pending, where);
}

TK_DEVICE void cp_async_mbarrier_arrive(uint32_t barrier, TK_PLACE) {
  emulator::copy_arrive(barrier, where);
}

} // namespace tk

#endif // TK_PTX_CP_ASYNC_H
