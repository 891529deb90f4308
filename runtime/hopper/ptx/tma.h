//===- ptx/tma.h - Copies of whole boxes by the tensor memory accelerator -===//
//
// One thread names a tensor map, the box's coordinates and a shared address;
// the copy happens asynchronously, through the async proxy, and lays the box
// out with the swizzle of the map. Loads fill what lies outside the tensor with
// zeros and complete on an mbarrier by bytes (always those of the full box);
// stores and reductions drop what lies beyond the high edges and complete by bulk
// groups. Bulk copies without a map move a multiple of 16 bytes as they lie.
//
// In a cluster a load can be multicast: the box lands at the same shared address
// in each block of a mask, and completes on the mbarrier at the same address there.
//
// Coordinates are in elements, the fastest dimension first, as PTX lists them.
// The first times the element size must be a multiple of 16 bytes, and stores and
// reductions take no negative coordinate: the hardware traps on both.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async-bulk-tensor
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-reduce-async-bulk-tensor
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async-bulk
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_TMA_H
#define TK_PTX_TMA_H

#include <ptx/cache_policy.h>
#include <ptx/device.h>

namespace tk {

// The coordinates of each rank.
#define TK_TMA_OPERANDS_1 "r"(c[0])
#define TK_TMA_OPERANDS_2 TK_TMA_OPERANDS_1, "r"(c[1])
#define TK_TMA_OPERANDS_3 TK_TMA_OPERANDS_2, "r"(c[2])
#define TK_TMA_OPERANDS_4 TK_TMA_OPERANDS_3, "r"(c[3])
#define TK_TMA_OPERANDS_5 TK_TMA_OPERANDS_4, "r"(c[4])

// All copies of one rank. c1 is the text of the coordinates as operands 1 and up, c4 as operands 4 and up: copies
// with fewer operands before them name a zero that the instruction does not use.
#define TK_TMA(rank, c1, c4)                                                                                           \
  /* cp.async.bulk.tensor, global to shared */                                                                         \
  TK_DEVICE void cp_async_bulk_tensor_load(uint32_t destination, const CUtensorMap &map, const int(&c)[rank],          \
                                           uint32_t barrier) {                                                         \
    asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.mbarrier::complete_tx::bytes"                 \
                 " [%0], [%1, " c4 "], [%2];" ::"r"(destination),                                                      \
                 "l"(&map), "r"(barrier), "r"(0), TK_TMA_OPERANDS_##rank                                               \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void cp_async_bulk_tensor_load(uint32_t destination, const CUtensorMap &map, const int(&c)[rank],          \
                                           uint32_t barrier, cache_policy policy) {                                    \
    asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"  \
                 " [%0], [%1, " c4 "], [%2], %3;" ::"r"(destination),                                                  \
                 "l"(&map), "r"(barrier), "l"(uint64_t(policy)), TK_TMA_OPERANDS_##rank                                \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  /* the same into the blocks of a mask, bit r for the block of rank r */                                              \
  TK_DEVICE void cp_async_bulk_tensor_load_multicast(uint32_t destination, const CUtensorMap &map,                     \
                                                     const int(&c)[rank], uint32_t barrier, uint16_t blocks) {         \
    asm volatile("cp.async.bulk.tensor." #rank                                                                         \
                 "d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"                            \
                 " [%0], [%1, " c4 "], [%2], %3;" ::"r"(destination),                                                  \
                 "l"(&map), "r"(barrier), "h"(blocks), TK_TMA_OPERANDS_##rank                                          \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  /* cp.async.bulk.tensor, shared to global */                                                                         \
  TK_DEVICE void cp_async_bulk_tensor_store(const CUtensorMap &map, const int(&c)[rank], uint32_t source) {            \
    asm volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.bulk_group [%0, " c4 "], [%1];" ::"l"(&map),      \
                 "r"(source), "r"(0), "r"(0), TK_TMA_OPERANDS_##rank                                                   \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void cp_async_bulk_tensor_store(const CUtensorMap &map, const int(&c)[rank], uint32_t source,              \
                                            cache_policy policy) {                                                     \
    asm volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.bulk_group.L2::cache_hint"                        \
                 " [%0, " c4 "], [%1], %2;" ::"l"(&map),                                                               \
                 "r"(source), "l"(uint64_t(policy)), "r"(0), TK_TMA_OPERANDS_##rank                                    \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  /* cp.reduce.async.bulk.tensor.add: adds in the type of the map */                                                   \
  TK_DEVICE void cp_reduce_async_bulk_tensor_add(const CUtensorMap &map, const int(&c)[rank], uint32_t source) {       \
    asm volatile("cp.reduce.async.bulk.tensor." #rank "d.global.shared::cta.add.bulk_group [%0, " c4                   \
                 "], [%1];" ::"l"(&map),                                                                               \
                 "r"(source), "r"(0), "r"(0), TK_TMA_OPERANDS_##rank                                                   \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void cp_reduce_async_bulk_tensor_add(const CUtensorMap &map, const int(&c)[rank], uint32_t source,         \
                                                 cache_policy policy) {                                                \
    asm volatile("cp.reduce.async.bulk.tensor." #rank "d.global.shared::cta.add.bulk_group.L2::cache_hint [%0, " c4    \
                 "], [%1], %2;" ::"l"(&map),                                                                           \
                 "r"(source), "l"(uint64_t(policy)), "r"(0), TK_TMA_OPERANDS_##rank                                    \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  /* cp.async.bulk.prefetch.tensor: a box into L2 */                                                                   \
  TK_DEVICE void cp_async_bulk_prefetch_tensor(const CUtensorMap &map, const int(&c)[rank]) {                          \
    asm volatile("cp.async.bulk.prefetch.tensor." #rank "d.L2.global [%0, " c1 "];" ::"l"(&map),                       \
                 TK_TMA_OPERANDS_##rank                                                                                \
                 : "memory");                                                                                          \
  }

TK_TMA(1, "{%1}", "{%4}")
TK_TMA(2, "{%1, %2}", "{%4, %5}")
TK_TMA(3, "{%1, %2, %3}", "{%4, %5, %6}")
TK_TMA(4, "{%1, %2, %3, %4}", "{%4, %5, %6, %7}")
TK_TMA(5, "{%1, %2, %3, %4, %5}", "{%4, %5, %6, %7, %8}")

#undef TK_TMA
#undef TK_TMA_OPERANDS_1
#undef TK_TMA_OPERANDS_2
#undef TK_TMA_OPERANDS_3
#undef TK_TMA_OPERANDS_4
#undef TK_TMA_OPERANDS_5

// prefetch.tensormap: fetches the map itself ahead of its first use.
TK_DEVICE void prefetch_tensormap(const CUtensorMap &map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// cp.async.bulk, global to shared: completes on an mbarrier, as a box does.
TK_DEVICE void cp_async_bulk_load(uint32_t destination, const void *source, uint32_t bytes, uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   destination),
               "l"(source), "r"(bytes), "r"(barrier)
               : "memory");
}

TK_DEVICE void cp_async_bulk_load_multicast(uint32_t destination, const void *source, uint32_t bytes, uint32_t barrier,
                                            uint16_t blocks) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
               " [%0], [%1], %2, [%3], %4;" ::"r"(destination),
               "l"(source), "r"(bytes), "r"(barrier), "h"(blocks)
               : "memory");
}

// cp.async.bulk, shared to global: belongs to a bulk group, as a tensor store does.
TK_DEVICE void cp_async_bulk_store(void *destination, uint32_t source, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(destination), "r"(source), "r"(bytes)
               : "memory");
}

// cp.reduce.async.bulk.add: adds elements of this type.
#define TK_BULK_ADD(suffix, type)                                                                                      \
  TK_DEVICE void cp_reduce_async_bulk_add_##suffix(void *destination, uint32_t source, uint32_t bytes) {               \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add." type " [%0], [%1], %2;" ::"l"(destination), \
                 "r"(source), "r"(bytes)                                                                               \
                 : "memory");                                                                                          \
  }

TK_BULK_ADD(f32, "f32")
TK_BULK_ADD(f16, "noftz.f16")
TK_BULK_ADD(bf16, "noftz.bf16")

#undef TK_BULK_ADD

// cp.async.bulk.prefetch: a multiple of 16 bytes into L2.
TK_DEVICE void cp_async_bulk_prefetch(const void *source, uint32_t bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(source), "r"(bytes) : "memory");
}

// cp.async.bulk.commit_group: the stores this thread has issued since the last commit become a group.
TK_DEVICE void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// cp.async.bulk.wait_group.read: at most `pending` of this thread's groups have yet to read shared memory.
template <int pending> TK_DEVICE void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// cp.async.bulk.wait_group: at most `pending` of this thread's groups have yet to complete their writes.
template <int pending> TK_DEVICE void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
}

} // namespace tk

#endif // TK_PTX_TMA_H
