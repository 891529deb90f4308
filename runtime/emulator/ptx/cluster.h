//===- ptx/cluster.h - Blocks that reach each other's shared memory -------===//
#ifndef TK_PTX_CLUSTER_H
#define TK_PTX_CLUSTER_H

#include <ptx/device.h>

namespace tk {

TK_DEVICE uint32_t cluster_rank() { return emulator::position->cluster_rank; }
TK_DEVICE uint32_t cluster_blocks() { return emulator::position->cluster_blocks; }

TK_DEVICE uint32_t mapa(uint32_t address, uint32_t rank, TK_PLACE) {
  return emulator::map_to_rank(address, rank, where);
}

TK_DEVICE void barrier_cluster_arrive(TK_PLACE) {
  emulator::cluster_arrive(/*release=*/true, where);
}
TK_DEVICE void barrier_cluster_arrive_relaxed(TK_PLACE) {
  emulator::cluster_arrive(/*release=*/false, where);
}
TK_DEVICE void barrier_cluster_wait(TK_PLACE) { emulator::cluster_wait(where); }

TK_DEVICE void mbarrier_arrive_cluster(uint32_t barrier, TK_PLACE) {
  emulator::mbarrier_arrive(barrier, 1, /*expected_bytes=*/0, /*remote=*/true, where);
}
TK_DEVICE void mbarrier_arrive_cluster_if(uint32_t barrier, bool predicate, TK_PLACE) {
  if (predicate)
    emulator::mbarrier_arrive(barrier, 1, /*expected_bytes=*/0, /*remote=*/true, where);
}
TK_DEVICE void mbarrier_arrive_expect_tx_cluster(uint32_t barrier, uint32_t bytes, TK_PLACE) {
  emulator::mbarrier_arrive(barrier, 1, bytes, /*remote=*/true, where);
}

#define TK_CLUSTER_ACCESS(suffix, R, held)                                                         \
  TK_DEVICE R ld_cluster_##suffix(uint32_t address, TK_PLACE) {                                    \
    R r0 = 0;                                                                                      \
    emulator::load_cluster(address, &r0, 4, where);                                                \
    return r0;                                                                                     \
  }                                                                                                \
  TK_DEVICE void st_cluster_##suffix(uint32_t address, R r0, TK_PLACE) {                           \
    emulator::store_cluster(address, &r0, 4, emulator::content::held, where);                      \
  }                                                                                                \
  TK_DEVICE void ld_cluster_v4_##suffix(uint32_t address, R &r0, R &r1, R &r2, R &r3, TK_PLACE) {  \
    R r[4];                                                                                        \
    emulator::load_cluster(address, r, 16, where);                                                 \
    r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];                                                    \
  }                                                                                                \
  TK_DEVICE void st_cluster_v4_##suffix(uint32_t address, R r0, R r1, R r2, R r3, TK_PLACE) {      \
    const R r[4] = {r0, r1, r2, r3};                                                               \
    emulator::store_cluster(address, r, 16, emulator::content::held, where);                       \
  }

TK_CLUSTER_ACCESS(b32, uint32_t, bits)
TK_CLUSTER_ACCESS(f32, float, words)

#undef TK_CLUSTER_ACCESS

} // namespace tk

#endif // TK_PTX_CLUSTER_H
