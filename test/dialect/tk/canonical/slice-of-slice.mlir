// Tests that a part of a part is one part.

// RUN: %tk-opt %s -allow-unregistered-dialect -canonicalize -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
// CHECK: %[[S:.+]] = "test.tile"
// CHECK-NEXT: %[[PART:.+]] = tk.slice %[[S]][0, 40] : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x16xf32, register, row>
// CHECK-NEXT: "test.use"(%[[PART]])
%s = "test.tile"() : () -> !tile
%0 = tk.slice %s[0, 32] : !tile -> !tk.tile<128x32xf32, register, row>
%1 = tk.slice %0[0, 8] : !tk.tile<128x32xf32, register, row> -> !tk.tile<128x16xf32, register, row>
"test.use"(%1) : (!tk.tile<128x16xf32, register, row>) -> ()
