// Tests that the index of a row vector is the column of the tile it is fused into; coordinates of both maps meet.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xi32, register, row>
!row = !tk.vector<64xi32, register, row>

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
