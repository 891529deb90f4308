// Kernels unlike gemm, in one module: they must all compile without a warning of nvcc or of the host compiler, and
// without spills or serialised MMAs.
//
// RUN: %tk-translate --hopper-to-cuda %s -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %tk-translate --hopper-to-header %s -o %T/kernel.h
// RUN: FileCheck %s --input-file=%T/kernel.h --check-prefix=HEADER

// One consumer, f16, rank 4 with a static extent, a scalar of each type, two pipelines of different depth, a
// transposed MMA, an accumulator that is filled.
// CHECK-LABEL: // batched
// CHECK: 0 producer
// CHECK: multiplies and stores the tile
// CHECK: constexpr int q_stages = 1;
// CHECK: constexpr int k_stages = 3;
// CHECK: const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
// CHECK-NEXT: const __grid_constant__ output_map O_map, const int Q_batch, const int Q_depth, const int Q_rows,
// CHECK-NEXT: const int K_rows, const float bias, const int group, const bool causal)
// CHECK: const shared_ring<f16, 64, 64, q_stages> q(shared + q_offset);
// CHECK: const barrier_ring<k_stages> k_full(shared + k_full_offset);
// CHECK: setmaxnreg_dec<40>();
// CHECK: for (const auto [m, h, b] : persistent_tiles(ceil_div(Q_rows, 64), Q_depth, Q_batch)) {
// CHECK: tma_load(q[q_fill.stage], Q_map, {b, h, m * 64, 0}, q_full[q_fill.stage]);
// CHECK: setmaxnreg_inc<240>();
// CHECK: rt<float, 64, 128> s;
// CHECK: s.fill(bias);
// CHECK: mma_ABt(s, q[q_use.stage], k[k_use.stage], /*accumulate=*/true);
// CHECK: named_barrier_sync(warpgroup_barrier, 128);
// CHECK: store(staging, s.columns<64>(slice * 64));
// CHECK: extern "C" tk_status batched(const tk_tensor *Q, const tk_tensor *K, const tk_tensor *O, float bias, int32_t group,
// CHECK-NEXT: bool causal, tk_stream stream) {
// CHECK: args.tensor("Q", Q, TK_F16, 4);
// CHECK: args.extent("Q", Q, 3, 64);
// CHECK: shape.tiles = host::tile_count({ceil_div(Q_rows, 64), Q_depth, Q_batch});
// CHECK: return host::launch("batched", batched_kernel, shape, stream, Q_map, K_map, O_map, Q_batch, Q_depth, Q_rows, K_rows,
// CHECK-NEXT: bias, group, causal);
//
// HEADER: #include <stdbool.h>
// HEADER: // batched
// HEADER-NEXT: //   Q       f16, rank 4, cols = 64, read
// HEADER-NEXT: //   K       f16, rank 4, cols = 64, read
// HEADER-NEXT: //   O       f16, rank 4, written
// HEADER-NEXT: //   bias    float
// HEADER-NEXT: //   group   int
// HEADER-NEXT: //   causal  bool
// HEADER-NEXT: // Requires Q.rows = O.rows; rows may be strided, by multiples of 16 bytes.
hopper.kernel @batched(%Q: !tk.global<?x?x?x64xf16> {tk.name = "Q"}, %K: !tk.global<?x?x?x64xf16> {tk.name = "K"},
                       %O: !tk.global<?x?x?x?xf16> {tk.name = "O"}, %bias: f32 {tk.name = "bias"},
                       %group: i32 {tk.name = "group"}, %causal: i1 {tk.name = "causal"})
    attributes {threads = 256 : i64, shared_bytes = 73792 : i64,
                equal_extents = [#hopper.equal_extent<[0, 2], [2, 2] by "m" line 0>]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %true = arith.constant true
  %batch = tk.extent %Q, 0 : !tk.global<?x?x?x64xf16>
  %heads = tk.extent %Q, 1 : !tk.global<?x?x?x64xf16>
  %rows = tk.extent %Q, 2 : !tk.global<?x?x?x64xf16>
  %keys = tk.extent %K, 2 : !tk.global<?x?x?x64xf16>
  %tiles = arith.ceildivsi %rows, %c64 : i32
  %steps = arith.ceildivsi %keys, %c128 : i32
  %Q_map = hopper.tensor_map %Q box [64, 64] swizzle 128 : !tk.global<?x?x?x64xf16>
  %K_map = hopper.tensor_map %K box [128, 64] swizzle 128 : !tk.global<?x?x?x64xf16>
  %O_map = hopper.tensor_map %O box [64, 64] swizzle 128 {output} : !tk.global<?x?x?x?xf16>
  %q = hopper.alloc_ring "q" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xf16>
  %k = hopper.alloc_ring "k" {offset = 8192 : i64, swizzle = 128 : i64} : !hopper.ring<3, 128x64xf16>
  %o = hopper.alloc_ring "O_staging" {offset = 57344 : i64, swizzle = 128 : i64, what = "2 buffers"} : !hopper.ring<2, 64x64xf16>
  %qf = hopper.alloc_barrier "q_full" arrivals 1 {offset = 73728 : i64} : !hopper.barrier<1>
  %qe = hopper.alloc_barrier "q_empty" arrivals 4 {offset = 73736 : i64} : !hopper.barrier<1>
  %kf = hopper.alloc_barrier "k_full" arrivals 1 {offset = 73744 : i64} : !hopper.barrier<3>
  %ke = hopper.alloc_barrier "k_empty" arrivals 4 {offset = 73768 : i64} : !hopper.barrier<3>
  hopper.init_barrier %qf : !hopper.barrier<1>
  hopper.init_barrier %qe : !hopper.barrier<1>
  hopper.init_barrier %kf : !hopper.barrier<3>
  hopper.init_barrier %ke : !hopper.barrier<3>
  hopper.fence_barrier_init because "TMA must see them initialised"
  hopper.sync_block because "so must everybody else"
  hopper.allow_dependents because "the next kernel may set up"
  hopper.role producer warpgroups 1 registers 40 {
    hopper.wait_grid_dependency because "the kernel before may still write"
    %qc = hopper.cursor "q_fill" : !hopper.cursor<1>
    %kc = hopper.cursor "k_fill" : !hopper.cursor<3>
    hopper.tile_loop (%m loc("m"), %h loc("h"), %b loc("b")) in (%tiles, %heads, %batch) {
      %row = arith.muli %m, %c64 : i32
      hopper.wait_barrier %qe[%qc] previous because "q has been read" : !hopper.barrier<1>
      hopper.expect_bytes %qf[%qc], 8192 : !hopper.barrier<1>
      %qs = hopper.stage %q[%qc] : !hopper.ring<1, 64x64xf16>
      hopper.tma_load %Q_map[%b, %h, %row, %c0] to %qs signals %qf[%qc] : !hopper.tensor_map, !hopper.shared<64x64xf16>, !hopper.barrier<1>
      hopper.advance %qc : !hopper.cursor<1>
      %head = arith.divsi %h, %group : i32
      scf.for %j = %c0 to %steps step %c1 : i32 {
        %at = arith.muli %j, %c128 : i32
        hopper.wait_barrier %ke[%kc] previous because "k has been read" : !hopper.barrier<3>
        hopper.expect_bytes %kf[%kc], 16384 : !hopper.barrier<3>
        %ks = hopper.stage %k[%kc] : !hopper.ring<3, 128x64xf16>
        hopper.tma_load %K_map[%b, %head, %at, %c0] to %ks signals %kf[%kc] : !hopper.tensor_map, !hopper.shared<128x64xf16>, !hopper.barrier<3>
        hopper.advance %kc : !hopper.cursor<3>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 240 {
  ^bb0(%consumer: i32):
    %qc = hopper.cursor "q_use" : !hopper.cursor<1>
    %kc = hopper.cursor "k_use" : !hopper.cursor<3>
    hopper.tile_loop (%m loc("m"), %h loc("h"), %b loc("b")) in (%tiles, %heads, %batch) {
      %row = arith.muli %m, %c64 : i32
      %start = hopper.fill %bias : f32, !hopper.fragment<64x128xf32> loc("s")
      hopper.wait_barrier %qf[%qc] because "q has landed" : !hopper.barrier<1>
      %qs = hopper.stage %q[%qc] : !hopper.ring<1, 64x64xf16>
      %sum = scf.for %j = %c0 to %steps step %c1 iter_args(%s = %start) -> (!hopper.fragment<64x128xf32>) : i32 {
        hopper.wait_barrier %kf[%kc] because "k has landed" : !hopper.barrier<3>
        %ks = hopper.stage %k[%kc] : !hopper.ring<3, 128x64xf16>
        hopper.fence_registers because "s passes to the tensor cores"
        %next = hopper.wgmma ABt %s, %qs, %ks accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xf16>, !hopper.shared<128x64xf16>
        hopper.commit_wgmma
        hopper.wait_wgmma 0 because "k is given back"
        hopper.arrive %ke[%kc] : !hopper.barrier<3>
        hopper.advance %kc : !hopper.cursor<3>
        scf.yield %next : !hopper.fragment<64x128xf32>
      }
      hopper.arrive %qe[%qc] : !hopper.barrier<1>
      hopper.advance %qc : !hopper.cursor<1>
      scf.if %causal {
        "scf.for"(%c0, %c2, %c1) ({
        ^bb0(%slice: i32 loc("slice")):
          %buffer = hopper.slot %o[%slice] {hopper.tile_name = "staging"} : !hopper.ring<2, 64x64xf16>
          hopper.wait_stores_read 1 because "the buffer is free"
          hopper.sync_warpgroup because "everybody knows"
          %col = arith.muli %slice, %c64 : i32
          hopper.store_fragment %sum[%c0, %col] to %buffer : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xf16>
          hopper.fence_async_proxy because "TMA reads it"
          hopper.sync_warpgroup because "all is written"
          hopper.tma_store %buffer to %O_map[%b, %h, %row, %col] : !hopper.shared<64x64xf16>, !hopper.tensor_map
          hopper.store_tail_columns %buffer to %O_map[%b, %h, %row, %col] : !hopper.shared<64x64xf16>, !hopper.tensor_map
          scf.yield
        }) {hopper.unroll} : (i32, i32, i32) -> ()
      }
    }
    hopper.wait_stores_read 0 because "shared memory must outlive the stores"
  }
}

// No producer: one role, which has the kernel to itself. Three consumers, two m64 blocks each, a grid of one
// dimension, names that emitted code needs for itself.
// CHECK-LABEL: // fills
// CHECK: 0-2 consumer as launched each stores 128 rows of the tile
// CHECK-NOT: warpgroup_index() ==
// CHECK-NOT: setmaxnreg
// CHECK: // ---- consumers ---
// CHECK: for (const int stages_2 : persistent_tiles(ceil_div(shape_rows, 384))) {
// CHECK: rt<float, 128, 64> stream;
// CHECK: stream.fill(threads_2);
// CHECK: if (leader)
// CHECK-NEXT: bulk_wait_read<0>(); // the buffer is free
// CHECK: store(staging_2, stream.rows<64>(m_block * 64));
// CHECK: extern "C" tk_status fills(const tk_tensor *shape_2, float threads_2, tk_stream stream) {
// CHECK: shape.tiles = ceil_div(shape_rows, 384);
// CHECK: fills_kernel, shape, stream, shape_map, shape_rows, threads_2);
hopper.kernel @fills(%C: !tk.global<?x64xbf16> {tk.name = "shape"}, %value: f32 {tk.name = "threads"})
    attributes {threads = 384 : i64, shared_bytes = 24576 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c384 = arith.constant 384 : i32
  %rows = tk.extent %C, 0 : !tk.global<?x64xbf16>
  %tiles = arith.ceildivsi %rows, %c384 : i32
  %C_map = hopper.tensor_map %C box [64, 64] swizzle 128 {output} : !tk.global<?x64xbf16>
  %ring = hopper.alloc_ring "staging" {offset = 0 : i64, swizzle = 128 : i64, what = "3 consumers x 1 buffer"} : !hopper.ring<3, 64x64xbf16>
  hopper.allow_dependents because "the next kernel may set up"
  hopper.role consumer warpgroups 3 {
  ^bb0(%consumer: i32 loc("consumer")):
    hopper.wait_grid_dependency because "the kernel before may still read what this one writes"
    %half = arith.muli %consumer, %c128 : i32
    hopper.tile_loop (%m loc("stages")) in (%tiles) {
      %full = hopper.fill %value : f32, !hopper.fragment<128x64xf32> loc("stream")
      "scf.for"(%c0, %c2, %c1) ({
      ^bb0(%m_block: i32 loc("m_block")):
        %buffer = hopper.slot %ring[%consumer] {hopper.tile_name = "staging"} : !hopper.ring<3, 64x64xbf16> loc("staging")
        hopper.wait_stores_read 0 because "the buffer is free"
        hopper.sync_warpgroup because "everybody knows"
        %first = arith.muli %m_block, %c64 : i32
        hopper.store_fragment %full[%first, %c0] to %buffer : !hopper.fragment<128x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "TMA reads it"
        hopper.sync_warpgroup because "all is written"
        %tile = arith.muli %m, %c384 : i32
        %row0 = arith.addi %tile, %half : i32
        %row = arith.addi %row0, %first : i32
        hopper.tma_store %buffer to %C_map[%row, %c0] : !hopper.shared<64x64xbf16>, !hopper.tensor_map
        scf.yield
      }) {hopper.unroll} : (i32, i32, i32) -> ()
    }
    hopper.wait_stores_read 0 because "shared memory must outlive the stores"
  }
}
