// Tests that a map keeps to the five operands that the runtime's maps have.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>

// CHECK-LABEL: "test.many"
// CHECK-COUNT-2: tk.map
// CHECK-NOT: tk.map
%t:6 = "test.many"() : () -> (!tile, !tile, !tile, !tile, !tile, !tile)
%a = tk.map (%x = %t#0 : !tile, %y = %t#1 : !tile, %z = %t#2 : !tile) -> !tile {
  %0 = arith.addf %x, %y : f32
  %1 = arith.addf %0, %z : f32
  tk.yield %1 : f32
}
%b = tk.map (%w = %a : !tile, %x = %t#3 : !tile, %y = %t#4 : !tile, %z = %t#5 : !tile) -> !tile {
  %0 = arith.addf %w, %x : f32
  %1 = arith.addf %0, %y : f32
  %2 = arith.addf %1, %z : f32
  tk.yield %2 : f32
}
"test.use"(%b) : (!tile) -> ()
