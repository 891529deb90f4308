// Tests that one warpgroup computes what has row vectors alone, and that column vectors are shared.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// CHECK: tk.kernel @rows
// CHECK-SAME: consumers = 1
tk.kernel @rows(%V: !tk.global<?xf32> {tk.name = "V"}) {
  %c4 = arith.constant 4 : i32
  %one = arith.constant 1.0 : f32
  tk.grid (%m) in (%c4) {
    %v = tk.fill %one : !tk.vector<256xf32, register, row>
    tk.store %V[%m], %v : !tk.global<?xf32>, !tk.vector<256xf32, register, row>
  }
}

// CHECK: tk.kernel @columns
// CHECK-SAME: consumers = 2
tk.kernel @columns(%V: !tk.global<?xf32> {tk.name = "V"}) {
  %c4 = arith.constant 4 : i32
  %one = arith.constant 1.0 : f32
  tk.grid (%m) in (%c4) {
    %v = tk.fill %one : !tk.vector<256xf32, register, column>
    tk.store %V[%m], %v : !tk.global<?xf32>, !tk.vector<256xf32, register, column>
  }
}
