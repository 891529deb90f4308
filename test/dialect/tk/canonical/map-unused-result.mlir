// Tests that a result nobody uses is not computed, and an unchanged one is the operand itself.

// RUN: %tk-opt %s -allow-unregistered-dialect -canonicalize -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
// CHECK-LABEL: "test.results"
// CHECK: %[[P:.+]] = tk.map {{.*}} -> !tk.tile<128x64xf32, register, row> {
// CHECK-NEXT: math.exp2
// CHECK-NEXT: tk.yield %{{.+}} : f32
// CHECK: "test.use"(%[[P]], %{{.+}}#0)
%s, %c = "test.results"() : () -> (!tile, f32)
%p:3 = tk.map (%x = %s : !tile) -> (!tile, !tile, !tile) {
  %0 = math.exp2 %x : f32
  %1 = math.log2 %x : f32
  tk.yield %1, %0, %x : f32, f32, f32
}
"test.use"(%p#1, %p#2) : (!tile, !tile) -> ()
