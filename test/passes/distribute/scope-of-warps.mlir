// Tests that a scope of warps has a warpgroup for each four of them, and tiles of any height of 16.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// CHECK-LABEL: tk.kernel @warps
// CHECK-SAME: consumers = 3 : i64
tk.kernel @warps(%x: f32) {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    tk.each warp of 12 (%w) {
      %t = tk.fill %x : !tk.tile<16x64xf32, register, row>
      %u = tk.map (%y = %t : !tk.tile<16x64xf32, register, row>) -> !tk.tile<16x64xf32, register, row> {
        tk.yield %y : f32
      }
    }
  }
}
