// Tests that a map before a loop is not taken into it.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>

// CHECK-LABEL: "test.loop"
// CHECK: tk.map
// CHECK:   math.tanh
// CHECK: scf.for
// CHECK:   tk.map
// CHECK-NEXT: arith.negf
%s, %n = "test.loop"() : () -> (!tile, index)
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%a = tk.map (%x = %s : !tile) -> !tile {
  %0 = math.tanh %x : f32
  tk.yield %0 : f32
}
scf.for %i = %c0 to %n step %c1 {
  %b = tk.map (%x = %a : !tile) -> !tile {
    %0 = arith.negf %x : f32
    tk.yield %0 : f32
  }
  "test.use"(%b) : (!tile) -> ()
}
