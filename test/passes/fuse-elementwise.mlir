// RUN: %tk-opt %s -allow-unregistered-dialect -split-input-file -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// Tests that the softmax of attention, four verbs, becomes one map of two products, a difference and an exp2.
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

// -----
!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// Tests that exp becomes exp2, its factor meets the user's outside of the map, and both are spread over the difference
// of an element and a row's value.
// CHECK: %[[LOG2E:.+]] = arith.constant 1.442695{{.*}} : f32
// CHECK-NEXT: "test.exp"
// CHECK: %[[BOTH:.+]] = arith.mulf %{{.+}}#2, %[[LOG2E]] : f32
// CHECK: tk.map (%[[S:.+]] = %{{.+}}#0 : {{.+}}, %[[NOW:.+]] = %{{.+}}#1 : {{.+}}) -> !tk.tile<128x64xf32, register, row> {
// CHECK-NEXT:   %[[A:.+]] = arith.mulf %[[S]], %[[BOTH]] : f32
// CHECK-NEXT:   %[[B:.+]] = arith.mulf %[[NOW]], %[[BOTH]] : f32
// CHECK-NEXT:   %[[D:.+]] = arith.subf %[[A]], %[[B]] : f32
// CHECK-NEXT:   %[[E:.+]] = math.exp2 %[[D]] : f32
// CHECK-NEXT:   tk.yield %[[E]]
%s, %now, %scale = "test.exp"() : () -> (!tile, !column, f32)
%p = tk.map (%x = %s : !tile, %y = %now : !column) -> !tile {
  %0 = arith.subf %x, %y : f32
  %1 = arith.mulf %0, %scale : f32
  %2 = math.exp %1 : f32
  tk.yield %2 : f32
}
"test.use"(%p) : (!tile) -> ()

// -----
!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// Tests that a division by a row's value is a product with its reciprocal, and one by an element stays.
// CHECK-LABEL: "test.divide"
// CHECK: tk.map (%[[O:.+]] = %{{.+}}#0 : {{.+}}, %[[TOTAL:.+]] = %{{.+}}#1
// CHECK:   %[[R:.+]] = arith.divf %{{.+}}, %[[TOTAL]] : f32
// CHECK-NEXT:   %[[Q:.+]] = arith.mulf %[[O]], %[[R]] : f32
// CHECK-NEXT:   arith.divf %[[Q]], %[[O]] : f32
%o, %total = "test.divide"() : () -> (!tile, !column)
%q = tk.map (%x = %o : !tile, %y = %total : !column) -> !tile {
  %0 = arith.divf %x, %y : f32
  %1 = arith.divf %0, %x : f32
  tk.yield %1 : f32
}
"test.use"(%q) : (!tile) -> ()

// -----
!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// Tests that nothing is computed twice: a map that something else reads too, and a costly one of a vector, stay.
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

// -----
!tile = !tk.tile<128x64xf32, register, row>

// Tests that a map before a loop is not drawn into it.
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

// -----
!tile = !tk.tile<128x64xi32, register, row>
!row = !tk.vector<64xi32, register, row>

// Tests that the index of a row vector is the column of the tile it is fused into, and that coordinates of both maps meet.
// CHECK-LABEL: "test.coordinates"
// CHECK: tk.map () at (%[[R:.+]], %[[C:.+]]) -> !tk.tile<128x64xi32, register, row> {
// CHECK-NEXT: %[[SUM:.+]] = arith.addi %[[C]], %[[R]] : i32
// CHECK-NEXT: tk.yield %[[SUM]]
"test.coordinates"() : () -> ()
%w = tk.map () at (%i) -> !row {
  tk.yield %i : i32
}
%t = tk.map (%x = %w : !row) at (%r, %c) -> !tile {
  %0 = arith.addi %x, %r : i32
  tk.yield %0 : i32
}
"test.use"(%t) : (!tile) -> ()

// -----
!tile = !tk.tile<128x64xf32, register, row>

// Tests that a map keeps to the five operands that the runtime's maps have.
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
