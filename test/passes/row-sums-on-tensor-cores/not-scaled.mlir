// Tests that sums which nothing scales become columns of an MMA which nothing scales, of f16 as well.

// RUN: %tk-opt %s --tk-row-sums-on-tensor-cores --canonicalize | FileCheck %s

// CHECK-LABEL: tk.kernel @plain
// CHECK: scf.for {{.*}} iter_args(%[[WIDE:[^ ]+]] = %{{.*}}) -> (!tk.tile<64x136xf32, register, row>)
// CHECK-NOT: tk.reduce add
// CHECK: tk.mma AB %[[WIDE]], %{{.*}} {sums}
tk.kernel @plain(%V: !tk.global<?x128xf16> {tk.name = "V"}, %O: !tk.global<?x128xf32> {tk.name = "O"}, %L: !tk.global<?xf32> {tk.name = "L"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  tk.grid (%m) in (%n) {
    %o0 = tk.fill %zero : !tk.tile<64x128xf32, register, row>
    %t0 = tk.fill %zero : !tk.vector<64xf32, register, column>
    %s = tk.fill %one : !tk.tile<64x64xf32, register, row>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0, %t = %t0) -> (!tk.tile<64x128xf32, register, row>, !tk.vector<64xf32, register, column>) : i32 {
      %v = tk.load %V[%j, %c0] : <?x128xf16> -> !tk.tile<64x128xf16, shared>
      %p = tk.map (%x = %s : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf16, register, row> {
        %0 = arith.truncf %x : f32 to f16
        tk.yield %0 : f16
      }
      %w = tk.map (%x = %p : !tk.tile<64x64xf16, register, row>) -> !tk.tile<64x64xf32, register, row> {
        %0 = arith.extf %x : f16 to f32
        tk.yield %0 : f32
      }
      %sum = tk.reduce add rows %w : !tk.tile<64x64xf32, register, row> -> !tk.vector<64xf32, register, column>
      %t1 = tk.map (%a = %t : !tk.vector<64xf32, register, column>, %b = %sum : !tk.vector<64xf32, register, column>) -> !tk.vector<64xf32, register, column> {
        %0 = arith.addf %b, %a : f32
        tk.yield %0 : f32
      }
      %o2 = tk.mma AB %o, %p, %v : <64x128xf32, register, row>, <64x64xf16, register, row>, <64x128xf16, shared>
      scf.yield %o2, %t1 : !tk.tile<64x128xf32, register, row>, !tk.vector<64xf32, register, column>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %L[%m], %r#1 : <?xf32>, !tk.vector<64xf32, register, column>
    tk.store %O[%m, %c0], %r#0 : <?x128xf32>, !tk.tile<64x128xf32, register, row>
  }
}
