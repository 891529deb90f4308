// Tests that exp becomes exp2, whose factor and the user's meet outside of the map; and that a difference is formed before it
// is scaled, for exactly it is small where the numbers are large.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// CHECK: %[[LOG2E:.+]] = arith.constant 1.442695{{.*}} : f32
// CHECK-NEXT: "test.exp"
// CHECK: %[[BOTH:.+]] = arith.mulf %{{.+}}#2, %[[LOG2E]] : f32
// CHECK: tk.map (%[[S:.+]] = %{{.+}}#0 : {{.+}}, %[[NOW:.+]] = %{{.+}}#1 : {{.+}}) -> !tk.tile<128x64xf32, register, row> {
// CHECK-NEXT:   %[[D:.+]] = arith.subf %[[S]], %[[NOW]] : f32
// CHECK-NEXT:   %[[A:.+]] = arith.mulf %[[D]], %[[BOTH]] : f32
// CHECK-NEXT:   %[[E:.+]] = math.exp2 %[[A]] : f32
// CHECK-NEXT:   tk.yield %[[E]]
%s, %now, %scale = "test.exp"() : () -> (!tile, !column, f32)
%p = tk.map (%x = %s : !tile, %y = %now : !column) -> !tile {
  %0 = arith.subf %x, %y : f32
  %1 = arith.mulf %0, %scale : f32
  %2 = math.exp %1 : f32
  tk.yield %2 : f32
}
"test.use"(%p) : (!tile) -> ()
