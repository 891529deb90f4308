// Tests that a condition which does not grow with the coordinates stays as it is.

// RUN: %tk-opt %s --tk-split-masked-iterations --canonicalize --cse | FileCheck %s

!score = !tk.tile<128x128xf32, register, row>

// CHECK-LABEL: tk.kernel @uneven_condition
// CHECK: scf.for
// CHECK: arith.remsi
// CHECK-NOT: scf.if
tk.kernel @uneven_condition(%O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %t = tk.fill %zero : !score
    scf.for %j = %c0 to %n step %c1 : i32 {
      %masked = tk.map (%x = %t : !score) at (%r, %c) -> !score {
        %0 = arith.remsi %c, %c2 : i32
        %1 = arith.cmpi slt, %0, %n : i32
        %2 = arith.select %1, %x, %zero : f32
        tk.yield %2 : f32
      }
      tk.store %O[%m, %c0], %masked : !tk.global<?x128xbf16>, !score
    }
  }
}
