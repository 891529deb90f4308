// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// Tests the whole form: rings, barriers, a producer that fills and a consumer that computes, gives stages back one
// iteration late and stores in slices. The loop surely runs, so the first product overwrites the accumulator.

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
// CHECK:       %[[SLAB:.+]] = arith.muli %[[W]], %c64
// CHECK:       %[[ROWS:.+]] = hopper.rows %[[TILE]], %[[SLAB]] : <128x64xbf16> -> <64x64xbf16>
// CHECK:       hopper.wgmma AB %[[ACC]], %[[ROWS]], %{{.+}} accumulate %[[LATER]]
// CHECK-NEXT:  hopper.commit_products
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
// CHECK-NOT: hopper.wait_products
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

// Tests that an accumulator whose loop may not run is filled, and that the last stage is given back only if there
// was one.

// CHECK-LABEL: hopper.kernel @maybe
// CHECK: %[[START:.+]] = hopper.fill
// CHECK: scf.for
// CHECK: hopper.wgmma AB {{.+}} accumulate %true
// CHECK: %[[RAN:.+]] = arith.cmpi sgt, %arg3, %c0
// CHECK: scf.if %[[RAN]] {
// CHECK-NEXT: hopper.arrive
// CHECK-NEXT: hopper.advance
// CHECK-NEXT: }
tk.kernel @maybe(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}, %k_tiles: i32) {
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

// Tests that an accumulator that starts at another value is filled.

// CHECK-LABEL: hopper.kernel @filled
// CHECK: hopper.fill %cst
// CHECK: hopper.wgmma AB {{.+}} accumulate %true
tk.kernel @filled(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 128 : i32
  %cBN = arith.constant 64 : i32
  %cBK = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant 1.5 : f32
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16>
  %C_cols = tk.extent %C, 1 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %C_rows, %cBM : i32
  %n_tiles = arith.ceildivsi %C_cols, %cBN : i32
  %A_cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %A_cols, %cBK : i32
  tk.grid (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
    %acc = tk.fill %init : !tk.tile<128x64xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x64xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<128x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, row>
  }
}

// Tests that one warpgroup takes whole tiles and needs no rows.

// CHECK-LABEL: hopper.kernel @one
// CHECK: hopper.alloc_barrier "full" arrivals 1 {{.+}} waits = "consumer"}
// CHECK: hopper.alloc_barrier "empty" arrivals 4
// CHECK: hopper.role consumer warpgroups 1
// CHECK-NOT: hopper.rows
tk.kernel @one(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 64 : i32
  %cBN = arith.constant 128 : i32
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
    %acc = tk.fill %init : !tk.tile<64x128xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<64x128xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x128xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<64x128xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x128xbf16, shared>
      scf.yield %next : !tk.tile<64x128xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<64x128xf32, register, row>
  }
}

// Tests that two slabs per warpgroup are one fragment, stored slab by slab.

// CHECK-LABEL: hopper.kernel @slabs
// CHECK: hopper.rows {{.+}} : <256x64xbf16> -> <128x64xbf16>
// CHECK: hopper.wgmma {{.+}} : <128x192xf32>
// CHECK: scf.for %[[SLAB:.+]] = %c0{{.*}} to %c2
// CHECK: scf.for %[[SLICE:.+]] = %c0{{.*}} to %c3
// CHECK: hopper.store_fragment {{.+}} : <128x192xf32>, <64x64xbf16>
tk.kernel @slabs(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 256 : i32
  %cBN = arith.constant 192 : i32
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
    %acc = tk.fill %init : !tk.tile<256x192xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<256x192xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<256x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x192xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<256x192xf32, register, row>, !tk.tile<256x64xbf16, shared>, !tk.tile<64x192xbf16, shared>
      scf.yield %next : !tk.tile<256x192xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<256x192xf32, register, row>
  }
}

// Tests that a tile higher than a TMA box is loaded in equal parts.

