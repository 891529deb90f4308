// Tests that an index of elements is the coordinate itself, and that others count tiles.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize | FileCheck %s

// CHECK-LABEL: hopper.kernel @offset
// CHECK: hopper.role producer
// CHECK: %[[ROW:.+]] = arith.muli %[[M:.+]], %c64
// CHECK: hopper.tma_load %{{.+}}[%[[ROW]], %[[M]]]
// CHECK-NOT: tk.offset
tk.kernel @offset(%X: !tk.global<?x?xbf16> {tk.name = "X"}, %C: !tk.global<?x?xf32> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c4) {
    %acc = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %left = tk.offset %m
    %x = tk.load %X[%m, %left] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %b = tk.mma ABt %acc, %x, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
    tk.store %C[%m, %c0], %b : !tk.global<?x?xf32>, !tk.tile<64x64xf32, register, row>
  }
}
