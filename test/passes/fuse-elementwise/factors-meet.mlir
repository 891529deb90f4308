// Tests that two factors of an exponent meet only where one is a constant near 1: the product of others may overflow, or be
// zero, where the exponent does and is not.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>

// CHECK-LABEL: "test.factors"
// CHECK: tk.map
// CHECK-NEXT: %[[A:.+]] = arith.mulf %{{.+}}, %0#1 : f32
// CHECK-NEXT: %[[B:.+]] = arith.mulf %[[A]], %0#2 : f32
// CHECK-NEXT: math.exp2 %[[B]] : f32
%s, %a, %b = "test.factors"() : () -> (!tile, f32, f32)
%p = tk.map (%x = %s : !tile) -> !tile {
  %0 = arith.mulf %x, %a : f32
  %1 = arith.mulf %0, %b : f32
  %2 = math.exp2 %1 : f32
  tk.yield %2 : f32
}
"test.use"(%p) : (!tile) -> ()

// CHECK-LABEL: "test.large"
// CHECK: tk.map
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: math.exp2
%t, %c = "test.large"() : () -> (!tile, f32)
%q = tk.map (%x = %t : !tile) -> !tile {
  %large = arith.constant 1.0e30 : f32
  %0 = arith.mulf %x, %c : f32
  %1 = arith.mulf %0, %large : f32
  %2 = math.exp2 %1 : f32
  tk.yield %2 : f32
}
"test.use"(%q) : (!tile) -> ()
