// Tests that a branch that only chooses between tiles, which MLIR turns into a select, becomes a map.

// RUN: %tk-opt %s -allow-unregistered-dialect -canonicalize | FileCheck %s

!tile = !tk.tile<64x64xf32, register, row>
// CHECK: %[[IN:.+]]:3 = "test.in"
// CHECK-NEXT: %[[CHOSEN:.+]] = tk.map (%[[X:.+]] = %[[IN]]#0 : {{.+}}, %[[Y:.+]] = %[[IN]]#1 : {{.+}}) -> !tk.tile
// CHECK-NEXT: %[[ELEMENT:.+]] = arith.select %[[IN]]#2, %[[X]], %[[Y]] : f32
// CHECK-NEXT: tk.yield %[[ELEMENT]] : f32
// CHECK: "test.use"(%[[CHOSEN]])
%a, %b, %condition = "test.in"() : () -> (!tile, !tile, i1)
%r = scf.if %condition -> !tile {
  scf.yield %a : !tile
} else {
  scf.yield %b : !tile
}
"test.use"(%r) : (!tile) -> ()
