// Tests that an exponential whose result is stored as a float, itself or as a factor, stays one, and that others become exp2:
// one that is stored with 16 bits, and one that is added to something.

// RUN: %tk-opt %s -allow-unregistered-dialect -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<128x64xf32, register, row>
!narrow = !tk.tile<128x64xbf16, register, row>

%x, %m, %Y, %Z = "test.x"() : () -> (!tile, i32, !tk.global<?x?xf32>, !tk.global<?x?xbf16>)

// CHECK: math.exp %
// CHECK: arith.mulf
// CHECK-NOT: math.exp2
// CHECK: tk.store
%e = tk.map (%a = %x : !tile) -> !tile {
  %0 = math.exp %a : f32
  tk.yield %0 : f32
}
%scaled = tk.map (%a = %e : !tile, %b = %x : !tile) -> !tile {
  %0 = arith.mulf %a, %b : f32
  tk.yield %0 : f32
}
tk.store %Y[%m, %m], %scaled : !tk.global<?x?xf32>, !tile

// CHECK-NOT: math.exp %
// CHECK: math.exp2
// CHECK: tk.store
%f = tk.map (%a = %x : !tile) -> !narrow {
  %0 = math.exp %a : f32
  %1 = arith.truncf %0 : f32 to bf16
  tk.yield %1 : bf16
}
tk.store %Z[%m, %m], %f : !tk.global<?x?xbf16>, !narrow

// CHECK-NOT: math.exp %
// CHECK: math.exp2
// CHECK: tk.store
%g = tk.map (%a = %x : !tile) -> !tile {
  %0 = math.exp %a : f32
  %1 = arith.addf %0, %a : f32
  tk.yield %1 : f32
}
tk.store %Y[%m, %m], %g : !tk.global<?x?xf32>, !tile