// CHECK-LABEL: hopper.kernel @boxes
// CHECK: hopper.expect_bytes {{.+}}, 57344
// CHECK: %[[STAGE:.+]] = hopper.stage {{.+}} : <3, 320x64xbf16>
// CHECK: %[[LOW:.+]] = hopper.rows %[[STAGE]], %c0{{.*}} : <320x64xbf16> -> <160x64xbf16>
// CHECK: hopper.tma_load %arg1[%[[ROW:.+]], %{{.+}}] to %[[LOW]]
// CHECK: %[[HIGH:.+]] = hopper.rows %[[STAGE]], %c160
// CHECK: %[[NEXT:.+]] = arith.addi %[[ROW]], %c160
// CHECK: hopper.tma_load %arg1[%[[NEXT]], %{{.+}}] to %[[HIGH]]
tk.kernel @boxes(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 128 : i32
  %cBN = arith.constant 320 : i32
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
    %acc = tk.fill %init : !tk.tile<128x320xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x320xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
      %b = tk.load %B[%n, %k] : !tk.global<?x?xbf16> -> !tk.tile<320x64xbf16, shared> loc("b")
      %next = tk.mma ABt %acc_k, %a, %b : !tk.tile<128x320xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<320x64xbf16, shared>
      scf.yield %next : !tk.tile<128x320xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x320xf32, register, row>
  }
}

// Tests that a hint decides the depth of the ring.

