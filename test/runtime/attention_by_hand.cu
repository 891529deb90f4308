// Attention as tkc would write it, by hand: O = softmax(Q K^T scale) V with online softmax, 128 columns per head. It
// shows what emitted elementwise code looks like, and is compiled and run to test runtime/hopper/tile. The schedule is
// the plainest one: an MMA is waited for where it is issued.
//
// nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -I RUNTIME/hopper -I RUNTIME attention_by_hand.cu
#include <host/launch.h>
#include <tile/grid.h>
#include <tile/map.h>
#include <tile/move.h>
#include <tile/mma.h>
#include <tile/reduce.h>
#include <tile/ring.h>

using namespace tk;

//===----------------------------------------------------------------------===//
//   warpgroup  role      registers  does
//   0          producer         40  one thread loads q, k and v by TMA
//   1-2        consumer        232  each computes 64 rows of the tile
//
//   barrier       count  arrives                         waits      means
//   q_full            1  producer, and 32768 TMA bytes   consumers  q has landed
//   q_empty           8  one lane of each consumer warp  producer   q has been read
//   full[stage]       1  producer, and 65536 TMA bytes   consumers  k and v of this stage have landed
//   empty[stage]      8  one lane of each consumer warp  producer   k and v of this stage have been read
//===----------------------------------------------------------------------===//
namespace attention_plan {

constexpr int stages = 2;
constexpr int threads = 384;

// Shared memory: byte offsets from a 1024-byte boundary.
constexpr int q_offset = 0;              // 128x128 bf16, 128-byte swizzle
constexpr int k_offset = 32768;          // 2 stages of 128x128 bf16, 128-byte swizzle
constexpr int v_offset = 98304;          // 2 stages of 128x128 bf16, 128-byte swizzle
constexpr int O_staging_offset = 163840; // 2 consumers x 64x128 bf16, 128-byte swizzle
constexpr int q_full_offset = 196608;    // 1 mbarrier
constexpr int q_empty_offset = 196616;   // 1 mbarrier
constexpr int full_offset = 196624;      // 2 mbarriers
constexpr int empty_offset = 196640;     // 2 mbarriers
constexpr int shared_bytes = 196656;

} // namespace attention_plan

