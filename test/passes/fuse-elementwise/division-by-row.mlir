// Tests that a division by a row's value may be a product with its reciprocal, that one by a constant is, and that one by an
// element stays.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// CHECK-LABEL: "test.divide"
// CHECK: tk.map (%[[O:.+]] = %{{.+}}#0 : {{.+}}, %[[TOTAL:.+]] = %{{.+}}#1
// CHECK-NEXT:   %[[Q:.+]] = arith.divf %[[O]], %[[TOTAL]] fastmath<arcp> : f32
// CHECK-NEXT:   %[[Z:.+]] = arith.divf %[[Q]], %[[O]] : f32
// CHECK-NEXT:   %[[EIGHTH:.+]] = arith.mulf %[[Z]], %{{.+}} : f32
// CHECK-NEXT:   arith.divf %[[EIGHTH]], %{{.+}} fastmath<arcp> : f32
%o, %total = "test.divide"() : () -> (!tile, !column)
%q = tk.map (%x = %o : !tile, %y = %total : !column) -> !tile {
  %0 = arith.divf %x, %y : f32
  %1 = arith.divf %0, %x : f32
  %eight = arith.constant 8.0 : f32
  %2 = arith.divf %1, %eight : f32
  %huge = arith.constant 3.0e38 : f32
  %3 = arith.divf %2, %huge : f32
  tk.yield %3 : f32
}
"test.use"(%q) : (!tile) -> ()
