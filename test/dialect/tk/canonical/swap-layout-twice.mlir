// Tests that swapping a layout twice does nothing.

// RUN: %tk-opt %s -allow-unregistered-dialect -canonicalize -cse | FileCheck %s

!row = !tk.tile<64x64xbf16, register, row>
!col = !tk.tile<64x64xbf16, register, col>
// CHECK: %[[T:.+]] = "test.tile"
// CHECK-NEXT: "test.use"(%[[T]])
%t = "test.tile"() : () -> !row
%0 = tk.swap_layout %t : !row -> !col
%1 = tk.swap_layout %0 : !col -> !row
"test.use"(%1) : (!row) -> ()
