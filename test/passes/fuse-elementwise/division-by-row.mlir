// Tests that a division by a row's value is a product with its reciprocal, and one by an element stays.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

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
