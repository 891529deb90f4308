// Tests the whole pipeline on a GEMM: exactly these waits, fences and barriers, in this order.

// RUN: %tk-opt %s --tk-verify-layouts --canonicalize --cse --loop-invariant-code-motion --tk-distribute \
// RUN:   --tk-insert-pipeline --tk-insert-waits --tk-allocate-shared --tk-allocate-registers --tk-verify-stages \
// RUN:   --cse --tk-legalize-for-emission | FileCheck %s --implicit-check-not=wait --implicit-check-not=fence \
// RUN:   --implicit-check-not=sync

// CHECK: hopper.kernel @gemm
// CHECK-SAME: shared_bytes = 229440 : i64, threads = 384 : i64
// CHECK: hopper.tensor_map %arg0 box [128, 64] swizzle 128 {name = "A_map"}
// CHECK: hopper.tensor_map %arg1 box [64, 64] swizzle 128 {name = "B_map"}
// CHECK: hopper.tensor_map %arg2 box [64, 64] swizzle 128 {name = "C_map", output}
// CHECK: arrives = {{.*}} waits = "consumers"
// CHECK: arrives = {{.*}} waits = "producer"
// CHECK: hopper.fence_barrier_init
// CHECK: hopper.sync_block
// CHECK: hopper.role producer warpgroups 1 registers 40
// CHECK: hopper.wait_grid_dependency because "the kernel before this one may still be writing A and B, or reading C"
// CHECK: hopper.wait_barrier {{.+}} previous because
// CHECK: hopper.role consumer warpgroups 2 registers 232
// CHECK: hopper.wait_barrier
// CHECK: hopper.fence_registers
// CHECK: hopper.wait_wgmma 1
// CHECK: hopper.wait_wgmma 0
// CHECK: hopper.wait_stores_read 1
// CHECK: hopper.sync_warpgroup
// CHECK: hopper.store_fragment
// CHECK: hopper.fence_async_proxy
// CHECK: hopper.sync_warpgroup
// CHECK: hopper.tma_store
// CHECK: hopper.store_tail_columns
// CHECK: hopper.wait_stores_read 0
tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 128 : i32
  %cBN = arith.constant 256 : i32
  %cBK = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant 0.0 : f32
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16>
  %C_cols = tk.extent %C, 1 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %C_rows, %cBM : i32
  %n_tiles = arith.ceildivsi %C_cols, %cBN : i32
  %A_cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %A_cols, %cBK : i32
  tk.grid (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
      scf.yield %next : !tk.tile<128x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}
