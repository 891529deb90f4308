// Tests that transposing twice does nothing.

// RUN: %tk-opt %s -allow-unregistered-dialect -canonicalize -cse | FileCheck %s

!tile = !tk.tile<64x64xbf16, register, row>
// CHECK: %[[T:.+]] = "test.tile"
// CHECK-NEXT: "test.use"(%[[T]])
%t = "test.tile"() : () -> !tile
%0 = tk.transpose %t : !tile -> !tile
%1 = tk.transpose %0 : !tile -> !tile
"test.use"(%1) : (!tile) -> ()
