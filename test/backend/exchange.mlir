// Tests how ops that move tiles and vectors between threads, shared and global memory are spelled. The kernels compute
// something, which test/runtime/exchange-emitted.test checks on the emulator.
// RUN: %tk-translate --hopper-to-cuda %s -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %tk-translate --hopper-to-header %s | FileCheck %s --check-prefix=HEADER

// CHECK: #include <host/global.h>
// CHECK-NEXT: #include <host/launch.h>
// CHECK: #include <tile/global.h>
// CHECK: #include <tile/parts.h>
// CHECK: #include <tile/random.h>
// CHECK: #include <tile/scan.h>
// CHECK: #include <tile/transpose.h>
// CHECK: #include <tile/warp_mma.h>

#x = loc("x")
#v = loc("v")
#w = loc("w")

// Two warpgroups share a tile X of 128 x 64 and a vector W of 64; one block for each tile, which does not begin before
// the kernel before it has ended. Y += transposed sums, R = a vector, S += column sums.
// CHECK: // Each block computes one tile of the grid.
// CHECK: 1-2 consumer
// CHECK: constexpr int W_tile_offset = {{.*}}; // 1 stage of 64 float
// CHECK: const __grid_constant__ output_map Y_map, const gl<float, 1> R, const gl<float, 1> S,
// CHECK-NEXT: const gl<int, 1> index, const int X_rows, const int seed, const bool keep)
// CHECK: const vector_ring<float, 64, stages> W_tile(shared + W_tile_offset);
// HEADER: Rows may be strided, by multiples of 16 bytes. R, S, index may have any strides.
hopper.kernel @exchange(%X: !tk.global<?x?xf16> {tk.name = "X"}, %W: !tk.global<?xf32> {tk.name = "W"},
                        %Y: !tk.global<?x?xf32> {tk.name = "Y"}, %R: !tk.global<?xf32> {tk.name = "R"},
                        %S: !tk.global<?xf32> {tk.name = "S"}, %index: !tk.global<?xi32> {tk.name = "index"},
                        %seed: i32 {tk.name = "seed"}, %keep: i1 {tk.name = "keep"})
    attributes {threads = 384 : i64, shared_bytes = 100000 : i64, persistent = false, pdl = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %rows = tk.extent %X, 0 : !tk.global<?x?xf16>
  %tiles = arith.ceildivsi %rows, %c128 : i32
  %X_map = hopper.tensor_map %X box [128, 64] swizzle 128 : !tk.global<?x?xf16>
  %W_map = hopper.tensor_map %W box [64] swizzle 0 : !tk.global<?xf32>
  %Y_map = hopper.tensor_map %Y box [64, 32] swizzle 128 {output} : !tk.global<?x?xf32>
  %x_tile = hopper.alloc_ring "x_tile" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 128x64xf16>
  %staging = hopper.alloc_ring "staging" {offset = 16384 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xf32>
  %scratch = hopper.alloc_ring "scratch" {offset = 49152 : i64, swizzle = 128 : i64} : !hopper.ring<1, 128x64xf32>
  %W_tile = hopper.alloc_ring "W_tile" {offset = 81920 : i64} : !hopper.ring<1, 1x64xf32>
  %kept = hopper.alloc_ring "kept" {offset = 82176 : i64} : !hopper.ring<1, 1x128xf32>
  %full = hopper.alloc_barrier "full" arrivals 1 {offset = 83200 : i64} : !hopper.barrier<1>
  hopper.init_barrier %full : !hopper.barrier<1>
  hopper.fence_barrier_init because "TMA must see it initialised"
  hopper.sync_block because "so must everybody else"
  hopper.role producer warpgroups 1 registers 40 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    // CHECK: const int m = block_tile(ceil_div(X_rows, 128));
    "hopper.tile_loop"(%tiles) <{swizzle = 0 : i64}> ({
    ^bb0(%m: i32 loc("m")):
      %row = arith.muli %m, %c128 : i32
      hopper.expect_bytes %full[%fill], 16640 : !hopper.barrier<1>
      %xt = hopper.stage %x_tile[%fill] : !hopper.ring<1, 128x64xf16>
      hopper.tma_load %X_map[%row, %c0] to %xt signals %full[%fill] : !hopper.tensor_map, !hopper.shared<128x64xf16>, !hopper.barrier<1>
      // CHECK: tma_load(W_tile[fill.stage], W_map, {0}, full[fill.stage]);
      %wt = hopper.stage %W_tile[%fill] : !hopper.ring<1, 1x64xf32>
      hopper.tma_load %W_map[%c0] to %wt signals %full[%fill] : !hopper.tensor_map, !hopper.shared<1x64xf32>, !hopper.barrier<1>
    }) : (i32) -> ()
  }
  hopper.role consumer warpgroups 2 registers 232 {
  ^bb0(%consumer: i32):
    %use = hopper.cursor "use" : !hopper.cursor<1>
    %m_block = arith.muli %consumer, %c64 : i32
    "hopper.tile_loop"(%tiles) <{swizzle = 0 : i64}> ({
    ^bb0(%m: i32 loc("m")):
      hopper.wait_barrier %full[%use] because "x_tile and W_tile have landed" : !hopper.barrier<1>
      // CHECK: const rt<f16, 64, 64> x = load<rt<f16, 64, 64>>(x_tile[use.stage].rows<64>(consumer * 64));
      // CHECK: const row_vec<float, 64> w = load<row_vec<float, 64>>(W_tile[use.stage]);
      %xt = hopper.stage %x_tile[%use] : !hopper.ring<1, 128x64xf16>
      %xw = hopper.rows %xt, %m_block : !hopper.shared<128x64xf16> -> !hopper.shared<64x64xf16>
      %x = hopper.load_fragment %xw : !hopper.shared<64x64xf16> -> !hopper.fragment<64x64xf16> loc(#x)
      %wt = hopper.stage %W_tile[%use] : !hopper.ring<1, 1x64xf32>
      %w = hopper.load_fragment %wt : !hopper.shared<1x64xf32> -> !hopper.vector<64xf32, row> loc(#w)
      // Part of a swizzle-atom column.
      // CHECK: const rt<f16, 64, 16> middle = load<rt<f16, 64, 16>>(x_tile[use.stage].rows<64>(consumer * 64).columns<16>(32));
      %xc = hopper.columns %xw, %c32 : !hopper.shared<64x64xf16> -> !hopper.shared<64x16xf16>
      %middle = hopper.load_fragment %xc : !hopper.shared<64x16xf16> -> !hopper.fragment<64x16xf16> loc("middle")

      // Parts.
      // CHECK: const rt<f16, 64, 48> right = x.columns<48>(16);
      // CHECK: const rt<f16, 64, 64> turned = concat_columns(right, middle);
      // CHECK: const col_vec<f16, 64> last = column<63>(turned);
      // CHECK: const row_vec<float, 32> half = w.part<32>(32);
      // CHECK: const row_vec<float, 64> twice = concat_columns(half, half);
      %right = hopper.slice %x[0, 16] : !hopper.fragment<64x64xf16> -> !hopper.fragment<64x48xf16> loc("right")
      %turned = hopper.concat columns %right, %middle : !hopper.fragment<64x48xf16>, !hopper.fragment<64x16xf16> -> !hopper.fragment<64x64xf16> loc("turned")
      %last = hopper.slice %turned[0, 63] : !hopper.fragment<64x64xf16> -> !hopper.vector<64xf16, column> loc("last")
      %half = hopper.slice %w[0, 32] : !hopper.vector<64xf32, row> -> !hopper.vector<32xf32, row> loc("half")
      %twice = hopper.concat columns %half, %half : !hopper.vector<32xf32, row>, !hopper.vector<32xf32, row> -> !hopper.vector<64xf32, row> loc("twice")

      // CHECK: const rt<f16, 64, 32> even = even_columns(x);
      // CHECK: const rt<f16, 64, 32> odd = odd_columns(x);
      // CHECK: const rt<f16, 64, 64> pairs = interleave_columns(odd, even);
      // CHECK: const rt<f16, 64, 64> pairs_swapped = swap_pairs(pairs);
      %even = hopper.deinterleave %x : !hopper.fragment<64x64xf16> -> !hopper.fragment<64x32xf16> loc("even")
      %odd = hopper.deinterleave odd %x : !hopper.fragment<64x64xf16> -> !hopper.fragment<64x32xf16> loc("odd")
      %pairs = hopper.interleave %odd, %even : !hopper.fragment<64x32xf16> -> !hopper.fragment<64x64xf16> loc("pairs")
      %swapped = hopper.swap_pairs %pairs : !hopper.fragment<64x64xf16>

      // Narrow elements are computed with as floats; a result is converted at the end.
      // CHECK: const rt<float, 64, 64> y = map(turned, twice, [&](float turned, float twice) { return turned * twice; });
      // CHECK: const col_vec<float, 64> last_float = convert<float>(last);
      // CHECK: const col_vec<float, 64> v = scan_sum<2>(last_float, scratch_tile.address, consumers_barrier, consumer);
      %y = hopper.map (%a = %turned : !hopper.fragment<64x64xf16>, %b = %twice : !hopper.vector<64xf32, row>) -> !hopper.fragment<64x64xf32> {
        %0 = arith.extf %a : f16 to f32
        %1 = arith.mulf %0, %b : f32
        tk.yield %1 : f32
      } loc("y")
      %wide = hopper.map (%a = %last : !hopper.vector<64xf16, column>) -> !hopper.vector<64xf32, column> {
        %0 = arith.extf %a : f16 to f32
        tk.yield %0 : f32
      }
      %st = hopper.slot %scratch[%c0] {hopper.tile_name = ""} : !hopper.ring<1, 128x64xf32>
      %v = hopper.scan add %wide across 2 through %st : !hopper.vector<64xf32, column>, !hopper.shared<128x64xf32> loc(#v)
      // CHECK: const row_vec<float, 64> sums = col_sum<2>(y, scratch_tile.address, consumers_barrier_2);
      // CHECK: const rt<float, 64, 64> t = transpose<1>(y, staging[consumer].address, warpgroup_barrier + consumer, 0);
      %sums = hopper.reduce_columns add %y across 2 through %st {barrier_id = 6 : i64} : !hopper.fragment<64x64xf32>, !hopper.shared<128x64xf32> -> !hopper.vector<64xf32, row> loc("sums")
      %buffer = hopper.slot %staging[%consumer] : !hopper.ring<2, 64x64xf32>
      %t = hopper.transpose %y across 1 through %buffer {barrier_id = 1 : i64} : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xf32> -> !hopper.fragment<64x64xf32> loc("t")

      // Vectors through shared memory that both warpgroups see.
      // CHECK: store(kept_tile.columns<64>(consumer * 64), v);
      // CHECK: named_barrier_sync(consumers_barrier_3, 256); // both have written their parts
      // CHECK: const col_vec<float, 64> other = load<col_vec<float, 64>>(kept_tile.columns<64>(64 - consumer * 64));
      %kt = hopper.slot %kept[%c0] {hopper.tile_name = ""} : !hopper.ring<1, 1x128xf32>
      %mine = hopper.columns %kt, %m_block : !hopper.shared<1x128xf32> -> !hopper.shared<1x64xf32>
      hopper.store_vector %v to %mine : !hopper.vector<64xf32, column>, !hopper.shared<1x64xf32>
      hopper.sync_consumers because "both have written their parts" {barrier_id = 7 : i64}
      %otherBlock = arith.subi %c64, %m_block : i32
      %others = hopper.columns %kt, %otherBlock : !hopper.shared<1x128xf32> -> !hopper.shared<1x64xf32>
      %other = hopper.load_fragment %others : !hopper.shared<1x64xf32> -> !hopper.vector<64xf32, column> loc("other")

      // Global memory without TMA.
      // CHECK: const col_vec<int, 64> which = map_at<col_vec<int, 64>>([&](int index_2) { return index_2; });
      // CHECK: const col_vec<int, 64> picked = gather<col_vec<int, 64>>(index, {m * 128 + consumer * 64}, which);
      %row0 = arith.muli %m, %c128 : i32
      %row = arith.addi %row0, %m_block : i32
      %which = hopper.map () at (%i) -> !hopper.vector<64xi32, column> {
        tk.yield %i : i32
      } loc("which")
      %picked = hopper.gather %index[%row] by %which : !tk.global<?xi32>, !hopper.vector<64xi32, column> -> !hopper.vector<64xi32, column> loc("picked")
      // CHECK: store(R, {m * 128 + consumer * 64}, r);
      // CHECK: store_add(S, {0}, sums);
      %r = hopper.map (%a = %other : !hopper.vector<64xf32, column>, %b = %picked : !hopper.vector<64xi32, column>) -> !hopper.vector<64xf32, column> {
        %0 = arith.sitofp %b : i32 to f32
        %1 = arith.addf %a, %0 : f32
        tk.yield %1 : f32
      } loc("r")
      hopper.store_global %r to %R[%row] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
      %isFirst = arith.cmpi eq, %consumer, %c0 : i32
      scf.if %isFirst {
        hopper.store_global accumulate %sums to %S[%c0] : !hopper.vector<64xf32, row>, !tk.global<?xf32>
      }

      // Random numbers belong to coordinates.
      // CHECK: const rt<float, 64, 64> z = map_at(t, [&](float t, int row, int col) {
      // CHECK-NEXT: = keep || random_at(seed, m * 128 + consumer * 64 + row, col, 3) < 0.5f;
      // CHECK: });
      %c3 = arith.constant 3 : i32
      %zero = arith.constant 0.0 : f32
      %some = arith.constant 0.5 : f32
      %z = hopper.map (%a = %t : !hopper.fragment<64x64xf32>) at (%i, %j) -> !hopper.fragment<64x64xf32> {
        %0 = arith.addi %row, %i : i32
        %u = tk.random %seed, %0, %j, %c3
        %1 = arith.cmpf olt, %u, %some : f32
        %2 = arith.ori %keep, %1 : i1
        %3 = arith.select %2, %a, %zero : f32
        tk.yield %3 : f32
      } loc("z")

      // Adding by TMA.
      // CHECK: store(staging[consumer], z);
      // CHECK: tma_store_add(Y_map, {m * 128 + consumer * 64, 0}, staging[consumer]);
      // CHECK: // where rows of Y are not whole 16 bytes, which is all that TMA writes, threads write the last columns
      // CHECK-NEXT: add_tail_columns(Y_map, {m * 128 + consumer * 64, 0}, staging[consumer]);
      %stored = hopper.slot %staging[%consumer] : !hopper.ring<2, 64x64xf32>
      hopper.store_fragment %z[%c0, %c0] to %stored : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xf32>
      hopper.fence_async_proxy because "TMA reads through another proxy what these threads wrote"
      hopper.sync_warpgroup because "all of the buffer is written"
      %s2 = hopper.slot %staging[%consumer] : !hopper.ring<2, 64x64xf32>
      hopper.tma_store accumulate %s2 to %Y_map[%row, %c0] : !hopper.shared<64x64xf32>, !hopper.tensor_map
      %s3 = hopper.slot %staging[%consumer] : !hopper.ring<2, 64x64xf32>
      hopper.store_tail_columns accumulate %s3 to %Y_map[%row, %c0] : !hopper.shared<64x64xf32>, !hopper.tensor_map
      hopper.wait_stores_read 0 because "shared memory must outlive the stores that read it"
    }) : (i32) -> ()
    hopper.wait_stores_read 0 because "shared memory must outlive the stores that read it"
  }
}
// CHECK: args.elements("R", R, TK_F32, 1);
// CHECK: args.elements("index", index, TK_I32, 1);
// CHECK: const CUtensorMap W_map = maps.tile(W, {64}, swizzle_none);
// CHECK: shape.persistent = false;
// CHECK-NEXT: shape.overlaps = false;
// CHECK: host::global<float, 1>(R),{{$}}
// CHECK-NEXT: host::global<float, 1>(S), host::global<int, 1>(index), X_rows, seed, keep);

// Every warp multiplies a tile of its own by one that all read: C = A B^T, with A 16 x 32 for each of four warps.
// CHECK-LABEL: // warps
// CHECK: 1 consumer {{.*}} each warp multiplies and stores tiles of its own
hopper.kernel @warps(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"},
                     %C: !tk.global<?x?xbf16> {tk.name = "C"}, %M: !tk.global<?xf32> {tk.name = "M"})
    attributes {threads = 256 : i64, shared_bytes = 20480 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %c48 = arith.constant 48 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  %rows = tk.extent %A, 0 : !tk.global<?x?xbf16>
  %tiles = arith.ceildivsi %rows, %c64 : i32
  %A_map = hopper.tensor_map %A box [64, 32] swizzle 64 : !tk.global<?x?xbf16>
  %B_map = hopper.tensor_map %B box [48, 32] swizzle 64 : !tk.global<?x?xbf16>
  %C_map = hopper.tensor_map %C box [16, 16] swizzle 32 {output} : !tk.global<?x?xbf16>
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 64 : i64} : !hopper.ring<1, 64x32xbf16>
  %b = hopper.alloc_ring "b" {offset = 4096 : i64, swizzle = 64 : i64} : !hopper.ring<1, 48x32xbf16>
  %staging = hopper.alloc_ring "staging" {offset = 8192 : i64, swizzle = 32 : i64} : !hopper.ring<4, 16x48xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 {offset = 16384 : i64} : !hopper.barrier<1>
  %empty = hopper.alloc_barrier "empty" arrivals 4 {offset = 16392 : i64} : !hopper.barrier<1>
  hopper.init_barrier %full : !hopper.barrier<1>
  hopper.init_barrier %empty : !hopper.barrier<1>
  hopper.fence_barrier_init because "TMA must see them initialised"
  hopper.sync_block because "so must everybody else"
  hopper.allow_dependents because "the next kernel may set up"
  hopper.role producer warpgroups 1 registers 40 {
    hopper.wait_grid_dependency because "the kernel before this one may still be writing"
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    "hopper.tile_loop"(%tiles) <{swizzle = 0 : i64}> ({
    ^bb0(%m: i32 loc("m")):
      hopper.wait_barrier %empty[%fill] previous because "the consumer has read a and b" : !hopper.barrier<1>
      hopper.expect_bytes %full[%fill], 7168 : !hopper.barrier<1>
      %row = arith.muli %m, %c64 : i32
      %at = hopper.stage %a[%fill] : !hopper.ring<1, 64x32xbf16>
      hopper.tma_load %A_map[%row, %c0] to %at signals %full[%fill] : !hopper.tensor_map, !hopper.shared<64x32xbf16>, !hopper.barrier<1>
      %bt = hopper.stage %b[%fill] : !hopper.ring<1, 48x32xbf16>
      hopper.tma_load %B_map[%c0, %c0] to %bt signals %full[%fill] : !hopper.tensor_map, !hopper.shared<48x32xbf16>, !hopper.barrier<1>
      hopper.advance %fill : !hopper.cursor<1>
    }) : (i32) -> ()
  }
  // CHECK: const int warp = warp_index() - 4;
  // CHECK: const bool leader = threadIdx.x % 32 == 0;
  hopper.role consumer warpgroups 1 registers 232 each warp {
  ^bb0(%warp: i32):
    %use = hopper.cursor "use" : !hopper.cursor<1>
    "hopper.tile_loop"(%tiles) <{swizzle = 0 : i64}> ({
    ^bb0(%m: i32 loc("m")):
      hopper.wait_barrier %full[%use] because "a and b have landed" : !hopper.barrier<1>
      // CHECK: const warp_rt<bf16, 16, 32> x = load<warp_rt<bf16, 16, 32>>(a[use.stage].rows<16>(warp * 16));
      // CHECK: const warp_rt<bf16, 48, 32> y = load<warp_rt<bf16, 48, 32>>(b[use.stage]);
      %at = hopper.stage %a[%use] : !hopper.ring<1, 64x32xbf16>
      %own = arith.muli %warp, %c16 : i32
      %aw = hopper.rows %at, %own : !hopper.shared<64x32xbf16> -> !hopper.shared<16x32xbf16>
      %x = hopper.load_fragment %aw : !hopper.shared<16x32xbf16> -> !hopper.fragment<64x32xbf16> loc("x")
      %bt = hopper.stage %b[%use] : !hopper.ring<1, 48x32xbf16>
      %y = hopper.load_fragment %bt : !hopper.shared<48x32xbf16> -> !hopper.fragment<192x32xbf16> loc("y")
      hopper.fence_async_proxy because "TMA could overtake the reads of a and b"
      hopper.arrive %empty[%use] : !hopper.barrier<1>
      hopper.advance %use : !hopper.cursor<1>
      // CHECK: warp_rt<float, 16, 48> acc;
      // CHECK: mma_ABt(acc, x, y);
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x48xf32> loc("acc")
      %p = hopper.mma_sync %acc, %x, %y : !hopper.fragment<64x48xf32>, !hopper.fragment<64x32xbf16>, !hopper.fragment<192x32xbf16> loc("acc")
      // Coordinates and columns are those of the warp's own tile.
      // CHECK: acc = map_at(acc, [&](float acc, int row, int col) { return row == col ? 0.0f : acc; });
      // CHECK: const row_vec<float, 48> top = col_max(acc);
      // CHECK: const warp_rt<float, 48, 16> across = transpose(acc);
      // CHECK: const warp_col_vec<float, 48> most = row_max(across);
      // CHECK: const row_vec<float, 48> same = transpose(most);
      // CHECK: const row_vec<float, 48> ends = scan_max(same);
      %q = hopper.map (%e = %p : !hopper.fragment<64x48xf32>) at (%i, %j) -> !hopper.fragment<64x48xf32> {
        %0 = arith.cmpi eq, %i, %j : i32
        %1 = arith.select %0, %zero, %e : f32
        tk.yield %1 : f32
      } loc("acc")
      %top = hopper.reduce_columns max %q across 1 : !hopper.fragment<64x48xf32> -> !hopper.vector<48xf32, row> loc("top")
      %across = hopper.transpose %q across 1 : !hopper.fragment<64x48xf32> -> !hopper.fragment<192x16xf32> loc("across")
      %most = hopper.reduce_rows max %across : !hopper.fragment<192x16xf32> -> !hopper.vector<192xf32, column> loc("most")
      %same = hopper.transpose %most across 1 : !hopper.vector<192xf32, column> -> !hopper.vector<48xf32, row> loc("same")
      %ends = hopper.scan max %same across 1 : !hopper.vector<48xf32, row> loc("ends")
      // CHECK: store<1>(M, {(m * 4 + warp) * 48}, both);
      %both = hopper.map (%s = %top : !hopper.vector<48xf32, row>, %t = %ends : !hopper.vector<48xf32, row>) -> !hopper.vector<48xf32, row> {
        %0 = arith.addf %s, %t : f32
        tk.yield %0 : f32
      } loc("both")
      %four = arith.muli %m, %c4 : i32
      %number = arith.addi %four, %warp : i32
      %place = arith.muli %number, %c48 : i32
      hopper.store_global %both to %M[%place] : !hopper.vector<48xf32, row>, !tk.global<?xf32>
      // CHECK: store(staging[warp], acc);
      // CHECK: __syncwarp(); // all of the buffer is written
      // CHECK: tma_store(C_map, {(m * 4 + warp) * 16, 0}, staging[warp]);
      // CHECK: store_tail_columns<1>(C_map, {(m * 4 + warp) * 16, 0}, staging[warp]);
      %row = arith.muli %number, %c16 : i32
      %s1 = hopper.slot %staging[%warp] : !hopper.ring<4, 16x48xbf16>
      hopper.wait_stores_read 0 because "the store of the tile before has read the buffer"
      hopper.sync_warpgroup because "the warp knows that the buffer is free"
      hopper.store_fragment %q[%c0, %c0] to %s1 : !hopper.fragment<64x48xf32>, !hopper.shared<16x48xbf16>
      hopper.fence_async_proxy because "TMA reads through another proxy what these threads wrote"
      hopper.sync_warpgroup because "all of the buffer is written"
      %s2 = hopper.slot %staging[%warp] : !hopper.ring<4, 16x48xbf16>
      hopper.tma_store %s2 to %C_map[%row, %c0] : !hopper.shared<16x48xbf16>, !hopper.tensor_map
      %s3 = hopper.slot %staging[%warp] : !hopper.ring<4, 16x48xbf16>
      hopper.store_tail_columns %s3 to %C_map[%row, %c0] : !hopper.shared<16x48xbf16>, !hopper.tensor_map
    }) : (i32) -> ()
    hopper.wait_stores_read 0 because "shared memory must outlive the stores that read it"
  }
}

// MMAs of narrow types: A of fp8 in registers, converted from what an MMA of int8 gave.
// CHECK-LABEL: // narrow
hopper.kernel @narrow(%A: !tk.global<?x64xi8> {tk.name = "A"}, %B: !tk.global<?x64xi8> {tk.name = "B"},
                      %V: !tk.global<?x64xf8E4M3FN> {tk.name = "V"}, %O: !tk.global<?x?xf8E5M2> {tk.name = "O"},
                      %T: !tk.global<?x32xtf32> {tk.name = "T"}, %scale: f32 {tk.name = "scale"})
    attributes {threads = 256 : i64, shared_bytes = 60000 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %false = arith.constant false
  %true = arith.constant true
  %rows = tk.extent %A, 0 : !tk.global<?x64xi8>
  %tiles = arith.ceildivsi %rows, %c64 : i32
  // CHECK: const shared_ring<int8, 64, 64, stages> a(shared + a_offset);
  // CHECK: const shared_ring<e4m3, 64, 64, stages> v(shared + v_offset);
  // CHECK: const shared_ring<tf32, 64, 32, stages> t(shared + t_offset);
  // CHECK: const shared_ring<e5m2, 64, 64, 1> O_staging(shared + O_staging_offset);
  %A_map = hopper.tensor_map %A box [64, 64] swizzle 64 : !tk.global<?x64xi8>
  %B_map = hopper.tensor_map %B box [64, 64] swizzle 64 : !tk.global<?x64xi8>
  %V_map = hopper.tensor_map %V box [64, 64] swizzle 64 : !tk.global<?x64xf8E4M3FN>
  %T_map = hopper.tensor_map %T box [64, 32] swizzle 128 : !tk.global<?x32xtf32>
  %O_map = hopper.tensor_map %O box [64, 64] swizzle 64 {output} : !tk.global<?x?xf8E5M2>
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 64 : i64} : !hopper.ring<1, 64x64xi8>
  %b = hopper.alloc_ring "b" {offset = 4096 : i64, swizzle = 64 : i64} : !hopper.ring<1, 64x64xi8>
  %v = hopper.alloc_ring "v" {offset = 8192 : i64, swizzle = 64 : i64} : !hopper.ring<1, 64x64xf8E4M3FN>
  %t = hopper.alloc_ring "t" {offset = 12288 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x32xtf32>
  %staging = hopper.alloc_ring "O_staging" {offset = 20480 : i64, swizzle = 64 : i64} : !hopper.ring<1, 64x64xf8E5M2>
  %full = hopper.alloc_barrier "full" arrivals 1 {offset = 24576 : i64} : !hopper.barrier<1>
  %empty = hopper.alloc_barrier "empty" arrivals 4 {offset = 24584 : i64} : !hopper.barrier<1>
  hopper.init_barrier %full : !hopper.barrier<1>
  hopper.init_barrier %empty : !hopper.barrier<1>
  hopper.fence_barrier_init because "TMA must see them initialised"
  hopper.sync_block because "so must everybody else"
  hopper.allow_dependents because "the next kernel may set up"
  hopper.role producer warpgroups 1 registers 40 {
    hopper.wait_grid_dependency because "the kernel before this one may still be writing"
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    "hopper.tile_loop"(%tiles) <{swizzle = 0 : i64}> ({
    ^bb0(%m: i32 loc("m")):
      hopper.wait_barrier %empty[%fill] previous because "the consumer has read the tiles" : !hopper.barrier<1>
      hopper.expect_bytes %full[%fill], 20480 : !hopper.barrier<1>
      %row = arith.muli %m, %c64 : i32
      %at = hopper.stage %a[%fill] : !hopper.ring<1, 64x64xi8>
      hopper.tma_load %A_map[%row, %c0] to %at signals %full[%fill] : !hopper.tensor_map, !hopper.shared<64x64xi8>, !hopper.barrier<1>
      %bt = hopper.stage %b[%fill] : !hopper.ring<1, 64x64xi8>
      hopper.tma_load %B_map[%c0, %c0] to %bt signals %full[%fill] : !hopper.tensor_map, !hopper.shared<64x64xi8>, !hopper.barrier<1>
      %vt = hopper.stage %v[%fill] : !hopper.ring<1, 64x64xf8E4M3FN>
      hopper.tma_load %V_map[%c0, %c0] to %vt signals %full[%fill] : !hopper.tensor_map, !hopper.shared<64x64xf8E4M3FN>, !hopper.barrier<1>
      %tt = hopper.stage %t[%fill] : !hopper.ring<1, 64x32xtf32>
      hopper.tma_load %T_map[%c0, %c0] to %tt signals %full[%fill] : !hopper.tensor_map, !hopper.shared<64x32xtf32>, !hopper.barrier<1>
      hopper.advance %fill : !hopper.cursor<1>
    }) : (i32) -> ()
  }
  hopper.role consumer warpgroups 1 registers 232 {
  ^bb0(%consumer: i32):
    %use = hopper.cursor "use" : !hopper.cursor<1>
    "hopper.tile_loop"(%tiles) <{swizzle = 0 : i64}> ({
    ^bb0(%m: i32 loc("m")):
      hopper.wait_barrier %full[%use] because "all tiles have landed" : !hopper.barrier<1>
      %at = hopper.stage %a[%use] : !hopper.ring<1, 64x64xi8>
      %bt = hopper.stage %b[%use] : !hopper.ring<1, 64x64xi8>
      %vt = hopper.stage %v[%use] : !hopper.ring<1, 64x64xf8E4M3FN>
      %tt = hopper.stage %t[%use] : !hopper.ring<1, 64x32xtf32>
      // CHECK: rt<int, 64, 64> s;
      // CHECK: mma_ABt(s, a[use.stage], b[use.stage], /*accumulate=*/false);
      // CHECK: const rt<e4m3, 64, 64> p = map<e4m3>(s, [&](int s) { return float(s) * scale; });
      // CHECK: mma_ABt(o, p, v[use.stage], /*accumulate=*/false);
      %s0 = hopper.uninitialized : !hopper.fragment<64x64xi32> loc("s")
      hopper.fence_registers because "s passes to the tensor cores"
      %s = hopper.wgmma ABt %s0, %at, %bt accumulate %false : !hopper.fragment<64x64xi32>, !hopper.shared<64x64xi8>, !hopper.shared<64x64xi8> loc("s")
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "s is read next"
      %p = hopper.map (%x = %s : !hopper.fragment<64x64xi32>) -> !hopper.fragment<64x64xf8E4M3FN> {
        %0 = arith.sitofp %x : i32 to f32
        %1 = arith.mulf %0, %scale : f32
        %2 = arith.truncf %1 : f32 to f8E4M3FN
        tk.yield %2 : f8E4M3FN
      } loc("p")
      %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("o")
      hopper.fence_registers because "o and p pass to the tensor cores"
      %o1 = hopper.wgmma ABt %o0, %p, %vt accumulate %false : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf8E4M3FN>, !hopper.shared<64x64xf8E4M3FN> loc("o")
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "o is read next"
      // CHECK: const rt<tf32, 64, 32> left = load<rt<tf32, 64, 32>>(t[use.stage]);
      // CHECK: mma_ABt(o, left, t[use.stage], /*accumulate=*/true);
      %left = hopper.load_fragment %tt : !hopper.shared<64x32xtf32> -> !hopper.fragment<64x32xtf32> loc("left")
      hopper.fence_registers because "o and left pass to the tensor cores"
      %o = hopper.wgmma ABt %o1, %left, %tt accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x32xtf32>, !hopper.shared<64x32xtf32> loc("o")
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "o is stored next, and the tiles are given back"
      hopper.fence_async_proxy because "TMA could overtake the reads of t"
      hopper.arrive %empty[%use] : !hopper.barrier<1>
      hopper.advance %use : !hopper.cursor<1>
      // CHECK: store(O_staging[0], o);
      %s1 = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xf8E5M2>
      hopper.wait_stores_read 0 because "the store of the tile before has read the buffer"
      hopper.sync_warpgroup because "the warpgroup knows that the buffer is free"
      hopper.store_fragment %o[%c0, %c0] to %s1 : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xf8E5M2>
      hopper.fence_async_proxy because "TMA reads through another proxy what these threads wrote"
      hopper.sync_warpgroup because "all of the buffer is written"
      %row = arith.muli %m, %c64 : i32
      %s2 = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xf8E5M2>
      hopper.tma_store %s2 to %O_map[%row, %c0] : !hopper.shared<64x64xf8E5M2>, !hopper.tensor_map
      %s3 = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xf8E5M2>
      hopper.store_tail_columns %s3 to %O_map[%row, %c0] : !hopper.shared<64x64xf8E5M2>, !hopper.tensor_map
    }) : (i32) -> ()
    hopper.wait_stores_read 0 because "shared memory must outlive the stores that read it"
  }
}
// CHECK: args.tensor("A", A, TK_I8, 2);
// CHECK: args.tensor("V", V, TK_E4M3, 2);
// CHECK: args.tensor("T", T, TK_F32, 2);
