// Written by tkc 0.1.0 from gemm.tk. Do not edit: change gemm.tk and run tkc again.
//
// nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -I RUNTIME/hopper -I RUNTIME gemm.cu
// RUNTIME is the folder `runtime` of tkc, share/tkc/runtime where tkc is installed.
#include "gemm.h"

#include <host/launch.h>
#include <tile/grid.h>
#include <tile/mma.h>
#include <tile/move.h>
#include <tile/ring.h>

using namespace tk;

//===----------------------------------------------------------------------===//
// gemm<BM = 128, BN = 256, BK = 64>, gemm.tk:4
//
// Warp-specialized: the producer loads tiles ahead of the consumers, which compute.
// Persistent, with a static tile scheduler: each block computes one tile of the grid after another.
//
//   warpgroup  role      registers  does
//   0          producer         40  one thread loads a and b by TMA
//   1-2        consumer        232  each multiplies and stores 64 rows of the tile
//
//   barrier            count  arrives                         waits      means
//   full[stage]            1  producer, and 49152 TMA bytes   consumers  a and b of this stage have landed
//   empty[stage]           8  one lane of each consumer warp  producer   a and b of this stage have been read
//   warpgroup_barrier    128  the warpgroup's threads         the same   they have written or read shared memory
//===----------------------------------------------------------------------===//
namespace gemm_plan {

[[maybe_unused]] constexpr int BM = 128, BN = 256, BK = 64;
constexpr int stages = 4; // of the ring: loads run up to this many steps ahead of their readers
constexpr int threads = 384;
constexpr int stage_bytes = 49152;   // TMA bytes of one stage
constexpr int warpgroup_barrier = 1; // of the first consumer; each has one

// Shared memory: byte offsets from a 1024-byte boundary, where a swizzle atom (8 rows of 128 bytes) may begin.
constexpr int a_offset = 0;     // 4 stages of 128x64 bf16, 128-byte swizzle
constexpr int b_offset = 65536; // 4 stages of 64x256 bf16, 128-byte swizzle
// 2 consumers x 2 buffers of 64x64 bf16, 128-byte swizzle; TMA stores from one buffer while threads write the other
constexpr int C_staging_offset = 196608;
constexpr int full_offset = 229376;  // 4 mbarriers
constexpr int empty_offset = 229408; // 4 mbarriers
constexpr int shared_bytes = 229440;

} // namespace gemm_plan

