// Copies without a map, reductions, ranks 1 to 5, vectors, and the copies that threads make.
#include "harness.h"

#include <cstring>
#include <ptx/cp_async.h>

using namespace test;

namespace {

constexpr uint32_t base = emulator::shared_base, tile = base + 1024;
alignas(128) float floats[4096], sums[4096];
alignas(128) uint16_t halves[4096];
CUtensorMap map;

void fill() {
  for (int i = 0; i < 4096; ++i)
    floats[i] = float(i), sums[i] = 1, halves[i] = emulator::bf16_bits(float(i % 100));
}

constexpr shape small = {.threads = 32, .shared_bytes = 8192};

// One thread loads a box of the map at these coordinates and returns when it has landed.
template <int rank> void load(const int (&at)[rank], uint32_t bytes) {
  mbarrier_arrive_expect_tx(base, bytes);
  cp_async_bulk_tensor_load(tile, map, at, base);
  mbarrier_wait_parity(base, 0);
}

} // namespace

TEST(ranks) {
  fill();
  map = packed_map(floats, TK_F32, {8, 4, 4, 4, 4}, {4, 2, 2, 2, 2}, 16);
  clean("rank 5, at a corner", small, [] {
    begin_barrier(base, 1);
    if (threadIdx.x != 0)
      return;
    load({4, 3, 1, 2, -1}, 4 * 4 * 2 * 2 * 2 * 2);
    for (int i = 0; i < 64; ++i) {
      const int c[5] = {4 + i % 4, 3 + i / 4 % 2, 1 + i / 8 % 2, 2 + i / 16 % 2, -1 + i / 32};
      const bool inside = c[1] < 4 && c[4] >= 0;
      const float wanted =
          inside ? float(c[0] + 8 * (c[1] + 4 * (c[2] + 4 * (c[3] + 4 * c[4])))) : 0;
      if (ld_shared_f32(tile + 4 * i) != wanted)
        __builtin_trap();
    }
  });
  map = packed_map(halves, TK_BF16, {100}, {64}, 128);
  clean("a vector: rank 1, with a swizzle that does nothing to it", small, [] {
    begin_barrier(base, 1);
    if (threadIdx.x != 0)
      return;
    load({64}, 128);
    for (uint32_t i = 0; i < 64; ++i)
      if (ld_shared_b16(tile + 2 * i) != (i < 36 ? halves[64 + i] : 0))
        __builtin_trap();
  });
  map = packed_map(halves, TK_BF16, {100}, {32}, 128);
  clean("one row that is shorter than the swizzle", small, [] {
    begin_barrier(base, 1);
    if (threadIdx.x != 0)
      return;
    load({8}, 64);
    if (ld_shared_b16(tile + 62) != halves[39])
      __builtin_trap();
    cp_async_bulk_prefetch_tensor(map, {32});
  });
}

TEST(reductions) {
  fill();
  map = packed_map(sums, TK_F32, {24, 10}, {8, 4}, 32);
  clean(
      "blocks add to one box, clipped at the high edge",
      {.threads = 32, .shared_bytes = 8192, .blocks = 3},
      [] {
        st_shared_f32(tile + 4 * lane_index(), 2);
        fence_proxy_async();
        __syncwarp();
        if (threadIdx.x == 0) {
          cp_reduce_async_bulk_tensor_add(map, {8, 8}, tile);
          bulk_commit();
          bulk_wait_read<0>();
        }
      },
      [] {
        for (int i = 0; i < 4096; ++i) {
          const int row = i / 24, column = i % 24;
          const bool added = row >= 8 && row < 10 && column >= 8 && column < 16;
          if (std::exchange(sums[i], 1.0f) != (added ? 7 : 1))
            return false;
        }
        return true;
      });
  clean(
      "bulk copies there and back, and an addition", small,
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x != 0)
          return;
        mbarrier_arrive_expect_tx(base, 256);
        cp_async_bulk_prefetch(floats + 16, 256);
        cp_async_bulk_load(tile + 16, floats + 16, 256, base);
        mbarrier_wait_parity(base, 0);
        cp_async_bulk_store(sums, tile + 16, 256);
        cp_reduce_async_bulk_add_f32(sums + 64, tile + 16, 256);
        cp_reduce_async_bulk_add_bf16(halves, tile + 16, 16);
        bulk_commit();
        bulk_wait<0>();
      },
      [] {
        const uint32_t low = std::bit_cast<uint32_t>(17.0f); // as two bf16
        bool right =
            halves[3] == emulator::bf16_bits(3 + emulator::bf16_value(uint16_t(low >> 16)));
        for (int i = 0; i < 64; ++i)
          right &= sums[i] == float(16 + i) && sums[64 + i] == float(17 + i);
        fill();
        return right;
      });
  faulty(
      "a bulk copy of 8 bytes", small,
      [] {
        begin_barrier(base, 1);
        MISTAKE cp_async_bulk_load(tile, floats, 8, base);
      },
      "bulk copies move a multiple of 16");
  faulty(
      "a bulk copy from an odd place", small,
      [] {
        begin_barrier(base, 1);
        MISTAKE cp_async_bulk_load(tile, floats + 1, 16, base);
      },
      "multiples of 16");
  faulty(
      "a source that is overwritten while the reduction may read it", small,
      [] {
        if (threadIdx.x == 0) {
          for (uint32_t i = 0; i < 128; i += 8)
            st_shared_v2_f32(tile + i, 1, 1);
          fence_proxy_async();
          cp_reduce_async_bulk_tensor_add(map, {0, 0}, tile);
          bulk_commit();
          MISTAKE st_shared_v2_f32(tile, 0, 0);
        }
      },
      "while it may still be read by TMA reduction");
  fill();
}

