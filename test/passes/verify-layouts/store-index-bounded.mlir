// Tests that an index that is bounded below may be used by a store.

// RUN: %tk-opt %s --tk-verify-layouts | FileCheck %s

// CHECK-LABEL: tk.kernel @k
// CHECK: tk.store
tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c4) {
    %t = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    %row = arith.maxsi %i, %c0 : i32

    tk.store %C[%row, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, row>
  }
}
