// Tests that the elementwise ops of tk print what they parse.
// RUN: %tk-opt %s -allow-unregistered-dialect | %tk-opt -allow-unregistered-dialect | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!rounded = !tk.tile<128x64xbf16, register, row>
!column = !tk.vector<128xf32, register, column>
!row = !tk.vector<64xf32, register, row>

%s, %v, %w, %c, %shared = "test.values"() : () -> (!tile, !column, !row, f32, !tk.vector<128xf32, shared>)
// CHECK: %[[V:.+]]:5 = "test.values"() : () -> ({{.*}}!tk.vector<128xf32, register, column>, !tk.vector<64xf32, register, row>, f32, !tk.vector<128xf32, shared>)

// CHECK-LABEL: "test.map"
"test.map"() : () -> ()
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

// A map of no operands, a map of a vector with its one coordinate, a map with two results.
// CHECK-LABEL: "test.maps"
"test.maps"() : () -> ()
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

// CHECK-LABEL: "test.reductions"
"test.reductions"() : () -> ()
// CHECK: tk.reduce max rows %[[V]]#0 init %[[V]]#1 : !tk.tile<128x64xf32, register, row> -> !tk.vector<128xf32, register, column>
%now = tk.reduce max rows %s init %v : !tile -> !column
// CHECK: tk.reduce add columns %[[V]]#0 : !tk.tile<128x64xf32, register, row> -> !tk.vector<64xf32, register, row>
%sum = tk.reduce add columns %s : !tile -> !row
// CHECK: tk.scan add %[[V]]#2 : !tk.vector<64xf32, register, row>
%sums = tk.scan add %w : !row

// CHECK-LABEL: "test.parts"
"test.parts"() : () -> ()
// CHECK: tk.slice %[[V]]#0[0, 32] : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x32xf32, register, row>
%half = tk.slice %s[0, 32] : !tile -> !tk.tile<128x32xf32, register, row>
// CHECK: tk.slice %[[V]]#0[0, 63] : !tk.tile<128x64xf32, register, row> -> !tk.vector<128xf32, register, column>
%last = tk.slice %s[0, 63] : !tile -> !column
// CHECK: tk.slice %[[V]]#1[16] : !tk.vector<128xf32, register, column> -> !tk.vector<64xf32, register, column>
%part = tk.slice %v[16] : !column -> !tk.vector<64xf32, register, column>
// CHECK: tk.concat columns %{{.+}}, %{{.+}} : !tk.tile<128x32xf32, register, row>, !tk.tile<128x32xf32, register, row> -> !tk.tile<128x64xf32, register, row>
%whole = tk.concat columns %half, %half : !tk.tile<128x32xf32, register, row>, !tk.tile<128x32xf32, register, row> -> !tile
// CHECK: tk.concat rows %{{.+}}, %{{.+}} : !tk.vector<64xf32, register, column>, !tk.vector<64xf32, register, column> -> !tk.vector<128xf32, register, column>
%ends = tk.concat rows %part, %part : !tk.vector<64xf32, register, column>, !tk.vector<64xf32, register, column> -> !column
// CHECK: tk.swap_layout %{{.+}} : !tk.tile<128x64xbf16, register, row> -> !tk.tile<128x64xbf16, register, col>
%swapped = tk.swap_layout %p : !rounded -> !tk.tile<128x64xbf16, register, col>
// CHECK: tk.transpose %{{.+}} : !tk.tile<128x64xbf16, register, row> -> !tk.tile<64x128xbf16, register, col>
%transposed = tk.transpose %p : !rounded -> !tk.tile<64x128xbf16, register, col>
