// RUN: %tk-opt %s --tk-split-masked-iterations --canonicalize --cse | FileCheck %s

// Tests a mask that cuts off columns outside of the tensor and above the diagonal: it is computed where the last column is
// outside or, in the first row, above the diagonal. Otherwise the tile is as it was.

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

// Tests a limit that is the smaller of two, one of which grows with the row.

// CHECK-LABEL: tk.kernel @smaller
// CHECK: %[[LAST:.+]] = arith.addi %{{.+}}, %c127
// CHECK: %[[LIMIT:.+]] = arith.minsi
// CHECK: %[[MASKED:.+]] = arith.cmpi sge, %[[LAST]], %[[LIMIT]]
// CHECK: scf.if %[[MASKED]]
tk.kernel @smaller(%O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %t = tk.fill %zero : !score
    scf.for %j = %c0 to %n step %c1 : i32 {
      %masked = tk.map (%x = %t : !score) at (%r, %c) -> !score {
        %0 = arith.muli %j, %c128 : i32
        %1 = arith.addi %0, %c : i32
        %2 = arith.muli %m, %c128 : i32
        %3 = arith.addi %2, %r : i32
        %4 = arith.minsi %n, %3 : i32
        %5 = arith.cmpi slt, %1, %4 : i32
        %6 = arith.select %5, %x, %zero : f32
        tk.yield %6 : f32
      }
      tk.store %O[%m, %c0], %masked : !tk.global<?x128xbf16>, !score
    }
  }
}

// Tests a sliding window, whose other end is looked at in the first column of the last row; a condition on the coordinates
// that is not even, and one outside of a loop, which stay as they are.

// CHECK-LABEL: tk.kernel @others
// CHECK: tk.map
// CHECK: scf.for %[[J:.+]] =
// CHECK: %[[FIRST:.+]] = arith.muli %[[J]]
// CHECK: %[[OLD:.+]] = arith.cmpi sle, %[[FIRST]], %{{.+}}
// CHECK: scf.if %[[OLD]]
// CHECK: arith.remsi
// CHECK-NOT: scf.if
tk.kernel @others(%O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %t = tk.map () at (%r, %c) -> !score {
      %0 = arith.cmpi slt, %c, %n : i32
      %1 = arith.sitofp %r : i32 to f32
      %2 = arith.select %0, %1, %zero : f32
      tk.yield %2 : f32
    }
    scf.for %j = %c0 to %n step %c1 : i32 {
      %window = tk.map (%x = %t : !score) at (%r, %c) -> !score {
        %0 = arith.muli %j, %c128 : i32
        %1 = arith.addi %0, %c : i32
        %2 = arith.subi %r, %n : i32
        %3 = arith.cmpi sgt, %1, %2 : i32
        %4 = arith.select %3, %x, %zero : f32
        tk.yield %4 : f32
      }
      tk.store %O[%m, %c0], %window : !tk.global<?x128xbf16>, !score
      %odd = tk.map (%x = %t : !score) at (%r, %c) -> !score {
        %0 = arith.remsi %c, %c2 : i32
        %1 = arith.cmpi slt, %0, %n : i32
        %2 = arith.select %1, %x, %zero : f32
        tk.yield %2 : f32
      }
      tk.store %O[%m, %c0], %odd : !tk.global<?x128xbf16>, !score
    }
  }
}
