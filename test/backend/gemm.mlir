// The whole gemm: its IR as tk-legalize-for-emission leaves it, with the locations the frontend gives, becomes
// test/golden byte for byte. After an intended change of the output, look at the difference and write it anew:
//   tk-translate --hopper-to-cuda --source=dsl-examples/gemm.tk test/backend/gemm.mlir -o test/golden/gemm.cu
//   tk-translate --hopper-to-header --source=dsl-examples/gemm.tk test/backend/gemm.mlir -o test/golden/gemm.h
//
// RUN: %tk-translate --hopper-to-cuda --source=%examples/gemm.tk %s -o %t.cu
// RUN: cmp %t.cu %S/../golden/gemm.cu
// RUN: %tk-translate --hopper-to-header --source=%examples/gemm.tk %s -o %t.h
// RUN: cmp %t.h %S/../golden/gemm.h

// Loops are in generic form, the only one in which an index can be given a location.

#kernel = loc("gemm.tk":4:8)
#grid = loc("gemm.tk":5:3)
#acc = loc("gemm.tk":6:25)
#loop = loc("gemm.tk":7:5)
#load_a = loc("gemm.tk":8:28)
#load_b = loc("gemm.tk":9:28)
#matmul = loc("gemm.tk":10:7)
#store = loc("gemm.tk":12:5)
#m = loc("m"("gemm.tk":5:14))
#n = loc("n"("gemm.tk":5:17))
#k = loc("k"("gemm.tk":7:14))

