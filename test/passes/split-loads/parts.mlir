// Tests that a tile in a pipeline of one stage is loaded in parts that end where slices do; that a slice within a part is a slice
// of that; and that an MMA over all columns is one for each part.

// RUN: %tk-opt %s --tk-split-loads | FileCheck %s

!score = !tk.tile<64x64xf32, register, row>
!half = !tk.tile<64x128xf32, register, row>

// CHECK-LABEL: tk.kernel @keys
// CHECK: %[[Q:.+]] = tk.load %arg0
// CHECK: scf.for
// CHECK: %[[TILES:.+]] = arith.muli %arg5, %c320_i32
// CHECK: %[[AT0:.+]] = tk.offset
// CHECK: %[[K0:.+]] = tk.load %arg1[%arg5, %[[AT0]]] {tk.is_part} : {{.+}} -> !tk.tile<64x128xbf16, shared>
// CHECK: %[[AT1:.+]] = tk.offset
// CHECK: %[[K1:.+]] = tk.load %arg1[%arg5, %[[AT1]]] {tk.is_part} : {{.+}} -> !tk.tile<64x192xbf16, shared>
// CHECK-DAG: %[[Q0:.+]] = tk.slice %[[Q]][0, 0] : {{.+}} -> !tk.tile<64x128xbf16, shared>
// CHECK-DAG: %[[S0:.+]] = tk.mma ABt %{{.+}}, %[[Q0]], %[[K0]]
// CHECK-DAG: %[[Q1:.+]] = tk.slice %[[Q]][0, 128] : {{.+}} -> !tk.tile<64x192xbf16, shared>
// CHECK: tk.mma ABt %[[S0]], %[[Q1]], %[[K1]]
// CHECK: tk.mma AB %{{.+}}, %{{.+}}, %[[K0]]
// CHECK: %[[PART:.+]] = tk.slice %[[K1]][0, 16] : !tk.tile<64x192xbf16, shared> -> !tk.tile<64x16xbf16, shared>
// CHECK: tk.mma AB %{{.+}}, %{{.+}}, %[[PART]]
tk.kernel @keys(%Q: !tk.global<?x?xbf16>, %K: !tk.global<?x?xbf16>, %O: !tk.global<?x?xf32>, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x320xbf16, shared>
    %o0 = tk.fill %zero : !half
    %t0 = tk.fill %zero : !tk.tile<64x16xf32, register, row>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0, %t = %t0) -> (!half, !tk.tile<64x16xf32, register, row>) : i32 {
      %k = tk.load %K[%j, %j] : !tk.global<?x?xbf16> -> !tk.tile<64x320xbf16, shared>
      %s0 = tk.fill %zero : !score
      %s = tk.mma ABt %s0, %q, %k : !score, !tk.tile<64x320xbf16, shared>, !tk.tile<64x320xbf16, shared>
      %p = tk.map (%x = %s : !score) -> !tk.tile<64x64xbf16, register, row> {
        %y = arith.truncf %x : f32 to bf16
        tk.yield %y : bf16
      }
      %left = tk.slice %k[0, 0] : !tk.tile<64x320xbf16, shared> -> !tk.tile<64x128xbf16, shared>
      %o1 = tk.mma AB %o, %p, %left : !half, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x128xbf16, shared>
      %some = tk.slice %k[0, 144] : !tk.tile<64x320xbf16, shared> -> !tk.tile<64x16xbf16, shared>
      %t1 = tk.mma AB %t, %p, %some : !tk.tile<64x16xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x16xbf16, shared>
      scf.yield %o1, %t1 : !half, !tk.tile<64x16xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 1>}
    tk.store %O[%m, %c0], %r#0 : !tk.global<?x?xf32>, !half
  }
}

// No part ends within a slice: of two that overlap, the first one ends within the second, which begins within the first.
// CHECK-LABEL: tk.kernel @overlapping
// CHECK: scf.for
// CHECK: %[[K0:.+]] = tk.load %arg1[{{.+}} {tk.is_part} : {{.+}} -> !tk.tile<64x192xbf16, shared>
// CHECK: tk.load %arg1[{{.+}} {tk.is_part} : {{.+}} -> !tk.tile<64x128xbf16, shared>
// CHECK-DAG: tk.slice %[[K0]][0, 0] : {{.+}} -> !tk.tile<64x128xbf16, shared>
// CHECK-DAG: tk.slice %[[K0]][0, 64] : {{.+}} -> !tk.tile<64x128xbf16, shared>
tk.kernel @overlapping(%Q: !tk.global<?x?xbf16>, %K: !tk.global<?x?xbf16>, %O: !tk.global<?x?xf32>, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x320xbf16, shared>
    %o0 = tk.fill %zero : !half
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0) -> (!half) : i32 {
      %k = tk.load %K[%j, %j] : !tk.global<?x?xbf16> -> !tk.tile<64x320xbf16, shared>
      %s0 = tk.fill %zero : !score
      %s = tk.mma ABt %s0, %q, %k : !score, !tk.tile<64x320xbf16, shared>, !tk.tile<64x320xbf16, shared>
      %p = tk.map (%x = %s : !score) -> !tk.tile<64x64xbf16, register, row> {
        %y = arith.truncf %x : f32 to bf16
        tk.yield %y : bf16
      }
      %left = tk.slice %k[0, 0] : !tk.tile<64x320xbf16, shared> -> !tk.tile<64x128xbf16, shared>
      %o1 = tk.mma AB %o, %p, %left : !half, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x128xbf16, shared>
      %right = tk.slice %k[0, 64] : !tk.tile<64x320xbf16, shared> -> !tk.tile<64x128xbf16, shared>
      %o2 = tk.mma AB %o1, %p, %right : !half, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x128xbf16, shared>
      scf.yield %o2 : !half
    } {tk.pipeline = #tk.pipeline<stages = 1>}
    tk.store %O[%m, %c0], %r : !tk.global<?x?xf32>, !half
  }
}
