// TMA: what arrives where, what is written where, and when.
#include "harness.h"

#include <cstring>

using namespace test;

namespace {

constexpr uint32_t base = emulator::shared_base;
constexpr int rows = 40, columns = 88, pitch = 96; // elements; rows of 192 bytes
alignas(128) uint16_t source[rows * pitch], target[rows * pitch];
CUtensorMap load_map, store_map;
int box_columns, first_row, first_column; // of the copy under test
int early; // relaxed loads that found the element, and 0x10000 for each of the others
constexpr std::pair<int, int> corners[] = {{0, 0},   {3, 24}, {30, 64}, {-5, 8}, {-16, 0},
                                           {4, -16}, {40, 0}, {0, 88},  {39, 80}};

void fill() {
  for (int i = 0; i < rows * pitch; ++i)
    source[i] = uint16_t(i + 1);
  memset(target, 0xee, sizeof target);
}

// Loads a box, checks the whole shared tile with ordinary loads, then stores it at the same place
// of the target.
void there_and_back() {
  const uint32_t tile = base + 1024;
  begin_barrier(base, 1);
  if (threadIdx.x == 0) {
    mbarrier_arrive_expect_tx(base, uint32_t(16 * box_columns * 2));
    const int at[2] = {first_column, first_row};
    cp_async_bulk_tensor_load(tile, load_map, at, base);
    mbarrier_wait_parity(base, 0);
    for (int r = 0; r < 16; ++r)
      for (int c = 0; c < box_columns; c += 8) {
        uint32_t plain = uint32_t(r * box_columns * 2 + c * 2), chunk[4];
        const uint32_t span = load_map.swizzle;
        if (span != 16) // the formula of the hardware, written differently than in the emulator
          plain ^= (span == 128  ? plain / 128 % 8
                    : span == 64 ? plain / 128 % 4
                                 : plain / 128 % 2) *
                   16;
        ld_shared_v4_b32(tile + plain, chunk[0], chunk[1], chunk[2], chunk[3]);
        for (int i = 0; i < 8; ++i) {
          const int row = first_row + r, column = first_column + c + i;
          const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
          const uint16_t wanted = inside ? source[row * pitch + column] : 0;
          if (uint16_t(chunk[i / 2] >> 16 * (i % 2)) != wanted)
            __builtin_trap();
        }
      }
    if (first_row >= 0 && first_column >= 0) {
      cp_async_bulk_tensor_store(store_map, at, tile);
      bulk_commit();
      bulk_wait_read<0>();
    }
  }
}

bool only_the_box_was_stored() {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < pitch; ++column) {
      const bool stored = first_row >= 0 && first_column >= 0 && row >= first_row &&
                          row < first_row + 16 && column >= first_column &&
                          column < first_column + box_columns && column < columns;
      if (target[row * pitch + column] != (stored ? source[row * pitch + column] : 0xeeee))
        return false;
    }
  fill();
  return true;
}

} // namespace

TEST(boxes) {
  fill();
  for (const int swizzle : {16, 32, 64, 128})
    for (const auto &[row, column] : corners) {
      box_columns = swizzle == 16 ? 24 : swizzle / 2;
      first_row = row, first_column = column;
      load_map = map_of(source, rows, columns, pitch * 2, 16, box_columns, swizzle);
      store_map = map_of(target, rows, columns, pitch * 2, 16, box_columns, swizzle);
      clean("zero fill, swizzle, clipping", {.shared_bytes = 8192}, there_and_back,
            only_the_box_was_stored);
    }
}

TEST(copies_refused) {
  load_map = map_of(source, rows, columns, pitch * 2, 16, 64, 128);
  faulty(
      "a first coordinate off 16 bytes", {.shared_bytes = 8192},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_load(base + 1024, load_map, {4, 0}, base);
      },
      "should be a multiple of 16 bytes");
  faulty(
      "a store with a negative coordinate", {.shared_bytes = 8192},
      [] { MISTAKE cp_async_bulk_tensor_store(load_map, {0, -1}, base + 1024); },
      "traps on negative ones");
  faulty(
      "a tile that does not fit", {.shared_bytes = 2048},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_load(base + 1024, load_map, {0, 0}, base);
      },
      "but the block has bytes 0 to 2047");
  faulty(
      "a misaligned tile", {.shared_bytes = 8192},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_load(base + 1024 + 16, load_map, {0, 0}, base);
      },
      "multiples of 128");
  faulty(
      "a barrier that TMA may not see", {.shared_bytes = 8192},
      [] {
        if (threadIdx.x == 0)
          mbarrier_init(base, 1);
        __syncthreads();
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_load(base + 1024, load_map, {0, 0}, base);
      },
      "no fence_mbarrier_init");
  faulty(
      "a copy before the kernel in front has finished", {.shared_bytes = 8192, .dependent = true},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_load(base + 1024, load_map, {0, 0}, base);
      },
      "before griddepcontrol.wait");

  clean("a prefetch, and a relaxed load, before the kernel in front has finished",
        {.shared_bytes = 8192, .dependent = true}, [] {
          cp_async_bulk_prefetch_tensor(load_map, {1000000, -7});
          early += ld_global_relaxed_b16(source) == source[0] ? 1 : 0x10000;
        });
  // A kernel that relies on it is found out.
  expect("relaxed loads find the element, and something else",
         early % 0x10000 > 0 && early / 0x10000 > 0);
  faulty(
      "an ordinary load before the kernel in front has finished", {.dependent = true},
      [] { MISTAKE ld_global_b16(source); }, "before griddepcontrol.wait");

  load_map = map_of(source, rows, columns - 4, pitch * 2, 16, 64, 128); // rows of 168 bytes
  faulty(
      "a store to the end of rows that are no multiple of 16 bytes", {.shared_bytes = 8192},
      [] {
        for (int i = 0; i < 2048; i += 8)
          if (threadIdx.x == 0)
            st_shared_v2_f32(base + 1024 + i, 0, 0);
        fence_proxy_async();
        if (threadIdx.x == 0)
          MISTAKE cp_async_bulk_tensor_store(load_map, {64, 0}, base + 1024);
      },
      "overwrites the 8 bytes after each row");
}

