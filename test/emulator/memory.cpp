// Shared memory: races, proxies, bounds.
#include "harness.h"

using namespace test;

namespace {

constexpr uint32_t base = emulator::shared_base;
alignas(128) uint16_t tensor[64 * 64];
CUtensorMap map;

float read(uint32_t address) {
  float value, other;
  ld_shared_v2_f32(address, value, other);
  return value;
}

} // namespace

TEST(races) {
  clean("neighbours in one row of a matrix", {.threads = 64},
        [] { st_shared_v2_f32(base + 8 * threadIdx.x, 1, 1); });
  faulty(
      "a write and a read with nothing between", {.threads = 64},
      [] {
        if (threadIdx.x == 0)
          st_shared_v2_f32(base, 1, 1);
        named_barrier_sync(1 + threadIdx.x / 32, 32);
        if (threadIdx.x == 32)
          read(base);
      },
      "reads shared byte 0");
  faulty(
      "a read and a write with nothing between", {.threads = 64},
      [] {
        if (threadIdx.x == 0)
          st_shared_v2_f32(base, 1, 1);
        __syncthreads();
        if (threadIdx.x == 0)
          read(base);
        named_barrier_sync(1 + threadIdx.x / 32, 32); // of each warp alone
        if (threadIdx.x == 32)
          st_shared_v2_f32(base, 2, 2);
      },
      "shared byte 0 while");
  faulty(
      "two writes", {.threads = 64},
      [] {
        if (threadIdx.x % 32 == 0)
          MISTAKE st_shared_v2_f32(base, 1, 1);
      },
      "writes shared byte 0 while another thread may still write it");
  faulty(
      "an arrival before the write", {.threads = 64},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0) {
          mbarrier_arrive(base);
          st_shared_v2_f32(base + 16, 1, 1);
        } else if (threadIdx.x == 32) {
          mbarrier_wait_parity(base, 0);
          read(base + 16);
        }
      },
      "shared byte 16");
}

TEST(uninitialised_and_bounds) {
  faulty("nothing was written there", {}, [] { read(base); }, "which nothing has been written to");
  faulty(
      "after the end", {.shared_bytes = 256}, [] { MISTAKE st_shared_v2_f32(base + 256, 1, 1); },
      "accesses shared bytes 256 to 263, but the block has bytes 0 to 255");
  faulty(
      "before the beginning", {}, [] { MISTAKE st_shared_v2_f32(0, 1, 1); },
      "accesses shared bytes -1024 to -1017");
  faulty("misaligned", {}, [] { MISTAKE st_shared_v2_f32(base + 4, 1, 1); }, "multiples of 8");
  faulty(
      "misaligned rows of a matrix", {}, [] { MISTAKE stmatrix_x4(base + 8, 0, 0, 0, 0); },
      "multiples of 16");
}

// A stage that threads read is given back to TMA.
template <bool fence_before, bool fence_after> void give_back() {
  begin_barrier(base, 1);
  if (threadIdx.x == 0) {
    mbarrier_arrive_expect_tx(base, 1024);
    cp_async_bulk_tensor_load(base + 1024, map, {0, 0}, base);
  }
  mbarrier_wait_parity(base, 0);
  if (fence_before)
    fence_proxy_async();
  read(base + 1024 + 8 * threadIdx.x);
  if (fence_after)
    fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_arrive_expect_tx(base, 1024);
    MISTAKE cp_async_bulk_tensor_load(base + 1024, map, {0, 0}, base);
  }
  mbarrier_wait_parity(base, 1);
}

TEST(proxies) {
  map = map_of(tensor, 64, 64, 128, 8, 64, 128);
  clean("write, fence, barrier, store", {.threads = 64}, [] {
    st_shared_v2_f32(base + 1024 + 16 * threadIdx.x, 1, 1);
    st_shared_v2_f32(base + 1024 + 16 * threadIdx.x + 8, 1, 1);
    fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_tensor_store(map, {0, 0}, base + 1024);
      bulk_commit();
      bulk_wait_read<0>();
    }
  });
  faulty(
      "no fence", {.threads = 64},
      [] {
        st_shared_v2_f32(base + 1024 + 16 * threadIdx.x, 1, 1);
        st_shared_v2_f32(base + 1024 + 16 * threadIdx.x + 8, 1, 1);
        __syncthreads();
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_store(map, {0, 0}, base + 1024);
      },
      "executed no fence_proxy_async after the write");
  faulty(
      "a fence before the last write", {.threads = 64},
      [] {
        st_shared_v2_f32(base + 1024 + 16 * threadIdx.x, 1, 1);
        fence_proxy_async();
        st_shared_v2_f32(base + 1024 + 16 * threadIdx.x + 8, 1, 1);
        __syncthreads();
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_store(map, {0, 0}, base + 1024);
      },
      "executed no fence_proxy_async after the write");
  clean("a load over ordinary reads, fenced", {.threads = 64}, give_back<false, true>);
  faulty("a load over ordinary reads", {.threads = 64}, give_back<false, false>,
         "the thread that read it executed no fence_proxy_async after the read");
  faulty("a fence before the read", {.threads = 64}, give_back<true, false>,
         "the thread that read it executed no fence_proxy_async after the read");
  faulty(
      "a load over ordinary writes", {.threads = 64},
      [] {
        begin_barrier(base, 1);
        st_shared_v2_f32(base + 1024 + 8 * threadIdx.x, 1, 1);
        __syncthreads();
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_load(base + 1024, map, {0, 0}, base);
      },
      "overwrites shared byte 1024 through the async proxy");
}

TEST(global_bounds) {
  static uint16_t *const start = tensor + 64;
  tk_tensor rows = {}; // 16 rows of 40 elements, 64 apart
  rows.data = start;
  rows.rank = 2;
  rows.extents[0] = 16, rows.extents[1] = 40;
  rows.strides[0] = 64, rows.strides[1] = 1;
  emulator::note_global("T", rows, 2);
  clean("the corners of a padded tensor", {}, [] {
    st_global_b16(start, 1);
    st_global_v4_b32(start + 15 * 64 + 32, 1, 2, 3, 4);
    ld_global_b32(start + 3 * 64 + 38);
  });
  faulty(
      "between two rows", {}, [] { MISTAKE st_global_b32(start + 40, 1); },
      "st.global of 4 bytes is outside of all tensors of the launch: 80 bytes after the start of "
      "T");
  faulty(
      "after the last row", {}, [] { MISTAKE ld_global_b32(start + 15 * 64 + 40); },
      "outside of all tensors");
  faulty(
      "before the start", {}, [] { MISTAKE st_global_b16(start - 1, 1); },
      "2 bytes before the start of T");
  emulator::forget_global();
}
