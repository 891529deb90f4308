//===- ptx/cp_async.h - Copies that threads make, asynchronously ----------===//
//
// For copies that a tensor map cannot describe: each thread copies 4, 8 or 16 bytes from
// global to shared memory, aligned to their size. The form with `given` reads that
// many bytes and fills the rest with zeros; with 0 the source is not read at all.
//
// The bytes are there for the thread when it has waited for the group, and for
// others through a barrier after that. They are written through the generic proxy:
// before TMA or wgmma read them, the thread must also fence (ptx/fence.h).
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_CP_ASYNC_H
#define TK_PTX_CP_ASYNC_H

#include <ptx/device.h>

namespace tk {

// 16 bytes pass by the L1 cache, fewer go through it.
#define TK_CP_ASYNC(bytes, cache)                                                                                      \
  TK_DEVICE void cp_async_##bytes(uint32_t destination, const void *source) {                                          \
    asm volatile("cp.async." cache ".shared::cta.global [%0], [%1], " #bytes ";" ::"r"(destination), "l"(source)       \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void cp_async_##bytes(uint32_t destination, const void *source, uint32_t given) {                          \
    asm volatile("cp.async." cache ".shared::cta.global [%0], [%1], " #bytes ", %2;" ::"r"(destination), "l"(source),  \
                 "r"(given)                                                                                            \
                 : "memory");                                                                                          \
  }

TK_CP_ASYNC(4, "ca")
TK_CP_ASYNC(8, "ca")
TK_CP_ASYNC(16, "cg")

#undef TK_CP_ASYNC

// cp.async.commit_group: this thread's copies since the last commit become a group.
TK_DEVICE void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// cp.async.wait_group: at most `pending` of this thread's groups have yet to land.
template <int pending> TK_DEVICE void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// cp.async.mbarrier.arrive.noinc: one arrival, when all copies of this thread up to now have landed.
TK_DEVICE void cp_async_mbarrier_arrive(uint32_t barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

} // namespace tk

#endif // TK_PTX_CP_ASYNC_H
