//===- ptx/tma.h - Copies of whole boxes by the tensor memory accelerator -===//
#ifndef TK_PTX_TMA_H
#define TK_PTX_TMA_H

#include <host/abi.h>
#include <ptx/cache_policy.h>
#include <ptx/device.h>

namespace tk {

template <int rank>
TK_DEVICE void cp_async_bulk_tensor_load(uint32_t destination, const CUtensorMap &map,
                                         const int (&c)[rank], uint32_t barrier, TK_PLACE) {
  emulator::tma_load(destination, map, c, rank, barrier, /*blocks=*/0, where);
}

template <int rank>
TK_DEVICE void cp_async_bulk_tensor_load(uint32_t destination, const CUtensorMap &map,
                                         const int (&c)[rank], uint32_t barrier, cache_policy,
                                         TK_PLACE) {
  emulator::tma_load(destination, map, c, rank, barrier, /*blocks=*/0, where);
}

template <int rank>
TK_DEVICE void cp_async_bulk_tensor_load_multicast(uint32_t destination, const CUtensorMap &map,
                                                   const int (&c)[rank], uint32_t barrier,
                                                   uint16_t blocks, TK_PLACE) {
  emulator::tma_load(destination, map, c, rank, barrier, blocks, where);
}

template <int rank>
TK_DEVICE void cp_async_bulk_tensor_store(const CUtensorMap &map, const int (&c)[rank],
                                          uint32_t source, TK_PLACE) {
  emulator::tma_store(map, c, rank, source, /*adds=*/false, where);
}

template <int rank>
TK_DEVICE void cp_async_bulk_tensor_store(const CUtensorMap &map, const int (&c)[rank],
                                          uint32_t source, cache_policy, TK_PLACE) {
  emulator::tma_store(map, c, rank, source, /*adds=*/false, where);
}

template <int rank>
TK_DEVICE void cp_reduce_async_bulk_tensor_add(const CUtensorMap &map, const int (&c)[rank],
                                               uint32_t source, TK_PLACE) {
  emulator::tma_store(map, c, rank, source, /*adds=*/true, where);
}

template <int rank>
TK_DEVICE void cp_reduce_async_bulk_tensor_add(const CUtensorMap &map, const int (&c)[rank],
                                               uint32_t source, cache_policy, TK_PLACE) {
  emulator::tma_store(map, c, rank, source, /*adds=*/true, where);
}

template <int rank>
TK_DEVICE void cp_async_bulk_prefetch_tensor(const CUtensorMap &map, const int (&)[rank],
                                             TK_PLACE) {
  emulator::tma_prefetch(map, rank, where);
}

TK_DEVICE void prefetch_tensormap(const CUtensorMap &) {}

TK_DEVICE void cp_async_bulk_load(uint32_t destination, const void *source, uint32_t bytes,
                                  uint32_t barrier, TK_PLACE) {
  emulator::bulk_load(destination, source, bytes, barrier, /*blocks=*/0, where);
}

TK_DEVICE void cp_async_bulk_load_multicast(uint32_t destination, const void *source,
                                            uint32_t bytes, uint32_t barrier, uint16_t blocks,
                                            TK_PLACE) {
  emulator::bulk_load(destination, source, bytes, barrier, blocks, where);
}

TK_DEVICE void cp_async_bulk_store(void *destination, uint32_t source, uint32_t bytes, TK_PLACE) {
  emulator::bulk_store(destination, source, bytes, /*type=*/-1, where);
}

TK_DEVICE void cp_reduce_async_bulk_add_f32(void *destination, uint32_t source, uint32_t bytes,
                                            TK_PLACE) {
  emulator::bulk_store(destination, source, bytes, TK_F32, where);
}
TK_DEVICE void cp_reduce_async_bulk_add_f16(void *destination, uint32_t source, uint32_t bytes,
                                            TK_PLACE) {
  emulator::bulk_store(destination, source, bytes, TK_F16, where);
}
TK_DEVICE void cp_reduce_async_bulk_add_bf16(void *destination, uint32_t source, uint32_t bytes,
                                             TK_PLACE) {
  emulator::bulk_store(destination, source, bytes, TK_BF16, where);
}

TK_DEVICE void cp_async_bulk_prefetch(const void *source, uint32_t bytes, TK_PLACE) {
  emulator::bulk_prefetch(source, bytes, where);
}

TK_DEVICE void bulk_commit(TK_PLACE) { emulator::bulk_commit(where); }

template <int pending> TK_DEVICE void bulk_wait_read(TK_PLACE) {
  emulator::bulk_wait(pending, /*read_only=*/true, where);
}

template <int pending> TK_DEVICE void bulk_wait(TK_PLACE) {
  emulator::bulk_wait(pending, /*read_only=*/false, where);
}

} // namespace tk

#endif // TK_PTX_TMA_H