__global__ void __launch_bounds__(attention_plan::threads, 1)
attention_kernel(const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
                 const __grid_constant__ CUtensorMap V_map, const __grid_constant__ output_map O_map, const int Q_rows,
                 const int K_rows, const int heads, const int batches, const float scale) {
  using namespace attention_plan;

  const uint32_t shared = shared_memory_base();
  const shared_ring<bf16, 128, 128, 1> q(shared + q_offset);
  const shared_ring<bf16, 128, 128, stages> k(shared + k_offset);
  const shared_ring<bf16, 128, 128, stages> v(shared + v_offset);
  const shared_ring<bf16, 64, 128, 2> O_staging(shared + O_staging_offset);
  const barrier_ring<1> q_full(shared + q_full_offset);
  const barrier_ring<1> q_empty(shared + q_empty_offset);
  const barrier_ring<stages> full(shared + full_offset);
  const barrier_ring<stages> empty(shared + empty_offset);

  if (threadIdx.x == 0) {
    q_full.init(1);
    q_empty.init(8);
    full.init(1);
    empty.init(8);
    fence_mbarrier_init(); // TMA completes on these barriers through another proxy, which must see them initialised
  }
  __syncthreads();                    // no thread may use a barrier before it is initialised
  griddepcontrol_launch_dependents(); // the next kernel may set up while this one runs

  if (warpgroup_index() == 0) {
    // ---- producer -----------------------------------------------------------------------------
    setmaxnreg_dec<40>();
    if (warp_index() == 0 && elect_one()) {
      griddepcontrol_wait(); // the kernel before this one may still be writing Q, K and V, or reading O
      ring_cursor<1> q_fill;
      ring_cursor<stages> fill;
      for (const auto [m, h, b] : persistent_tiles(ceil_div(Q_rows, 128), heads, batches)) {
        q_empty.wait(q_fill.stage, q_fill.phase ^ 1); // the consumers have read the q of the tile before
        q_full.arrive_expect(q_fill.stage, 32768);
        tma_load(q[q_fill.stage], Q_map, {b, h, m * 128, 0}, q_full[q_fill.stage]);
        q_fill.advance();
#pragma unroll 1
        for (int j = 0; j < ceil_div(K_rows, 128); ++j) {
          empty.wait(fill.stage, fill.phase ^ 1); // the consumers have read the stage's old tiles
          full.arrive_expect(fill.stage, 65536);
          tma_load(k[fill.stage], K_map, {b, h, j * 128, 0}, full[fill.stage]);
          tma_load(v[fill.stage], V_map, {b, h, j * 128, 0}, full[fill.stage]);
          fill.advance();
        }
      }
    }
  } else {
    // ---- consumers ----------------------------------------------------------------------------
    setmaxnreg_inc<232>();
    const int consumer = warpgroup_index() - 1;
    const bool leader = threadIdx.x % 128 == 0;
    const float c = scale * 1.44269504f;
    ring_cursor<1> q_use;
    ring_cursor<stages> use;
    for (const auto [m, h, b] : persistent_tiles(ceil_div(Q_rows, 128), heads, batches)) {
      rt<float, 64, 128> o;
      o.fill(0.0f);
      col_vec<float, 64> best, total;
      best.fill(-INFINITY);
      total.fill(0.0f);
      q_full.wait(q_use.stage, q_use.phase); // q has landed
#pragma unroll 1
      for (int j = 0; j < ceil_div(K_rows, 128); ++j) {
        full.wait(use.stage, use.phase); // k and v of this stage have landed

        rt<float, 64, 128> s;
        wgmma_fence(); // s passes from this thread's code to the tensor cores
        mma_ABt(s, q[q_use.stage].rows<64>(consumer * 64), k[use.stage], /*accumulate=*/false);
        wgmma_commit();
        wgmma_wait<0>(); // s is read next

        s = map_at(s, [&](float s, int row, int col) { return j * 128 + col < K_rows ? s : -INFINITY; });
        const col_vec<float, 64> now = row_max(s, best);
        const col_vec<float, 64> alpha = map(best, now, [&](float best, float now) { return ex2((best - now) * c); });
        s = map(s, now, [&](float s, float now) { return ex2(s * c - now * c); });
        total = map(total, alpha, row_sum(s), [&](float total, float alpha, float s) { return total * alpha + s; });
        o = map(o, alpha, [&](float o, float alpha) { return o * alpha; });
        const rt<bf16, 64, 128> p = convert<bf16>(s);

        wgmma_fence(); // o and p pass from this thread's code to the tensor cores
        mma_AB(o, p, v[use.stage], /*accumulate=*/true);
        wgmma_commit();
        wgmma_wait<0>(); // the MMA has read its stage, and o is scaled next
        empty.arrive(use.stage);
        use.advance();
        best = now;
      }
      q_empty.arrive(q_use.stage);
      q_use.advance();

      o = map(o, total, [&](float o, float total) { return o * rcp(total); });
      const auto staging = O_staging[consumer];
      if (leader)
        bulk_wait_read<0>();                 // the store of the tile before has read the buffer
      named_barrier_sync(1 + consumer, 128); // the warpgroup knows the buffer is free
      store(staging, o);
      fence_proxy_async();                   // TMA reads through another proxy what these threads wrote
      named_barrier_sync(1 + consumer, 128); // all of the buffer is written
      if (leader) {
        tma_store(O_map, {b, h, m * 128 + consumer * 64, 0}, staging);
        bulk_commit();
      }
      store_tail_columns(O_map, {b, h, m * 128 + consumer * 64, 0}, staging); // what TMA leaves of O's rows
    }
    if (leader)
      bulk_wait_read<0>(); // shared memory must outlive the stores that read it
  }
}

extern "C" tk_status attention(const tk_tensor *Q, const tk_tensor *K, const tk_tensor *V, const tk_tensor *O,
                               float scale, tk_stream stream) {
  using namespace attention_plan;
  host::arguments args("attention");
  args.tensor("Q", Q, TK_BF16, 4);
  args.tensor("K", K, TK_BF16, 4);
  args.tensor("V", V, TK_BF16, 4);
  args.tensor("O", O, TK_BF16, 4);
  args.written("O", O);
  if (args.done())
    return args.status();

  host::tensor_maps maps("attention");
  const CUtensorMap Q_map = maps.tile(Q, {128, 64}, swizzle_128);
  const CUtensorMap K_map = maps.tile(K, {128, 64}, swizzle_128);
  const CUtensorMap V_map = maps.tile(V, {128, 64}, swizzle_128);
  const output_map O_map = maps.output(O, {64, 64}, swizzle_128);
  if (!maps.ok())
    return maps.status();

  const int Q_rows = int(Q->extents[2]), K_rows = int(K->extents[2]);
  const int heads = int(Q->extents[1]), batches = int(Q->extents[0]);
  host::launch_shape shape;
  shape.tiles = int64_t(ceil_div(Q_rows, 128)) * heads * batches;
  shape.threads = threads;
  shape.shared_bytes = shared_bytes;
  return host::launch("attention", attention_kernel, shape, stream, Q_map, K_map, V_map, O_map, Q_rows, K_rows, heads,
                      batches, scale);
}
