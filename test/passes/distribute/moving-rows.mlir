// Tests that rows that move to other rows stay in one warpgroup.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// CHECK-LABEL: tk.kernel @moving_rows
// CHECK-SAME: consumers = 1 : i64
tk.kernel @moving_rows(%x: f32) {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %x : !tk.tile<256x64xf32, register, row>
    %u = tk.slice %t[128, 0] : !tk.tile<256x64xf32, register, row> -> !tk.tile<128x64xf32, register, row>
  }
}
