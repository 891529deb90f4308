// Tests that maps of tiles, of vectors, of both and of nothing are printed as they are read.

// RUN: %tk-opt %s -allow-unregistered-dialect | %tk-opt -allow-unregistered-dialect | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!rounded = !tk.tile<128x64xbf16, register, row>
!column = !tk.vector<128xf32, register, column>
!row = !tk.vector<64xf32, register, row>

%s, %v, %w, %c, %shared = "test.values"() : () -> (!tile, !column, !row, f32, !tk.vector<128xf32, shared>)
// CHECK: %[[V:.+]]:5 = "test.values"() : () -> ({{.*}}!tk.vector<128xf32, register, column>, !tk.vector<64xf32, register, row>, f32, !tk.vector<128xf32, shared>)

// CHECK: %[[P:.+]] = tk.map (%[[X:.+]] = %[[V]]#0 : !tk.tile<128x64xf32, register, row>, %[[N:.+]] = %[[V]]#1 : !tk.vector<128xf32, register, column>) at (%[[R:.+]], %[[C:.+]]) -> !tk.tile<128x64xbf16, register, row> {
// CHECK:   arith.mulf %[[X]], %[[V]]#3 : f32
// CHECK:   math.exp2
// CHECK:   arith.cmpi sle, %[[C]], %[[R]] : i32
// CHECK:   tk.yield %{{.+}} : bf16
%p = tk.map (%x = %s : !tile, %n = %v : !column) at (%r, %col) -> !rounded {
  %0 = arith.mulf %x, %c : f32
  %1 = arith.subf %0, %n : f32
  %2 = math.exp2 %1 : f32
  %3 = arith.cmpi sle, %col, %r : i32
  %4 = arith.select %3, %2, %c : f32
  %5 = arith.truncf %4 : f32 to bf16
  tk.yield %5 : bf16
}

// CHECK: tk.map () -> !tk.vector<128xf32, register, column> {
%fill = tk.map () -> !column {
  tk.yield %c : f32
}
// CHECK: tk.map (%{{.+}} = %{{.+}} : !tk.vector<128xf32, register, column>) at (%{{[^,]+}}) attributes {note = "kept"} -> (!tk.vector<128xf32, register, column>, !tk.vector<128xi32, register, column>) {
%a, %b = tk.map (%x = %v : !column) at (%i) attributes {note = "kept"} -> (!column, !tk.vector<128xi32, register, column>) {
  %0 = arith.sitofp %i : i32 to f32
  %1 = arith.addf %x, %0 : f32
  tk.yield %1, %i : f32, i32
}
// CHECK: tk.map (%{{.+}} = %{{.+}}#1 : !tk.vector<128xf32, register, column>, %{{.+}} = %{{.+}}#2 : !tk.vector<64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
%outer = tk.map (%x = %v : !column, %y = %w : !row) -> !tile {
  %0 = arith.mulf %x, %y : f32
  tk.yield %0 : f32
}