// CHECK-LABEL: hopper.kernel @hint
// CHECK: hopper.alloc_ring "a" : <3, 128x64xbf16>
tk.kernel @hint(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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
    } {tk.pipeline = #tk.pipeline<stages = 3>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}

// Tests two products of one load into two accumulators that start as the same value: two variables, one stage for
// all three loads, one group of products, and one staging ring that both stores use in turn.

// CHECK-LABEL: hopper.kernel @gate
// CHECK: hopper.alloc_ring "staging" {what = "2 consumers x 2 buffers"} : <4, 64x32xbf16>
// CHECK: hopper.role consumer
// CHECK: %[[Y:.+]] = hopper.uninitialized
// CHECK: %[[Z:.+]] = hopper.uninitialized
// CHECK: iter_args(%{{.+}} = %[[Y]], %{{.+}} = %[[Z]])
// CHECK: hopper.wgmma AB
// CHECK: hopper.wgmma ABt
// CHECK-NEXT: hopper.commit_products
// CHECK: arith.remsi
// CHECK: %[[GOES_ON:.+]] = arith.addi %{{.+}}, %c1
// CHECK: arith.remsi %[[GOES_ON]], %c2
tk.kernel @gate(%X: !tk.global<?x?xbf16> {tk.name = "X"}, %W: !tk.global<?x?xbf16> {tk.name = "W"}, %V: !tk.global<?x?xbf16> {tk.name = "V"},
                %Y: !tk.global<?x?xbf16> {tk.name = "Y"}, %Z: !tk.global<?x?xbf16> {tk.name = "Z"}) {
  %c128 = arith.constant 128 : i32
  %c64 = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %rows = tk.extent %Y, 0 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %rows, %c128 : i32
  %cols = tk.extent %X, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %cols, %c64 : i32
  %fill = tk.fill %zero : !tk.tile<128x96xf32, register, row>
  tk.grid (%m) in (%m_tiles) {
    %sums:2 = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%y = %fill, %z = %fill) -> (!tk.tile<128x96xf32, register, row>, !tk.tile<128x96xf32, register, row>) : i32 {
      %x = tk.load %X[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("x")
      %w = tk.load %W[%k, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x96xbf16, shared> loc("w")
      %v = tk.load %V[%c0, %k] : !tk.global<?x?xbf16> -> !tk.tile<96x64xbf16, shared> loc("v")
      %y2 = tk.mma AB %y, %x, %w : !tk.tile<128x96xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x96xbf16, shared> loc("y")
      %z2 = tk.mma ABt %z, %x, %v : !tk.tile<128x96xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<96x64xbf16, shared> loc("z")
      scf.yield %y2, %z2 : !tk.tile<128x96xf32, register, row>, !tk.tile<128x96xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %Y[%m, %c0], %sums#0 : !tk.global<?x?xbf16>, !tk.tile<128x96xf32, register, row>
    tk.store %Z[%m, %c0], %sums#1 : !tk.global<?x?xbf16>, !tk.tile<128x96xf32, register, row>
  }
}

// Tests a load before the loop: it has its own barriers, is waited for once and given back after the loop. What is
// stored in the loop is given back before the store, which waits for the product anyway. A product
// into a fresh accumulator does not accumulate. A store may stand in the loop.

// CHECK-LABEL: hopper.kernel @pre
// CHECK: hopper.alloc_ring "q" : <2, 128x64xbf16>
// CHECK: %[[FULL:.+]] = hopper.alloc_barrier "q_full"
// CHECK: %[[EMPTY:.+]] = hopper.alloc_barrier "q_empty"
// CHECK: hopper.role producer
// CHECK: hopper.wait_barrier %[[EMPTY]]
// CHECK: hopper.advance
// CHECK: scf.for
// CHECK: hopper.role consumer
// CHECK: hopper.wait_barrier %[[FULL]]
// CHECK: scf.for
// CHECK: hopper.wgmma ABt {{.+}} accumulate %false
// CHECK: hopper.commit_products
// CHECK-NEXT: hopper.arrive %{{[^ ]+}}[%{{[^ ]+}}] : <
// CHECK: hopper.tma_store
// CHECK: } {hopper.unroll}
// CHECK: hopper.arrive %[[EMPTY]]
tk.kernel @pre(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x64xbf16> {tk.name = "K"}, %O: !tk.global<?x?xbf16> {tk.name = "O"}) {
  %c128 = arith.constant 128 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %rows = tk.extent %Q, 0 : !tk.global<?x64xbf16>
  %m_tiles = arith.ceildivsi %rows, %c128 : i32
  %cols = tk.extent %K, 0 : !tk.global<?x64xbf16>
  %n_tiles = arith.ceildivsi %cols, %c128 : i32
  %fill = tk.fill %zero : !tk.tile<128x128xf32, register, row>
  tk.grid (%m) in (%m_tiles) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<128x64xbf16, shared> loc("q")
    scf.for %j = %c0 to %n_tiles step %c1 : i32 {
      %k = tk.load %K[%j, %c0] : !tk.global<?x64xbf16> -> !tk.tile<128x64xbf16, shared> loc("k")
      %s = tk.mma ABt %fill, %q, %k : !tk.tile<128x128xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<128x64xbf16, shared> loc("s")
      tk.store %O[%m, %j], %s : !tk.global<?x?xbf16>, !tk.tile<128x128xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
  }
}

// Tests a kernel that loads nothing: no producer, no barriers.

// CHECK-LABEL: hopper.kernel @k
// CHECK-NOT: hopper.alloc_barrier
// CHECK-NOT: producer
// CHECK: hopper.role consumer warpgroups 2 {
// CHECK: hopper.fill
// CHECK-NOT: scf.for
// CHECK: hopper.store_fragment
tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c4) {
    %t = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    
    
    tk.store %C[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, row>
  }
}

// Tests that a scalar that is the same for all tiles is computed once, before the roles that both use it.

// CHECK-LABEL: hopper.kernel @same
// CHECK: %[[MORE:.+]] = arith.addi %{{.+}}, %c3_i32
// CHECK: hopper.role producer
// CHECK-NOT: arith.addi %{{.+}}, %c3_i32
// CHECK: hopper.role consumer
// CHECK-NOT: arith.addi %{{.+}}, %c3_i32
tk.kernel @same(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %rows = tk.extent %A, 0 : !tk.global<?x?xbf16>
  tk.grid (%m, %n) in (%rows, %rows) {
    %more = arith.addi %rows, %c3 : i32
    %a = tk.load %A[%more, %m] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %x = tk.read %a[%c0, %c0] : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %C[%more, %n], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}
