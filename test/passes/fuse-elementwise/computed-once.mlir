// Tests that nothing is computed twice: a map that something else reads too, and a costly one of a vector, stay.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// CHECK-LABEL: "test.shared"
// CHECK: %[[A:.+]] = tk.map
// CHECK:   math.tanh
// CHECK: %[[V:.+]] = tk.map
// CHECK:   math.exp2
// CHECK: %[[B:.+]] = tk.map (%{{.+}} = %[[A]] : {{.+}}, %{{.+}} = %[[V]] : {{.+}})
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: tk.yield
// CHECK: "test.use"(%[[A]], %[[B]])
%s, %v = "test.shared"() : () -> (!tile, !column)
%a = tk.map (%x = %s : !tile) -> !tile {
  %0 = math.tanh %x : f32
  tk.yield %0 : f32
}
%w = tk.map (%x = %v : !column) -> !column {
  %0 = math.exp2 %x : f32
  tk.yield %0 : f32
}
%b = tk.map (%x = %a : !tile, %y = %w : !column) -> !tile {
  %0 = arith.mulf %x, %y : f32
  tk.yield %0 : f32
}
"test.use"(%a, %b) : (!tile, !tile) -> ()
