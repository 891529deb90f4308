// Tests that a causal mask is computed only where the last column is outside or above the diagonal.
// That is asked in the first row. Otherwise the tile is as it was.

// RUN: %tk-opt %s --tk-split-masked-iterations --canonicalize --cse | FileCheck %s

// CHECK-LABEL: tk.kernel @causal
// CHECK: scf.for %[[J:.+]] =
// CHECK: %[[S:.+]] = tk.mma
// CHECK: %[[FIRST:.+]] = arith.muli %[[J]]
// CHECK: %[[LAST:.+]] = arith.addi %[[FIRST]], %c127
// CHECK: %[[OUTSIDE:.+]] = arith.cmpi sge, %[[LAST]], %{{.+}}
// CHECK: %[[ABOVE:.+]] = arith.cmpi sgt, %[[LAST]], %{{.+}}
// CHECK: %[[MASKED:.+]] = arith.ori %[[OUTSIDE]], %[[ABOVE]]
// CHECK: scf.if %[[MASKED]]
// CHECK: tk.map {{.*}} = %[[S]]
// CHECK: arith.select
// CHECK: else
// CHECK-NEXT: scf.yield %[[S]]
!score = !tk.tile<128x128xf32, register, row>
!shared = !tk.tile<128x128xbf16, shared>
tk.kernel @causal(%Q: !tk.global<?x128xbf16>, %K: !tk.global<?x128xbf16>, %O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %keys = tk.extent %K, 0 : !tk.global<?x128xbf16>
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    scf.for %j = %c0 to %n step %c1 : i32 {
      %k = tk.load %K[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %none = tk.fill %zero : !score
      %s = tk.mma ABt %none, %q, %k : !score, !shared, !shared
      %masked = tk.map (%x = %s : !score) at (%r, %c) -> !score {
        %0 = arith.muli %j, %c128 : i32
        %1 = arith.addi %0, %c : i32
        %2 = arith.cmpi slt, %1, %keys : i32
        %3 = arith.muli %m, %c128 : i32
        %4 = arith.addi %3, %r : i32
        %5 = arith.cmpi sle, %1, %4 : i32
        %6 = arith.andi %2, %5 : i1
        %7 = arith.select %6, %x, %inf : f32
        tk.yield %7 : f32
      }
      tk.store %O[%m, %c0], %masked : !tk.global<?x128xbf16>, !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
  }
}
