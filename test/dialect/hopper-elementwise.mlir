// Tests that the elementwise ops of hopper print what they parse.
// RUN: %tk-opt %s -allow-unregistered-dialect | %tk-opt -allow-unregistered-dialect | FileCheck %s

!tile = !hopper.fragment<64x128xf32>
!column = !hopper.vector<64xf32, column>
!row = !hopper.vector<128xf32, row>

%s, %v, %w, %scratch = "test.values"() : () -> (!tile, !column, !row, !hopper.shared<8x128xf32>)
// CHECK: %[[V:.+]]:4 = "test.values"() : () -> ({{.*}}!hopper.vector<64xf32, column>, !hopper.vector<128xf32, row>

// CHECK: hopper.map (%[[X:.+]] = %[[V]]#0 : !hopper.fragment<64x128xf32>, %[[N:.+]] = %[[V]]#1 : !hopper.vector<64xf32, column>, %[[B:.+]] = %[[V]]#2 : !hopper.vector<128xf32, row>) at (%{{.+}}, %{{.+}}) -> !hopper.fragment<64x128xbf16> {
// CHECK: tk.yield %{{.+}} : bf16
%p = hopper.map (%x = %s : !tile, %n = %v : !column, %b = %w : !row) at (%r, %c) -> !hopper.fragment<64x128xbf16> {
  %0 = arith.subf %x, %n : f32
  %1 = math.exp2 %0 : f32
  %2 = arith.mulf %1, %b : f32
  %3 = arith.truncf %2 : f32 to bf16
  tk.yield %3 : bf16
}
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
// CHECK: hopper.slice %[[V]]#0[0, 64] : !hopper.fragment<64x128xf32> -> !hopper.fragment<64x64xf32>
%half = hopper.slice %s[0, 64] : !tile -> !hopper.fragment<64x64xf32>
