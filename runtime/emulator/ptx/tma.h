//===- ptx/tma.h - Copies of whole boxes by the tensor memory accelerator -===//
#ifndef TK_PTX_TMA_H
#define TK_PTX_TMA_H

#include <ptx/device.h>

namespace tk {

template <int rank>
TK_DEVICE void cp_async_bulk_tensor_load(uint32_t destination, const CUtensorMap &map,
                                         const int (&c)[rank], uint32_t barrier, TK_PLACE) {
  emulator::tma_load(destination, map, c, rank, barrier, where);
}

template <int rank>
TK_DEVICE void cp_async_bulk_tensor_store(const CUtensorMap &map, const int (&c)[rank],
                                          uint32_t source, TK_PLACE) {
  emulator::tma_store(map, c, rank, source, where);
}

TK_DEVICE void prefetch_tensormap(const CUtensorMap &) {}

TK_DEVICE void bulk_commit(TK_PLACE) { emulator::bulk_commit(where); }

template <int pending> TK_DEVICE void bulk_wait_read(TK_PLACE) {
  emulator::bulk_wait(pending, /*read_only=*/true, where);
}

template <int pending> TK_DEVICE void bulk_wait(TK_PLACE) {
  emulator::bulk_wait(pending, /*read_only=*/false, where);
}

} // namespace tk

#endif // TK_PTX_TMA_H