TEST(late_copies) {
  fill();
  load_map = map_of(source, rows, columns, pitch * 2, 16, 64, 128);
  store_map = map_of(target, rows, columns, pitch * 2, 16, 64, 128);
  faulty(
      "a read before the load has landed", {.shared_bytes = 8192},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0) {
          mbarrier_arrive_expect_tx(base, 2048);
          cp_async_bulk_tensor_load(base + 1024, load_map, {0, 0}, base);
          float a, b;
          MISTAKE ld_shared_v2_f32(base + 1024, a, b);
        }
      },
      "before the TMA load into it is known to have landed");
  faulty(
      "a load over a load", {.shared_bytes = 8192},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0) {
          mbarrier_arrive_expect_tx(base, 4096);
          cp_async_bulk_tensor_load(base + 1024, load_map, {0, 0}, base);
          MISTAKE cp_async_bulk_tensor_load(base + 1024, load_map, {0, 0}, base);
        }
      },
      "an earlier TMA load may still write it");
  faulty(
      "a load over what another thread reads", {.threads = 64, .shared_bytes = 8192},
      [] {
        if (threadIdx.x == 0) {
          mbarrier_init(base, 1);
          mbarrier_init(base + 8, 1);
          fence_mbarrier_init();
        }
        __syncthreads();
        if (threadIdx.x == 0) {
          mbarrier_arrive_expect_tx(base, 2048);
          cp_async_bulk_tensor_load(base + 1024, load_map, {0, 0}, base);
          mbarrier_wait_parity(base, 0);
          mbarrier_wait_parity(base + 8, 0);
          mbarrier_arrive_expect_tx(base, 2048);
          cp_async_bulk_tensor_load(base + 1024, load_map, {0, 16}, base);
        } else if (threadIdx.x == 32) {
          float a, b;
          mbarrier_wait_parity(base, 0);
          mbarrier_arrive(base + 8); // too early
          ld_shared_v2_f32(base + 1024, a, b);
        }
      },
      "shared byte 1024");
  faulty(
      "fewer bytes expected than come", {.shared_bytes = 8192},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0) {
          mbarrier_arrive_expect_tx(base, 2048);
          cp_async_bulk_tensor_load(base + 1024, load_map, {0, 0}, base);
          cp_async_bulk_tensor_load(base + 1024 + 2048, load_map, {0, 16}, base);
          mbarrier_wait_parity(base, 0);
          float a, b;
          ld_shared_v2_f32(base + 1024, a, b);
          ld_shared_v2_f32(base + 1024 + 2048, a, b);
        }
      },
      "");
  faulty(
      "the end with a load in flight", {.shared_bytes = 8192},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0) {
          mbarrier_arrive_expect_tx(base, 2048);
          cp_async_bulk_tensor_load(base + 1024, load_map, {0, 0}, base);
        }
      },
      "without any thread having waited for");
}

TEST(bulk_groups) {
  load_map = map_of(source, rows, columns, pitch * 2, 16, 64, 128);
  faulty(
      "the end with a store that still reads", {.shared_bytes = 8192},
      [] {
        if (threadIdx.x == 0) {
          for (int i = 0; i < 2048; i += 8)
            st_shared_v2_f32(base + 1024 + i, 0, 0);
          fence_proxy_async();
          cp_async_bulk_tensor_store(load_map, {0, 0}, base + 1024);
          bulk_commit();
        }
      },
      "ends while its bulk stores may still read");
  faulty(
      "a write over what a store still reads", {.shared_bytes = 8192},
      [] {
        if (threadIdx.x == 0) {
          for (int i = 0; i < 2048; i += 8)
            st_shared_v2_f32(base + 1024 + i, 0, 0);
          fence_proxy_async();
          cp_async_bulk_tensor_store(load_map, {0, 0}, base + 1024);
          bulk_commit();
          MISTAKE st_shared_v2_f32(base + 1024, 0, 0);
        }
      },
      "while it may still be read by TMA store");
  faulty(
      "a wait for the groups but one", {.shared_bytes = 8192},
      [] {
        if (threadIdx.x == 0) {
          for (int i = 0; i < 2048; i += 8)
            st_shared_v2_f32(base + 1024 + i, 0, 0);
          fence_proxy_async();
          cp_async_bulk_tensor_store(load_map, {0, 0}, base + 1024);
          bulk_commit();
          bulk_wait_read<1>();
          MISTAKE st_shared_v2_f32(base + 1024, 0, 0);
        }
      },
      "while it may still be read by TMA store");
  fill();
}
