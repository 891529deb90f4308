//===- ptx/cluster.h - Blocks that reach each other's shared memory -------===//
//
// The blocks of a cluster run at the same time. `mapa` turns a shared address of
// the own block into that of the same byte in another one; such addresses are
// taken by the functions whose names end in, or begin with, `cluster`. Waiting
// for another block's mbarrier is not possible.
//
// A block must not end while others may still reach into its memory: let all meet
// at the cluster barrier before.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-mapa
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-barrier-cluster
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_CLUSTER_H
#define TK_PTX_CLUSTER_H

#include <ptx/device.h>

namespace tk {

// %cluster_ctarank, %cluster_nctarank: which block of its cluster this is, and how many there are.
TK_DEVICE uint32_t cluster_rank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
TK_DEVICE uint32_t cluster_blocks() {
  uint32_t blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return blocks;
}

// mapa: the address of the same byte in the block of that rank.
TK_DEVICE uint32_t mapa(uint32_t address, uint32_t rank) {
  uint32_t mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

// barrier.cluster: each thread of all blocks arrives, and later waits for the others. The relaxed arrival does not
// make this thread's writes visible.
TK_DEVICE void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
TK_DEVICE void barrier_cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
TK_DEVICE void barrier_cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

// mbarrier.arrive on a barrier of any block. Enough to release a stage that was only read: for ordinary stores that
// the other block is to see, meet at the cluster barrier (.release.cluster here would cost a fence of all memory).
TK_DEVICE void mbarrier_arrive_cluster(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}
TK_DEVICE void mbarrier_arrive_cluster_if(uint32_t barrier, bool predicate) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.ne.u32 p, %1, 0;\n"
               "@p mbarrier.arrive.shared::cluster.b64 _, [%0];\n"
               "}" ::"r"(barrier),
               "r"(uint32_t(predicate))
               : "memory");
}
TK_DEVICE void mbarrier_arrive_expect_tx_cluster(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Ordinary loads and stores, of 4 and 16 bytes.
#define TK_CLUSTER_ACCESS(type, R, K)                                                                                  \
  TK_DEVICE R ld_cluster_##type(uint32_t address) {                                                                    \
    R r0;                                                                                                              \
    asm volatile("ld.shared::cluster." #type " %0, [%1];" : "=" K(r0) : "r"(address) : "memory");                      \
    return r0;                                                                                                         \
  }                                                                                                                    \
  TK_DEVICE void st_cluster_##type(uint32_t address, R r0) {                                                           \
    asm volatile("st.shared::cluster." #type " [%0], %1;" ::"r"(address), K(r0) : "memory");                           \
  }                                                                                                                    \
  TK_DEVICE void ld_cluster_v4_##type(uint32_t address, R &r0, R &r1, R &r2, R &r3) {                                  \
    asm volatile("ld.shared::cluster.v4." #type " {%0, %1, %2, %3}, [%4];"                                             \
                 : "=" K(r0), "=" K(r1), "=" K(r2), "=" K(r3)                                                          \
                 : "r"(address)                                                                                        \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void st_cluster_v4_##type(uint32_t address, R r0, R r1, R r2, R r3) {                                      \
    asm volatile("st.shared::cluster.v4." #type " [%0], {%1, %2, %3, %4};" ::"r"(address), K(r0), K(r1), K(r2), K(r3)  \
                 : "memory");                                                                                          \
  }

TK_CLUSTER_ACCESS(b32, uint32_t, "r")
TK_CLUSTER_ACCESS(f32, float, "f")

#undef TK_CLUSTER_ACCESS

} // namespace tk

#endif // TK_PTX_CLUSTER_H
