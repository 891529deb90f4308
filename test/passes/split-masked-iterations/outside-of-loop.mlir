// Tests that a mask outside of a loop stays as it is.

// RUN: %tk-opt %s --tk-split-masked-iterations --canonicalize --cse | FileCheck %s

!score = !tk.tile<128x128xf32, register, row>

// CHECK-LABEL: tk.kernel @outside_of_loop
// CHECK: arith.cmpi slt
// CHECK-NOT: scf.if
tk.kernel @outside_of_loop(%O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %t = tk.fill %zero : !score
    %masked = tk.map (%x = %t : !score) at (%r, %c) -> !score {
      %0 = arith.cmpi slt, %c, %n : i32
      %1 = arith.select %0, %x, %zero : f32
      tk.yield %1 : f32
    }
    tk.store %O[%m, %c0], %masked : !tk.global<?x128xbf16>, !score
  }
}
