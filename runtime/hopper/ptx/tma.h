//===- ptx/tma.h - Copies of whole boxes by the tensor memory accelerator -===//
//
// One thread names a tensor map, the box's coordinates and a shared address;
// the copy happens asynchronously, through the async proxy, and lays the box
// out with the swizzle of the map. Loads fill what lies outside the tensor with
// zeros and complete on an mbarrier by bytes (always those of the full box);
// stores drop what lies beyond the high edges and complete by bulk groups.
//
// Coordinates are in elements, the fastest dimension first, as PTX lists them.
// The first times the element size must be a multiple of 16 bytes, and stores
// take no negative coordinate: the hardware traps on both.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async-bulk-tensor
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_TMA_H
#define TK_PTX_TMA_H

#include <ptx/device.h>

namespace tk {

// cp.async.bulk.tensor.1d, global to shared
TK_DEVICE void cp_async_bulk_tensor_load(uint32_t destination, const CUtensorMap &map, const int (&c)[1],
                                         uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
               ::"r"(destination), "l"(&map), "r"(c[0]), "r"(barrier)
               : "memory");
}

// cp.async.bulk.tensor.2d, global to shared
TK_DEVICE void cp_async_bulk_tensor_load(uint32_t destination, const CUtensorMap &map, const int (&c)[2],
                                         uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
               ::"r"(destination), "l"(&map), "r"(c[0]), "r"(c[1]), "r"(barrier)
               : "memory");
}

// cp.async.bulk.tensor.3d, global to shared
TK_DEVICE void cp_async_bulk_tensor_load(uint32_t destination, const CUtensorMap &map, const int (&c)[3],
                                         uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
               ::"r"(destination), "l"(&map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(barrier)
               : "memory");
}

// cp.async.bulk.tensor.4d, global to shared
TK_DEVICE void cp_async_bulk_tensor_load(uint32_t destination, const CUtensorMap &map, const int (&c)[4],
                                         uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6];"
               ::"r"(destination), "l"(&map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(barrier)
               : "memory");
}

// cp.async.bulk.tensor.1d, shared to global
TK_DEVICE void cp_async_bulk_tensor_store(const CUtensorMap &map, const int (&c)[1], uint32_t source) {
  asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%1}], [%2];"
               ::"l"(&map), "r"(c[0]), "r"(source)
               : "memory");
}

// cp.async.bulk.tensor.2d, shared to global
TK_DEVICE void cp_async_bulk_tensor_store(const CUtensorMap &map, const int (&c)[2], uint32_t source) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
               ::"l"(&map), "r"(c[0]), "r"(c[1]), "r"(source)
               : "memory");
}

// cp.async.bulk.tensor.3d, shared to global
TK_DEVICE void cp_async_bulk_tensor_store(const CUtensorMap &map, const int (&c)[3], uint32_t source) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];"
               ::"l"(&map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(source)
               : "memory");
}

// cp.async.bulk.tensor.4d, shared to global
TK_DEVICE void cp_async_bulk_tensor_store(const CUtensorMap &map, const int (&c)[4], uint32_t source) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];"
               ::"l"(&map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(source)
               : "memory");
}

// prefetch.tensormap: fetches the map itself ahead of its first use.
TK_DEVICE void prefetch_tensormap(const CUtensorMap &map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
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
