// Tests that an operand that is there twice is read once.

// RUN: %tk-opt %s -allow-unregistered-dialect -canonicalize -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
// CHECK-LABEL: "test.twice"
// CHECK: tk.map (%[[X:.+]] = %{{[^:]+}} : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
// CHECK-NEXT: arith.mulf %[[X]], %[[X]]
%s = "test.twice"() : () -> !tile
%p = tk.map (%x = %s : !tile, %y = %s : !tile) -> !tile {
  %0 = arith.mulf %x, %y : f32
  tk.yield %0 : f32
}
"test.use"(%p) : (!tile) -> ()
