// Tests that the softmax of attention, four operations, becomes one map of two products, a difference and an exp2.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// CHECK-LABEL: "test.softmax"
// CHECK-NEXT: %[[P:.+]] = tk.map (%[[S:.+]] = %{{.+}}#0 : {{.+}}, %[[NOW:.+]] = %{{.+}}#1 : {{.+}}) -> !tk.tile<128x64xf32, register, row> {
// CHECK-DAG:   %[[A:.+]] = arith.mulf %[[S]], %[[C:.+]]#2 : f32
// CHECK-DAG:   %[[B:.+]] = arith.mulf %[[NOW]], %{{.+}}#2 : f32
// CHECK-NEXT:   %[[D:.+]] = arith.subf %[[A]], %[[B]] : f32
// CHECK-NEXT:   %[[E:.+]] = math.exp2 %[[D]] : f32
// CHECK-NEXT:   tk.yield %[[E]]
// CHECK-NEXT: }
// CHECK-NEXT: "test.use"(%[[P]])
%s, %now, %c = "test.softmax"() : () -> (!tile, !column, f32)
%scaled = tk.map (%x = %s : !tile) -> !tile {
  %0 = arith.mulf %x, %c : f32
  tk.yield %0 : f32
}
%reference = tk.map (%x = %now : !column) -> !column {
  %0 = arith.mulf %x, %c : f32
  tk.yield %0 : f32
}
%difference = tk.map (%x = %scaled : !tile, %y = %reference : !column) -> !tile {
  %0 = arith.subf %x, %y : f32
  tk.yield %0 : f32
}
%p = tk.map (%x = %difference : !tile) -> !tile {
  %0 = math.exp2 %x : f32
  tk.yield %0 : f32
}
"test.use"(%p) : (!tile) -> ()
