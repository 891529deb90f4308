// Tests that reductions and scans are printed as they are read.

// RUN: %tk-opt %s -allow-unregistered-dialect | %tk-opt -allow-unregistered-dialect | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>
!row = !tk.vector<64xf32, register, row>
%s, %v, %w = "test.values"() : () -> (!tile, !column, !row)
// CHECK: %[[V:.+]]:3 = "test.values"
// CHECK: tk.reduce max rows %[[V]]#0 init %[[V]]#1 : !tk.tile<128x64xf32, register, row> -> !tk.vector<128xf32, register, column>
%now = tk.reduce max rows %s init %v : !tile -> !column
// CHECK: tk.reduce add columns %[[V]]#0 : !tk.tile<128x64xf32, register, row> -> !tk.vector<64xf32, register, row>
%sum = tk.reduce add columns %s : !tile -> !row
// CHECK: tk.scan add %[[V]]#2 : !tk.vector<64xf32, register, row>
%sums = tk.scan add %w : !row
// CHECK: tk.scan max total %[[V]]#1 : !tk.vector<128xf32, register, column>
%all = tk.scan max total %v : !column
// CHECK: tk.scan mul suffix %[[V]]#2 : !tk.vector<64xf32, register, row>
%after = tk.scan mul suffix %w : !row
