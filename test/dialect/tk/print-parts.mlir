// Tests that parts, joined parts, every other column, swapped layouts and transposed tiles are printed as they are read.

// RUN: %tk-opt %s -allow-unregistered-dialect | %tk-opt -allow-unregistered-dialect | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!rounded = !tk.tile<128x64xbf16, register, row>
!column = !tk.vector<128xf32, register, column>
%s, %v, %p = "test.values"() : () -> (!tile, !column, !rounded)
// CHECK: %[[V:.+]]:3 = "test.values"
// CHECK: %[[HALF:.+]] = tk.slice %[[V]]#0[0, 32] : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x32xf32, register, row>
%half = tk.slice %s[0, 32] : !tile -> !tk.tile<128x32xf32, register, row>
// CHECK: tk.slice %[[V]]#0[0, 63] : !tk.tile<128x64xf32, register, row> -> !tk.vector<128xf32, register, column>
%last = tk.slice %s[0, 63] : !tile -> !column
// CHECK: %[[PART:.+]] = tk.slice %[[V]]#1[16] : !tk.vector<128xf32, register, column> -> !tk.vector<64xf32, register, column>
%part = tk.slice %v[16] : !column -> !tk.vector<64xf32, register, column>
// CHECK: tk.concat columns %[[HALF]], %[[HALF]] : !tk.tile<128x32xf32, register, row>, !tk.tile<128x32xf32, register, row> -> !tk.tile<128x64xf32, register, row>
%whole = tk.concat columns %half, %half : !tk.tile<128x32xf32, register, row>, !tk.tile<128x32xf32, register, row> -> !tile
// CHECK: tk.concat rows %[[PART]], %[[PART]] : !tk.vector<64xf32, register, column>, !tk.vector<64xf32, register, column> -> !tk.vector<128xf32, register, column>
%ends = tk.concat rows %part, %part : !tk.vector<64xf32, register, column>, !tk.vector<64xf32, register, column> -> !column
// CHECK: %[[EVEN:.+]] = tk.deinterleave %[[V]]#0 : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x32xf32, register, row>
%even = tk.deinterleave %s : !tile -> !tk.tile<128x32xf32, register, row>
// CHECK: %[[ODD:.+]] = tk.deinterleave odd %[[V]]#0 : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x32xf32, register, row>
%odd = tk.deinterleave odd %s : !tile -> !tk.tile<128x32xf32, register, row>
// CHECK: tk.interleave %[[EVEN]], %[[ODD]] : !tk.tile<128x32xf32, register, row> -> !tk.tile<128x64xf32, register, row>
%pairs = tk.interleave %even, %odd : !tk.tile<128x32xf32, register, row> -> !tile
// CHECK: tk.swap_pairs %[[V]]#0 : !tk.tile<128x64xf32, register, row>
%flipped = tk.swap_pairs %s : !tile
// CHECK: tk.swap_layout %[[V]]#2 : !tk.tile<128x64xbf16, register, row> -> !tk.tile<128x64xbf16, register, col>
%swapped = tk.swap_layout %p : !rounded -> !tk.tile<128x64xbf16, register, col>
// CHECK: tk.transpose %[[V]]#2 : !tk.tile<128x64xbf16, register, row> -> !tk.tile<64x128xbf16, register, col>
%transposed = tk.transpose %p : !rounded -> !tk.tile<64x128xbf16, register, col>

// Tests parts of shared tiles whose place is computed.
// CHECK-LABEL: tk.kernel @own
// CHECK: tk.slice %{{.*}}[0, 64] plus(%{{.*}}, %{{.*}}) : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x32xbf16, shared>
tk.kernel @own(%A: !tk.global<?x128xbf16>, %n: i32) {
  %own = tk.load %A[%n, %n] : <?x128xbf16> -> !tk.tile<64x128xbf16, shared>
  %third = tk.slice %own[0, 64] plus(%n, %n) : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x32xbf16, shared>
}
