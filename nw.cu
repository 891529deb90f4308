// Written by tkc 0.1.0 from nw.tk. Do not edit: change nw.tk and run tkc again.
//
// nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -I RUNTIME/hopper -I RUNTIME nw.cu
// RUNTIME is the folder `runtime` of tkc, share/tkc/runtime where tkc is installed.
#include "nw.h"

#include <host/global.h>
#include <host/launch.h>
#include <tile/global.h>
#include <tile/grid.h>
#include <tile/map.h>
#include <tile/move.h>
#include <tile/ring.h>

using namespace tk;

//===----------------------------------------------------------------------===//
// kk, nw.tk:1
//
// Warp-specialized: the producer loads tiles ahead of the consumers, which compute.
// Persistent, with a static tile scheduler: each block computes one tile of the grid after another.
//
//   warpgroup  role      registers  does
//   0          producer         56  one thread loads X_tile by TMA
//   1          consumer        256  stores the tile
//
//   barrier            count  arrives                         waits     means
//   full[stage]            1  producer, and 16384 TMA bytes   consumer  X_tile of this stage has landed
//   empty[stage]           4  one lane of each consumer warp  producer  X_tile of this stage has been read
//   warpgroup_barrier    128  the warpgroup's threads         the same  they have written or read shared memory
//===----------------------------------------------------------------------===//
namespace kk_plan {

constexpr int stages = 8; // of the ring: loads run up to this many steps ahead of their readers
constexpr int threads = 256;
constexpr int stage_bytes = 16384; // TMA bytes of one stage
constexpr int warpgroup_barrier = 1;

// Shared memory: byte offsets from a 1024-byte boundary, where a swizzle atom (8 rows of 128 bytes) may begin.
constexpr int X_tile_offset = 0; // 8 stages of 64x64 float, 128-byte swizzle
// 1 consumer x 2 buffers of 64x32 float, 128-byte swizzle; TMA stores from one buffer while threads write the other
constexpr int Y_staging_offset = 131072;
constexpr int full_offset = 147456;  // 8 mbarriers
constexpr int empty_offset = 147520; // 8 mbarriers
constexpr int shared_bytes = 147584;

} // namespace kk_plan

__global__ void __launch_bounds__(kk_plan::threads, 1)
kk_kernel(const __grid_constant__ CUtensorMap X_map, const __grid_constant__ output_map Y_map, const gl<float, 2> S) {
  using namespace kk_plan;

  const uint32_t shared = shared_memory_base();
  const shared_ring<float, 64, 64, stages> X_tile(shared + X_tile_offset);
  const shared_ring<float, 64, 32, 2> Y_staging(shared + Y_staging_offset);
  const barrier_ring<stages> full(shared + full_offset);
  const barrier_ring<stages> empty(shared + empty_offset);

  if (threadIdx.x == 0) {
    full.init(1);
    empty.init(4);
    fence_mbarrier_init(); // TMA completes on these barriers through another proxy, which must see them initialised
  }
  __syncthreads();                    // no thread may use a barrier before it is initialised
  griddepcontrol_launch_dependents(); // programmatic dependent launch: the next kernel may set up while this one runs

  if (warpgroup_index() == 0) {
    // ---- producer -----------------------------------------------------------------------------
    setmaxnreg_dec<56>(); // of each thread; the others go back to the block's pool
    if (warp_index() == 0 && elect_one()) {
      griddepcontrol_wait();    // the kernel before this one may still be writing X, or reading Y
      ring_cursor<stages> fill; // at the stage that is loaded next
      // nw.tk:2 | for (int m : grid(4)) {
      for (const int m : persistent_tiles(4)) {
        // nw.tk:3 | rt<float, 64, 64> x = tk::load(X, {m, 0});
        empty.wait(fill.stage, fill.phase ^ 1); // the consumers have read the stage's old tiles
        full.arrive_expect(fill.stage, stage_bytes);
        tma_load(X_tile[fill.stage], X_map, {m * 64, 0}, full[fill.stage]);
        fill.advance();
      }
    }
  } else {
    // ---- consumer -----------------------------------------------------------------------------
    setmaxnreg_inc<256>(); // of each thread, as soon as the pool has them
    const int consumer = warpgroup_index() - 1;
    const bool leader = threadIdx.x % 128 == 0; // starts the warpgroup's TMA
    ring_cursor<stages> use;                    // at the stage that is read next
    // nw.tk:2 | for (int m : grid(4)) {
    for (const int m : persistent_tiles(4)) {
      // nw.tk:3 | rt<float, 64, 64> x = tk::load(X, {m, 0});
      full.wait(use.stage, use.phase); // X_tile of this stage has landed
      rt<float, 64, 64> x = load<rt<float, 64, 64>>(X_tile[use.stage]);
      fence_proxy_async(); // TMA writes through another proxy, which could overtake the reads of X_tile
      empty.arrive(use.stage);
      use.advance();
      // nw.tk:4 | const float INT32_MAX = S.at(m, 0);
      const float INT32_MAX_2 = load_element(S, {m, 0});
      // nw.tk:5 | x = x * INT32_MAX;
      x = map(x, [&](float x) { return x * INT32_MAX_2; });
      // nw.tk:6 | tk::store(Y, {m, 0}, x);
#pragma unroll
      for (int slice = 0; slice < 2; ++slice) {
        const auto staging = Y_staging[consumer * 2 + slice % 2];
        if (leader)
          bulk_wait_read<1>();                      // the store that used this buffer before has read it
        named_barrier_sync(warpgroup_barrier, 128); // the warpgroup knows the buffer is free
        store(staging, x.columns<32>(slice * 32));
        fence_proxy_async();                        // TMA reads through another proxy what these threads wrote
        named_barrier_sync(warpgroup_barrier, 128); // all of the buffer is written
        if (leader) {
          tma_store(Y_map, {m * 64, slice * 32}, staging);
          bulk_commit();
        }
        // where rows of Y are not whole 16 bytes, which is all that TMA writes, threads write the last columns
        store_tail_columns(Y_map, {m * 64, slice * 32}, staging);
      }
    }
    if (leader)
      bulk_wait_read<0>(); // shared memory must outlive the stores that read it
  }
}

// tk_prepare() loads it before its first launch
static const host::registered_kernel kk_registered("kk", kk_kernel, kk_plan::shared_bytes);

extern "C" tk_status kk(const tk_tensor *X, const tk_tensor *Y, const tk_tensor *S, tk_stream stream) {
  using namespace kk_plan;
  host::arguments args("kk");
  args.tensor("X", X, TK_F32, 2);
  args.tensor("Y", Y, TK_F32, 2);
  args.elements("S", S, TK_F32, 2);
  args.same_extent("X", X, 0, "Y", Y, 0); // both are walked by m, nw.tk:2
  args.written("Y", Y);                   // no two of its elements may be one place
  if (args.done())
    return args.status();

  // each with the box that one TMA copy moves; a tile is one box or several
  host::tensor_maps maps("kk");
  const CUtensorMap X_map = maps.tile(X, {64, 32}, swizzle_128);
  const output_map Y_map = maps.output(Y, {64, 32}, swizzle_128);
  if (!maps.ok())
    return maps.status();

  host::launch_shape shape;
  shape.tiles = 4;
  shape.threads = threads;
  shape.shared_bytes = shared_bytes;
  return host::launch("kk", kk_kernel, shape, stream, X_map, Y_map, host::global<float, 2>(S));
}
