// Tests that the other end of a sliding window is looked at in the first column of the last row.

// RUN: %tk-opt %s --tk-split-masked-iterations --canonicalize --cse | FileCheck %s

!score = !tk.tile<128x128xf32, register, row>

// CHECK-LABEL: tk.kernel @sliding_window
// CHECK: scf.for %[[J:.+]] =
// CHECK: %[[FIRST:.+]] = arith.muli %[[J]]
// CHECK: %[[OLD:.+]] = arith.cmpi sle, %[[FIRST]], %{{.+}}
// CHECK: scf.if %[[OLD]]
tk.kernel @sliding_window(%O: !tk.global<?x128xbf16>, %n: i32) {
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
        %2 = arith.subi %r, %n : i32
        %3 = arith.cmpi sgt, %1, %2 : i32
        %4 = arith.select %3, %x, %zero : f32
        tk.yield %4 : f32
      }
      tk.store %O[%m, %c0], %masked : !tk.global<?x128xbf16>, !score
    }
  }
}
