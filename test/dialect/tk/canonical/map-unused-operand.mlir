// Tests that an operand no element needs goes, and coordinates with it.

// RUN: %tk-opt %s -allow-unregistered-dialect -canonicalize -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>

// CHECK-LABEL: "test.unused"
// CHECK: tk.map (%[[X:.+]] = %{{.+}}#0 : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
// CHECK-NEXT: math.exp2 %[[X]]
%s, %t = "test.unused"() : () -> (!tile, !tile)
%p = tk.map (%x = %s : !tile, %y = %t : !tile) at (%r, %c) -> !tile {
  %0 = math.exp2 %x : f32
  tk.yield %0 : f32
}
"test.use"(%p) : (!tile) -> ()