hopper.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"},
                    %C: !tk.global<?x?xbf16> {tk.name = "C"})
    attributes {parameters = "BM = 128, BN = 256, BK = 64",
                tk.parameters = [{BM = 128 : i32}, {BN = 256 : i32}, {BK = 64 : i32}],
                tk.extents = {a = ["BM", "BK"], acc = ["BM", "BN"], b = ["BK", "BN"]}, threads = 384 : i64, shared_bytes = 229440 : i64,
                equal_extents = [#hopper.equal_extent<[0, 0], [2, 0] by "m" line 5>,
                                 #hopper.equal_extent<[0, 1], [1, 0] by "k" line 7>,
                                 #hopper.equal_extent<[1, 1], [2, 1] by "n" line 5>]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16> loc(#grid)
  %C_cols = tk.extent %C, 1 : !tk.global<?x?xbf16> loc(#grid)
  %m_tiles = arith.ceildivsi %C_rows, %c128 {tk.named_operands = ["BM"]} : i32 loc(#grid)
  %n_tiles = arith.ceildivsi %C_cols, %c256 {tk.named_operands = ["BN"]} : i32 loc(#grid)
  %A_cols = tk.extent %A, 1 : !tk.global<?x?xbf16> loc(#loop)
  %k_tiles = arith.ceildivsi %A_cols, %c64 {tk.named_operands = ["BK"]} : i32 loc(#loop)
  %A_map = hopper.tensor_map %A box [128, 64] swizzle 128 : !tk.global<?x?xbf16> loc(#load_a)
  %B_map = hopper.tensor_map %B box [64, 64] swizzle 128 : !tk.global<?x?xbf16> loc(#load_b)
  %C_map = hopper.tensor_map %C box [64, 64] swizzle 128 {output} : !tk.global<?x?xbf16> loc(#store)
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<4, 128x64xbf16>
  %b = hopper.alloc_ring "b" {offset = 65536 : i64, swizzle = 128 : i64} : !hopper.ring<4, 64x256xbf16>
  %staging = hopper.alloc_ring "C_staging" {what = "2 consumers x 2 buffers", offset = 196608 : i64, swizzle = 128 : i64}
    : !hopper.ring<4, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 {offset = 229376 : i64, arrives = "producer, and 49152 TMA bytes",
    waits = "consumers", guards = "a and b of this stage have landed"} : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 8 {offset = 229408 : i64, arrives = "one lane of each consumer warp",
    waits = "producer", guards = "a and b of this stage have been read"} : !hopper.barrier<4>
  hopper.init_barrier %full : !hopper.barrier<4>
  hopper.init_barrier %empty : !hopper.barrier<4>
  hopper.fence_barrier_init because "TMA completes on these barriers through another proxy, which must see them initialised"
  hopper.sync_block because "no thread may use a barrier before it is initialised"
  hopper.allow_dependents because "programmatic dependent launch: the next kernel may set up while this one runs"
  hopper.role producer warpgroups 1 registers 40 {
    hopper.prefetch_maps %A_map, %B_map
    hopper.wait_grid_dependency because "the kernel before this one may still be writing A and B, or reading C"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m loc(#m), %n loc(#n)) in (%m_tiles, %n_tiles) swizzle 8 {
      %row = arith.muli %m, %c128 {tk.named_operands = ["BM"]} : i32
      %col = arith.muli %n, %c256 {tk.named_operands = ["BN"]} : i32
      "scf.for"(%c0, %k_tiles, %c1) ({
      ^bb0(%k: i32 loc(#k)):
        hopper.wait_barrier %empty[%fill] previous because "the consumers have read the stage's old tiles"
          : !hopper.barrier<4> loc(#loop)
        hopper.expect_bytes %full[%fill], 49152 : !hopper.barrier<4> loc(#loop)
        %depth = arith.muli %k, %c64 {tk.named_operands = ["BK"]} : i32
        %at = hopper.stage %a[%fill] : !hopper.ring<4, 128x64xbf16> loc(#load_a)
        hopper.tma_load %A_map[%row, %depth] to %at signals %full[%fill]
          : !hopper.tensor_map, !hopper.shared<128x64xbf16>, !hopper.barrier<4> loc(#load_a)
        %bt = hopper.stage %b[%fill] : !hopper.ring<4, 64x256xbf16> loc(#load_b)
        hopper.tma_load %B_map[%depth, %col] to %bt signals %full[%fill]
          : !hopper.tensor_map, !hopper.shared<64x256xbf16>, !hopper.barrier<4> loc(#load_b)
        hopper.advance %fill : !hopper.cursor<4> loc(#loop)
        scf.yield
      }) : (i32, i32, i32) -> () loc(#loop)
    } loc(#grid)
  } loc(#kernel)
  hopper.role consumer warpgroups 2 registers 232 {
  ^bb0(%consumer: i32):
    %use = hopper.cursor "use" : !hopper.cursor<4>
    %release = hopper.cursor "release" : !hopper.cursor<4>
    %m_block = arith.muli %consumer, %c64 : i32
    hopper.tile_loop (%m loc(#m), %n loc(#n)) in (%m_tiles, %n_tiles) swizzle 8 {
      %u = hopper.uninitialized : !hopper.fragment<64x256xf32> loc("acc"(#acc))
      %sum = "scf.for"(%c0, %k_tiles, %c1, %u) ({
      ^bb0(%k: i32 loc(#k), %acc: !hopper.fragment<64x256xf32> loc("acc"(#acc))):
        hopper.wait_barrier %full[%use] because "a and b of this stage have landed" : !hopper.barrier<4> loc(#loop)
        %at = hopper.stage %a[%use] : !hopper.ring<4, 128x64xbf16> loc(#matmul)
        %aw = hopper.rows %at, %m_block : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16> loc(#matmul)
        %bt = hopper.stage %b[%use] : !hopper.ring<4, 64x256xbf16> loc(#matmul)
        %p = arith.cmpi sgt, %k, %c0 : i32 loc(#matmul)
        hopper.fence_registers because "acc passes from this thread's code to the tensor cores; ptxas wants it in the loop"
          loc(#matmul)
        %next = hopper.wgmma AB %acc, %aw, %bt accumulate %p
          : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x256xbf16> loc(#matmul)
        hopper.commit_wgmma loc(#matmul)
        hopper.wait_wgmma 1 because "the MMA before this one has read its stage" loc(#matmul)
        scf.if %p {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4> loc(#matmul)
          hopper.advance %release : !hopper.cursor<4> loc(#matmul)
        } loc(#matmul)
        hopper.advance %use : !hopper.cursor<4> loc(#loop)
        scf.yield %next : !hopper.fragment<64x256xf32> loc(#loop)
      }) : (i32, i32, i32, !hopper.fragment<64x256xf32>) -> !hopper.fragment<64x256xf32> loc(#loop)
      hopper.wait_wgmma 0 for %sum because "acc is read on line 12" : !hopper.fragment<64x256xf32> loc(#loop)
      hopper.arrive %empty[%release] : !hopper.barrier<4> loc(#loop)
      hopper.advance %release : !hopper.cursor<4> loc(#loop)
      %row0 = arith.muli %m, %c128 {tk.named_operands = ["BM"]} : i32
      %row = arith.addi %row0, %m_block : i32
      %col0 = arith.muli %n, %c256 {tk.named_operands = ["BN"]} : i32
      "scf.for"(%c0, %c4, %c1) ({
      ^bb0(%slice: i32 loc("slice"(#store))):
        %two = arith.muli %consumer, %c2 : i32
        %parity = arith.remsi %slice, %c2 : i32
        %which = arith.addi %two, %parity : i32
        %buffer = hopper.slot %staging[%which] {hopper.tile_name = "staging"} : !hopper.ring<4, 64x64xbf16> loc(#store)
        hopper.wait_stores_read 1 because "the store that used this buffer before has read it" loc(#store)
        hopper.sync_warpgroup because "the warpgroup knows the buffer is free" {barrier_id = 1 : i64} loc(#store)
        %c = arith.muli %slice, %c64 : i32
        hopper.store_fragment %sum[%c0, %c] to %buffer : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16> loc(#store)
        hopper.fence_async_proxy because "TMA reads through another proxy what these threads wrote" loc(#store)
        hopper.sync_warpgroup because "all of the buffer is written" {barrier_id = 1 : i64} loc(#store)
        %ccol = arith.addi %col0, %c : i32
        hopper.tma_store %buffer to %C_map[%row, %ccol] policy evict_first because "first out of L2, which keeps the inputs that other tiles read again" : !hopper.shared<64x64xbf16>, !hopper.tensor_map loc(#store)
        hopper.store_tail_columns %buffer to %C_map[%row, %ccol] : !hopper.shared<64x64xbf16>, !hopper.tensor_map loc(#store)
        scf.yield
      }) {hopper.unroll} : (i32, i32, i32) -> () loc(#store)
    } loc(#grid)
    hopper.wait_stores_read 0 because "shared memory must outlive the stores that read it" loc(#kernel)
  } loc(#kernel)
} loc(#kernel)
