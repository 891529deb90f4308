// Tests that a map of a fragment and two vectors is printed as it is read.

// RUN: %tk-opt %s -allow-unregistered-dialect | %tk-opt -allow-unregistered-dialect | FileCheck %s

!tile = !hopper.fragment<64x128xf32>
!column = !hopper.vector<64xf32, column>
!row = !hopper.vector<128xf32, row>

%s, %v, %w = "test.values"() : () -> (!tile, !column, !row)
// CHECK: %[[V:.+]]:3 = "test.values"() : () -> ({{.*}}!hopper.vector<64xf32, column>, !hopper.vector<128xf32, row>
// CHECK: hopper.map (%[[X:.+]] = %[[V]]#0 : !hopper.fragment<64x128xf32>, %[[N:.+]] = %[[V]]#1 : !hopper.vector<64xf32, column>, %[[B:.+]] = %[[V]]#2 : !hopper.vector<128xf32, row>) at (%{{.+}}, %{{.+}}) -> !hopper.fragment<64x128xbf16> {
// CHECK: tk.yield %{{.+}} : bf16
%p = hopper.map (%x = %s : !tile, %n = %v : !column, %b = %w : !row) at (%r, %c) -> !hopper.fragment<64x128xbf16> {
  %0 = arith.subf %x, %n : f32
  %1 = math.exp2 %0 : f32
  %2 = arith.mulf %1, %b : f32
  %3 = arith.truncf %2 : f32 to bf16
  tk.yield %3 : bf16
}