__global__ void __launch_bounds__(gemm_plan::threads, 1)
gemm_kernel(const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
            const __grid_constant__ output_map C_map, const int A_cols, const int C_rows, const int C_cols) {
  using namespace gemm_plan;

  const uint32_t shared = shared_memory_base();
  const shared_ring<bf16, BM, BK, stages> a(shared + a_offset);
  const shared_ring<bf16, BK, BN, stages> b(shared + b_offset);
  const shared_ring<bf16, 64, 64, 4> C_staging(shared + C_staging_offset);
  const barrier_ring<stages> full(shared + full_offset);
  const barrier_ring<stages> empty(shared + empty_offset);

  if (threadIdx.x == 0) {
    full.init(1);
    empty.init(8);
    fence_mbarrier_init(); // TMA completes on these barriers through another proxy, which must see them initialised
  }
  __syncthreads();                    // no thread may use a barrier before it is initialised
  griddepcontrol_launch_dependents(); // programmatic dependent launch: the next kernel may set up while this one runs

  if (warpgroup_index() == 0) {
    // ---- producer -----------------------------------------------------------------------------
    setmaxnreg_dec<40>(); // of each thread; the others go back to the block's pool
    if (warp_index() == 0 && elect_one()) {
      prefetch_tensormaps(A_map, B_map); // the first copies need not fetch them
      griddepcontrol_wait();             // the kernel before this one may still be writing A and B, or reading C
      ring_cursor<stages> fill;          // at the stage that is loaded next
      // gemm.tk:5 | for (auto [m, n] : grid(cdiv(C.rows(), BM), cdiv(C.cols(), BN)).swizzle(8)) {
      for (const auto [m, n] : persistent_tiles_grouped<8>(ceil_div(C_rows, BM), ceil_div(C_cols, BN))) {
        // gemm.tk:7 | for (int k : pipeline(cdiv(A.cols(), BK))) {
#pragma unroll 1
        for (int k = 0; k < ceil_div(A_cols, BK); ++k) {
          empty.wait(fill.stage, fill.phase ^ 1); // the consumers have read the stage's old tiles
          full.arrive_expect(fill.stage, stage_bytes);
          // gemm.tk:8 | st<bf16, BM, BK> a = load(A, {m, k});
          tma_load(a[fill.stage], A_map, {m * BM, k * BK}, full[fill.stage]);
          // gemm.tk:9 | st<bf16, BK, BN> b = load(B, {k, n});
          tma_load(b[fill.stage], B_map, {k * BK, n * BN}, full[fill.stage]);
          fill.advance();
        }
      }
    }
  } else {
    // ---- consumers ----------------------------------------------------------------------------
    setmaxnreg_inc<232>(); // of each thread, as soon as the pool has them
    const int consumer = warpgroup_index() - 1;
    const bool leader = threadIdx.x % 128 == 0; // starts the warpgroup's TMA
    ring_cursor<stages> use;                    // at the stage that is read next
    ring_cursor<stages> release;                // at the oldest stage that an MMA may still read
    // gemm.tk:5 | for (auto [m, n] : grid(cdiv(C.rows(), BM), cdiv(C.cols(), BN)).swizzle(8)) {
    for (const auto [m, n] : persistent_tiles_grouped<8>(ceil_div(C_rows, BM), ceil_div(C_cols, BN))) {
      // gemm.tk:6 | rt<float, BM, BN> acc = 0;
      rt<float, BM / 2, BN> acc; // uninitialised: the first wgmma overwrites it
      // mainloop
      // gemm.tk:7 | for (int k : pipeline(cdiv(A.cols(), BK))) {
#pragma unroll 1
      for (int k = 0; k < ceil_div(A_cols, BK); ++k) {
        full.wait(use.stage, use.phase); // a and b of this stage have landed
        // gemm.tk:10 | mma_AB(acc, a, b);
        wgmma_fence(); // acc passes from this thread's code to the tensor cores; ptxas wants it in the loop
        mma_AB(acc, a[use.stage].rows<64>(consumer * 64), b[use.stage], /*accumulate=*/k > 0);
        wgmma_commit();
        wgmma_wait<1>(); // the MMA before this one has read its stage
        if (k > 0) {
          empty.arrive(release.stage);
          release.advance();
        }
        use.advance();
      }
      wgmma_wait<0>(acc); // acc is read on line 12
      empty.arrive(release.stage);
      release.advance();
      // epilogue
      // gemm.tk:12 | store(C, {m, n}, acc);
#pragma unroll
      for (int slice = 0; slice < 4; ++slice) {
        const auto staging = C_staging[consumer * 2 + slice % 2];
        if (leader)
          bulk_wait_read<1>();                                 // the store that used this buffer before has read it
        named_barrier_sync(warpgroup_barrier + consumer, 128); // the warpgroup knows the buffer is free
        store(staging, acc.columns<64>(slice * 64));
        fence_proxy_async(); // TMA reads through another proxy what these threads wrote
        named_barrier_sync(warpgroup_barrier + consumer, 128); // all of the buffer is written
        if (leader) {
          // first out of L2, which keeps the inputs that other tiles read again
          tma_store(C_map, {m * BM + consumer * 64, n * BN + slice * 64}, staging, cache_policy::evict_first);
          bulk_commit();
        }
        // where rows of C are not whole 16 bytes, which is all that TMA writes, threads write the last columns
        store_tail_columns(C_map, {m * BM + consumer * 64, n * BN + slice * 64}, staging);
      }
    }
    if (leader)
      bulk_wait_read<0>(); // shared memory must outlive the stores that read it
  }
}

// tk_prepare() loads it before its first launch
static const host::registered_kernel gemm_registered("gemm", gemm_kernel, gemm_plan::shared_bytes);

extern "C" tk_status gemm(const tk_tensor *A, const tk_tensor *B, const tk_tensor *C, tk_stream stream) {
  using namespace gemm_plan;
  host::arguments args("gemm");
  args.tensor("A", A, TK_BF16, 2);
  args.tensor("B", B, TK_BF16, 2);
  args.tensor("C", C, TK_BF16, 2);
  args.same_extent("A", A, 0, "C", C, 0); // both are walked by m, gemm.tk:5
  args.same_extent("A", A, 1, "B", B, 0); // both are walked by k, gemm.tk:7
  args.same_extent("B", B, 1, "C", C, 1); // both are walked by n, gemm.tk:5
  args.written("C", C);                   // no two of its elements may be one place
  if (args.done())
    return args.status();

  // each with the box that one TMA copy moves; a tile is one box or several
  host::tensor_maps maps("gemm");
  const CUtensorMap A_map = maps.tile(A, {128, 64}, swizzle_128);
  const CUtensorMap B_map = maps.tile(B, {64, 64}, swizzle_128);
  const output_map C_map = maps.output(C, {64, 64}, swizzle_128);
  if (!maps.ok())
    return maps.status();

  const int A_cols = int(A->extents[1]), C_rows = int(C->extents[0]), C_cols = int(C->extents[1]);
  host::launch_shape shape;
  shape.tiles = host::tile_count({ceil_div(C_rows, BM), ceil_div(C_cols, BN)});
  shape.threads = threads;
  shape.shared_bytes = shared_bytes;
  return host::launch("gemm", gemm_kernel, shape, stream, A_map, B_map, C_map, A_cols, C_rows, C_cols);
}