TEST(thread_copies) {
  fill();
  clean("sixteen bytes each, the last ones filled with zeros", small, [] {
    const uint32_t lane = lane_index(), at = tile + 16 * lane;
    cp_async_16(at, floats + 4 * lane, lane < 30 ? 16 : lane == 30 ? 4 : 0);
    cp_async_commit();
    cp_async_8(at + 1024, floats + 2 * lane);
    cp_async_4(at + 1032, floats + lane);
    cp_async_commit();
    cp_async_wait<1>();
    if (ld_shared_f32(at) != (lane < 31 ? float(4 * lane) : 0) ||
        ld_shared_f32(at + 4) != (lane < 30 ? float(4 * lane + 1) : 0))
      __builtin_trap();
    cp_async_wait<0>();
    if (ld_shared_f32(at + 1028) != float(2 * lane + 1) || ld_shared_f32(at + 1032) != float(lane))
      __builtin_trap();
  });
  clean("an arrival that follows the copies", {.threads = 64, .shared_bytes = 8192}, [] {
    begin_barrier(base, 32);
    if (threadIdx.x < 32) {
      cp_async_16(tile + 16 * threadIdx.x, floats + 4 * threadIdx.x);
      cp_async_mbarrier_arrive(base);
    } else {
      mbarrier_wait_parity(base, 0);
      const uint32_t i = (threadIdx.x * 7) % 32;
      if (ld_shared_f32(tile + 16 * i) != float(4 * i))
        __builtin_trap();
    }
  });
  faulty(
      "a read before the wait", small,
      [] {
        cp_async_16(tile + 16 * lane_index(), floats);
        cp_async_commit();
        MISTAKE ld_shared_f32(tile + 16 * lane_index());
      },
      "before the copy into it is known to have landed");
  faulty(
      "a wait for the groups but one", small,
      [] {
        cp_async_16(tile + 16 * lane_index(), floats);
        cp_async_commit();
        cp_async_wait<1>();
        MISTAKE ld_shared_f32(tile + 16 * lane_index());
      },
      "before the copy into it is known to have landed");
  map = packed_map(sums, TK_F32, {64}, {64}, 16);
  faulty(
      "no proxy fence between a copy and TMA", small,
      [] {
        cp_async_8(tile + 8 * lane_index(), floats);
        cp_async_commit();
        cp_async_wait<0>();
        __syncwarp();
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_store(map, {0}, tile);
      },
      "executed no fence_proxy_async after the write");
  clean("with one", small, [] {
    cp_async_8(tile + 8 * lane_index(), floats);
    cp_async_commit();
    cp_async_wait<0>();
    fence_proxy_async();
    __syncwarp();
    if (threadIdx.x == 0) {
      cp_async_bulk_tensor_store(map, {0}, tile);
      bulk_commit();
      bulk_wait_read<0>();
    }
  });
  faulty(
      "the end with a copy in flight", small,
      [] {
        cp_async_16(tile + 16 * lane_index(), floats);
        cp_async_commit();
      },
      "ends while its asynchronous copies are in flight");
}
