// Tests that the largest product by a constant is that of the largest element, or of the smallest if the constant is below zero,
// and that the exponent of a difference of such products is not contracted; a product by an unknown number, or by one that may
// make infinity of an element, is reduced itself.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// CHECK: %[[X:.+]]:2 = "test.x"
%x, %c = "test.x"() : () -> (!tile, f32)
%two = arith.constant -1.5 : f32
%large = arith.constant 4.0 : f32

// CHECK: %[[SMALLEST:.+]] = tk.reduce min rows %[[X]]#0
// CHECK: tk.map (%[[E:.+]] = %[[X]]#0 : {{.+}}, %[[V:.+]] = %[[SMALLEST]] :
// CHECK-DAG: %[[A:.+]] = arith.mulf %[[E]], %[[C:.+]] : f32
// CHECK-DAG: %[[B:.+]] = arith.mulf %[[V]], %[[C]] : f32
// CHECK: %[[D:.+]] = arith.subf %[[A]], %[[B]]
// CHECK-NEXT: math.exp2 %[[D]]
%scaled = tk.map (%e = %x : !tile) -> !tile {
  %0 = arith.mulf %e, %two : f32
  tk.yield %0 : f32
}
%top = tk.reduce max rows %scaled : !tile -> !column
%p = tk.map (%e = %scaled : !tile, %v = %top : !column) -> !tile {
  %0 = arith.subf %e, %v : f32
  %1 = math.exp2 %0 : f32
  tk.yield %1 : f32
}
"test.use"(%p) : (!tile) -> ()

// CHECK: %[[Y:.+]] = tk.map
// CHECK: tk.reduce max rows %[[Y]]
%unknown = tk.map (%e = %x : !tile) -> !tile {
  %0 = arith.mulf %e, %c : f32
  tk.yield %0 : f32
}
%unknown_top = tk.reduce max rows %unknown : !tile -> !column
// CHECK: %[[Z:.+]] = tk.map
// CHECK: tk.reduce max rows %[[Z]]
%more = tk.map (%e = %x : !tile) -> !tile {
  %0 = arith.mulf %e, %large : f32
  tk.yield %0 : f32
}
%more_top = tk.reduce max rows %more : !tile -> !column
"test.use"(%unknown_top, %more_top) : (!column, !column) -> ()
