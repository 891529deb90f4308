//===- ptx/mbarrier.h - Barriers in shared memory that also count bytes ---===//
#ifndef TK_PTX_MBARRIER_H
#define TK_PTX_MBARRIER_H

#include <ptx/device.h>

namespace tk {

TK_DEVICE void mbarrier_init(uint32_t barrier, uint32_t count, TK_PLACE) {
  emulator::mbarrier_init(barrier, count, where);
}

TK_DEVICE void mbarrier_arrive(uint32_t barrier, TK_PLACE) {
  emulator::mbarrier_arrive(barrier, 1, /*expected_bytes=*/0, /*remote=*/false, where);
}

TK_DEVICE void mbarrier_arrive(uint32_t barrier, uint32_t count, TK_PLACE) {
  emulator::mbarrier_arrive(barrier, count, /*expected_bytes=*/0, /*remote=*/false, where);
}

TK_DEVICE void mbarrier_arrive_if(uint32_t barrier, bool predicate, TK_PLACE) {
  if (predicate)
    emulator::mbarrier_arrive(barrier, 1, /*expected_bytes=*/0, /*remote=*/false, where);
}

TK_DEVICE void mbarrier_expect_tx(uint32_t barrier, uint32_t bytes, TK_PLACE) {
  emulator::mbarrier_expect(barrier, bytes, where);
}

TK_DEVICE void mbarrier_arrive_expect_tx(uint32_t barrier, uint32_t bytes, TK_PLACE) {
  emulator::mbarrier_arrive(barrier, 1, bytes, /*remote=*/false, where);
}

TK_DEVICE bool mbarrier_try_wait_parity(uint32_t barrier, uint32_t parity, TK_PLACE) {
  return emulator::mbarrier_try_wait(barrier, parity, where);
}

TK_DEVICE void mbarrier_wait_parity(uint32_t barrier, uint32_t parity, TK_PLACE) {
  emulator::mbarrier_wait(barrier, parity, where);
}

} // namespace tk

#endif // TK_PTX_MBARRIER_H
