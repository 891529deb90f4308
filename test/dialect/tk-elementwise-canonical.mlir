// Tests the canonical form of maps and of parts of tiles.
// RUN: %tk-opt %s -allow-unregistered-dialect -split-input-file -canonicalize -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>

// Tests that an operand no element needs goes, and coordinates with it.
// CHECK-LABEL: "test.unused"
// CHECK: tk.map (%[[X:.+]] = %{{.+}}#0 : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
// CHECK-NEXT: math.exp2 %[[X]]
%s, %t = "test.unused"() : () -> (!tile, !tile)
%p = tk.map (%x = %s : !tile, %y = %t : !tile) at (%r, %c) -> !tile {
  %0 = math.exp2 %x : f32
  tk.yield %0 : f32
}
"test.use"(%p) : (!tile) -> ()

// -----
!tile = !tk.tile<128x64xf32, register, row>
// Tests that an operand that is there twice is read once.
// CHECK-LABEL: "test.twice"
// CHECK: tk.map (%[[X:.+]] = %{{[^:]+}} : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
// CHECK-NEXT: arith.mulf %[[X]], %[[X]]
%s = "test.twice"() : () -> !tile
%p = tk.map (%x = %s : !tile, %y = %s : !tile) -> !tile {
  %0 = arith.mulf %x, %y : f32
  tk.yield %0 : f32
}
"test.use"(%p) : (!tile) -> ()

// -----
!tile = !tk.tile<128x64xf32, register, row>
// Tests that a result nobody uses is not computed, and an unchanged one is the operand itself.
// CHECK-LABEL: "test.results"
// CHECK: %[[P:.+]] = tk.map {{.*}} -> !tk.tile<128x64xf32, register, row> {
// CHECK-NEXT: math.exp2
// CHECK-NEXT: tk.yield %{{.+}} : f32
// CHECK: "test.use"(%[[P]], %{{.+}}#0)
%s, %c = "test.results"() : () -> (!tile, f32)
%p:3 = tk.map (%x = %s : !tile) -> (!tile, !tile, !tile) {
  %0 = math.exp2 %x : f32
  %1 = math.log2 %x : f32
  tk.yield %1, %0, %x : f32, f32, f32
}
"test.use"(%p#1, %p#2) : (!tile, !tile) -> ()

// -----
!tile = !tk.tile<128x64xf32, register, row>
// Tests that a part of a part is one part, and that swapping or transposing twice does nothing.
// CHECK-LABEL: "test.parts"
// CHECK-NEXT: %[[PART:.+]] = tk.slice %[[S:.+]]#0[0, 40] : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x16xf32, register, row>
// CHECK-NEXT: "test.use"(%[[PART]], %[[S]]#1, %[[S]]#1)
%s, %b = "test.parts"() : () -> (!tile, !tk.tile<64x64xbf16, register, row>)
%0 = tk.slice %s[0, 32] : !tile -> !tk.tile<128x32xf32, register, row>
%1 = tk.slice %0[0, 8] : !tk.tile<128x32xf32, register, row> -> !tk.tile<128x16xf32, register, row>
%2 = tk.swap_layout %b : !tk.tile<64x64xbf16, register, row> -> !tk.tile<64x64xbf16, register, col>
%3 = tk.swap_layout %2 : !tk.tile<64x64xbf16, register, col> -> !tk.tile<64x64xbf16, register, row>
%4 = tk.transpose %b : !tk.tile<64x64xbf16, register, row> -> !tk.tile<64x64xbf16, register, row>
%5 = tk.transpose %4 : !tk.tile<64x64xbf16, register, row> -> !tk.tile<64x64xbf16, register, row>
"test.use"(%1, %3, %5) : (!tk.tile<128x16xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, register, row>) -> ()
