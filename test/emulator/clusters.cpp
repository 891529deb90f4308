// Blocks that run together: the cluster barrier, each other's memory and mbarriers, multicast.
#include "harness.h"

#include <cstring>
#include <ptx/cluster.h>

using namespace test;

namespace {

constexpr uint32_t tile_offset = 1024;
alignas(128) uint16_t tensor[2][1024];
CUtensorMap map;

// One mbarrier at the start of each block's memory, known to the whole cluster.
uint32_t begin_cluster(uint32_t count) {
  const uint32_t base = shared_memory_base();
  if (threadIdx.x == 0) {
    mbarrier_init(base, count);
    fence_mbarrier_init();
  }
  barrier_cluster_arrive();
  barrier_cluster_wait();
  return base;
}

void end_cluster() {
  barrier_cluster_arrive();
  barrier_cluster_wait();
}

constexpr shape pair = {.threads = 64, .shared_bytes = 8192, .blocks = 4, .cluster = 2};

} // namespace

TEST(cluster_memory) {
  clean("each block reads what the other one wrote", pair, [] {
    const uint32_t base = shared_memory_base(), rank = cluster_rank();
    if (cluster_blocks() != 2 || rank != blockIdx.x % 2 || mapa(base, rank) != base)
      __builtin_trap();
    st_shared_b32(base + 4 * threadIdx.x, 1000 * rank + threadIdx.x);
    barrier_cluster_arrive();
    barrier_cluster_wait();
    const uint32_t i = 63 - threadIdx.x;
    if (ld_cluster_b32(mapa(base + 4 * i, rank ^ 1)) != 1000 * (rank ^ 1) + i)
      __builtin_trap();
    end_cluster();
    st_cluster_f32(mapa(base + 4 * threadIdx.x, rank ^ 1), 5);
    end_cluster();
    if (ld_shared_f32(base + 4 * threadIdx.x) != 5)
      __builtin_trap();
  });
  faulty(
      "a read without the cluster barrier", pair,
      [] {
        const uint32_t base = shared_memory_base();
        st_shared_b32(base + 4 * threadIdx.x, 1);
        barrier_cluster_arrive_relaxed();
        barrier_cluster_wait();
        ld_cluster_b32(mapa(base + 4 * threadIdx.x, cluster_rank() ^ 1));
        end_cluster();
      },
      "while another thread may still write it");
  faulty(
      "an end while others may still reach in", pair,
      [] {
        const uint32_t base = begin_cluster(64);
        MISTAKE mbarrier_arrive_cluster(mapa(base, cluster_rank() ^ 1));
      },
      "");
  faulty(
      "a block that the cluster has not", pair, [] { MISTAKE mapa(shared_memory_base(), 2); },
      "names block 2 of a cluster of 2");
  faulty(
      "another block's memory by an ordinary load", pair,
      [] {
        const uint32_t base = shared_memory_base();
        st_shared_b32(base + 4 * threadIdx.x, 1);
        end_cluster();
        MISTAKE ld_shared_b32(mapa(base, cluster_rank() ^ 1));
      },
      "takes an address of the own block");
  faulty(
      "a wait that nobody has arrived for", pair, [] { MISTAKE barrier_cluster_wait(); },
      "without having arrived");
  faulty(
      "a block that does not come", pair,
      [] {
        if (cluster_rank() == 0 || threadIdx.x < 32)
          barrier_cluster_arrive();
        if (cluster_rank() == 0)
          barrier_cluster_wait();
        else
          named_barrier_sync(1, 64 - 32 * (threadIdx.x == 77));
      },
      "");
}

TEST(cluster_barriers) {
  clean("a ring over two blocks: one writes, the other releases", pair, [] {
    const uint32_t base = begin_cluster(1), rank = cluster_rank(), peer = mapa(base, rank ^ 1);
    for (uint32_t i = 0; i < 6; ++i)
      if (threadIdx.x == 0 && rank == i % 2)
        mbarrier_arrive_cluster(peer);
      else if (threadIdx.x == 0)
        mbarrier_wait_parity(base, i / 2 % 2);
    end_cluster();
  });
  faulty(
      "a peer's barrier before the cluster has met", pair,
      [] {
        const uint32_t base = shared_memory_base();
        if (threadIdx.x == 0) {
          mbarrier_init(base, 1);
          fence_mbarrier_init();
        }
        __syncthreads();
        if (threadIdx.x == 0)
          MISTAKE mbarrier_arrive_cluster(mapa(base, cluster_rank() ^ 1));
        end_cluster();
      },
      "initialised");
  faulty(
      "a wait for a peer's barrier", pair,
      [] {
        const uint32_t base = begin_cluster(1);
        MISTAKE mbarrier_wait_parity(mapa(base, cluster_rank() ^ 1), 1);
      },
      "takes an address of the own block");
}

TEST(multicast) {
  for (int i = 0; i < 2048; ++i)
    tensor[i / 1024][i % 1024] = uint16_t(i);
  map = packed_map(tensor, TK_BF16, {64, 32}, {64, 8}, 128);
  clean("each block loads half a tile into both", pair, [] {
    const uint32_t base = begin_cluster(1), rank = cluster_rank();
    if (threadIdx.x == 0) {
      mbarrier_arrive_expect_tx(base, 2048);
      cp_async_bulk_tensor_load_multicast(base + tile_offset + 1024 * rank, map, {0, int(8 * rank)},
                                          base, 3);
    }
    mbarrier_wait_parity(base, 0);
    for (uint32_t i = threadIdx.x; i < 1024; i += 64) {
      const uint32_t at = 2 * i ^ (2 * i / 128 % 8) * 16;
      if (ld_shared_b16(base + tile_offset + at) != i)
        __builtin_trap();
    }
    end_cluster();
  });
  faulty(
      "a multicast over a stage that only the own block has released", pair,
      [] {
        const uint32_t base = begin_cluster(1), rank = cluster_rank();
        for (uint32_t i = 0; i < 2; ++i) {
          if (threadIdx.x == 0) {
            mbarrier_arrive_expect_tx(base, 2048);
            cp_async_bulk_tensor_load_multicast(base + tile_offset + 1024 * rank, map,
                                                {0, int(8 * rank)}, base, 3);
          }
          mbarrier_wait_parity(base, i);
          ld_shared_b32(base + tile_offset + 4 * threadIdx.x);
          __syncthreads();
        }
        end_cluster();
      },
      "");
  faulty(
      "fewer bytes than both blocks bring", pair,
      [] {
        const uint32_t base = begin_cluster(1), rank = cluster_rank();
        if (threadIdx.x == 0) {
          mbarrier_arrive_expect_tx(base, 1024);
          cp_async_bulk_tensor_load_multicast(base + tile_offset + 1024 * rank, map,
                                              {0, int(8 * rank)}, base, 3);
        }
        mbarrier_wait_parity(base, 0);
        ld_shared_b32(base + tile_offset + 4 * threadIdx.x);
        ld_shared_b32(base + tile_offset + 1024 + 4 * threadIdx.x);
        end_cluster();
      },
      "");
}
