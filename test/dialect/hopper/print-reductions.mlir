// Tests that reductions and questions about rows are printed as they are read.

// RUN: %tk-opt %s -allow-unregistered-dialect | %tk-opt -allow-unregistered-dialect | FileCheck %s

!tile = !hopper.fragment<64x128xf32>
!column = !hopper.vector<64xf32, column>
!row = !hopper.vector<128xf32, row>

%s, %v, %w, %scratch = "test.values"() : () -> (!tile, !column, !row, !hopper.shared<8x128xf32>)
// CHECK: %[[V:.+]]:4 = "test.values"
// CHECK: hopper.reduce_rows max %[[V]]#0 init %[[V]]#1 : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column>
%now = hopper.reduce_rows max %s init %v : !tile -> !column
// CHECK: hopper.reduce_rows add partial %[[V]]#0 : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column>
%sums = hopper.reduce_rows add partial %s : !tile -> !column
// CHECK: hopper.finish_rows add %{{.+}} : !hopper.vector<64xf32, column>
%total = hopper.finish_rows add %sums : !column
// CHECK: hopper.any_row (%{{.+}} = %{{.+}} : !hopper.vector<64xf32, column>) -> i1 {
%one = arith.constant 1.0 : f32
%differs = hopper.any_row (%x = %total : !column) -> i1 {
  %0 = arith.cmpf une, %x, %one : f32
  tk.yield %0 : i1
}
// CHECK: hopper.reduce_columns add %[[V]]#0 init %[[V]]#2 across 2 through %[[V]]#3 {barrier_id = 3 : i64} : !hopper.fragment<64x128xf32>, !hopper.shared<8x128xf32> -> !hopper.vector<128xf32, row>
%bias = hopper.reduce_columns add %s init %w across 2 through %scratch {barrier_id = 3 : i64} : !tile, !hopper.shared<8x128xf32> -> !row
