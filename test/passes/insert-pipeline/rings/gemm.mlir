// Tests the whole form: rings, barriers, a producer that fills and a consumer that computes and stores in slices.
// Stages are given back one iteration late. The loop surely runs, so the first MMA overwrites the accumulator.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK-LABEL: hopper.kernel @gemm
// CHECK-SAME: #hopper.equal_extent<[0, 0], [2, 0] by "" line {{[0-9]+}}>
// CHECK-SAME: parameters = "BM = 128"
// CHECK: %[[A:.+]] = hopper.alloc_ring "a" : <4, 128x64xbf16>
// CHECK: %[[B:.+]] = hopper.alloc_ring "b" : <4, 64x256xbf16>
// CHECK: %[[STAGING:.+]] = hopper.alloc_ring "C_staging" {what = "2 consumers x 2 buffers"} : <4, 64x64xbf16>
// CHECK: %[[FULL:.+]] = hopper.alloc_barrier "full" arrivals 1 {arrives = "producer, and 49152 TMA bytes"
// CHECK: %[[EMPTY:.+]] = hopper.alloc_barrier "empty" arrivals 8
// CHECK: hopper.init_barrier %[[FULL]]
// CHECK: hopper.init_barrier %[[EMPTY]]
// CHECK: hopper.allow_dependents
// CHECK: hopper.role producer warpgroups 1 {
// CHECK:   %[[FILL:.+]] = hopper.cursor "fill"
// CHECK:   hopper.tile_loop (%[[M:.+]], %[[N:.+]]) in ({{.+}}) swizzle 8 {
// CHECK:     scf.for %[[K:.+]] =
// CHECK-NEXT:  hopper.wait_barrier %[[EMPTY]][%[[FILL]]] previous
// CHECK-NEXT:  hopper.expect_bytes %[[FULL]][%[[FILL]]], 49152
// CHECK-DAG:   %[[ROW:.+]] = arith.muli %[[M]], %c128
// CHECK-DAG:   %[[DEPTH:.+]] = arith.muli %[[K]], %c64
// CHECK:       %[[TO:.+]] = hopper.stage %[[A]][%[[FILL]]]
// CHECK:       hopper.tma_load %arg0[%[[ROW]], %[[DEPTH]]] to %[[TO]] signals %[[FULL]][%[[FILL]]]
// CHECK:       hopper.tma_load %arg1[%[[DEPTH]],
// CHECK:       hopper.advance %[[FILL]]
// CHECK: hopper.role consumer warpgroups 2 {
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK:     %[[START:.+]] = hopper.uninitialized : <64x256xf32>
// CHECK:     %[[SUM:.+]] = scf.for %[[K:.+]] = %[[FIRST:.+]] to {{.+}} iter_args(%[[ACC:.+]] = %[[START]])
// CHECK:       %[[LATER:.+]] = arith.cmpi sgt, %[[K]], %[[FIRST]]
// CHECK:       hopper.wait_barrier %[[FULL]][%[[USE:.+]]] because "a and b of this stage have landed"
// CHECK:       %[[TILE:.+]] = hopper.stage %[[A]][%[[USE]]]
// CHECK:       %[[M_BLOCK:.+]] = arith.muli %[[W]], %c64
// CHECK:       %[[ROWS:.+]] = hopper.rows %[[TILE]], %[[M_BLOCK]] : <128x64xbf16> -> <64x64xbf16>
// CHECK:       hopper.wgmma AB %[[ACC]], %[[ROWS]], %{{.+}} accumulate %[[LATER]]
// CHECK-NEXT:  hopper.commit_wgmma
// CHECK-NEXT:  scf.if %[[LATER]] {
// CHECK-NEXT:    hopper.arrive %[[EMPTY]][%[[RELEASE:.+]]] distance 1
// CHECK-NEXT:    hopper.advance %[[RELEASE]]
// CHECK:       hopper.advance %[[USE]]
// CHECK:     hopper.arrive %[[EMPTY]][%[[RELEASE]]] :
// CHECK-NEXT: hopper.advance %[[RELEASE]]
// CHECK:     scf.for %[[SLICE:.+]] = %c0{{.*}} to %c4
// CHECK:       %[[SLOT:.+]] = hopper.slot %[[STAGING]]
// CHECK:       hopper.store_fragment %[[SUM]][%c0{{.*}}, %{{.+}}] to %[[SLOT]]
// CHECK:       hopper.tma_store %[[SLOT]] to %arg2
// CHECK:     } {hopper.unroll}
// CHECK-NOT: hopper.wait_wgmma
tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {parameters = "BM = 128"} {
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
