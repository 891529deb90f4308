// Tests that sums which the loop reads stay with the threads: those of an MMA are known after its wait only.

// RUN: %tk-opt %s --tk-row-sums-on-tensor-cores --canonicalize | FileCheck %s

// CHECK-LABEL: tk.kernel @read_in_loop
// CHECK: tk.reduce add rows
// CHECK-NOT: sums
tk.kernel @read_in_loop(%V: !tk.global<?x64xbf16> {tk.name = "V"}, %O: !tk.global<?x64xf32> {tk.name = "O"}, %L: !tk.global<?xf32> {tk.name = "L"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  tk.grid (%m) in (%n) {
    %o0 = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %t0 = tk.fill %zero : !tk.vector<64xf32, register, column>
    %s = tk.fill %one : !tk.tile<64x64xf32, register, row>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0, %t = %t0) -> (!tk.tile<64x64xf32, register, row>, !tk.vector<64xf32, register, column>) : i32 {
      %v = tk.load %V[%j, %c0] : <?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      %p = tk.map (%x = %s : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xbf16, register, row> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %w = tk.map (%x = %p : !tk.tile<64x64xbf16, register, row>) -> !tk.tile<64x64xf32, register, row> {
        %0 = arith.extf %x : bf16 to f32
        tk.yield %0 : f32
      }
      %sum = tk.reduce add rows %w : !tk.tile<64x64xf32, register, row> -> !tk.vector<64xf32, register, column>
      %seen = tk.map (%a = %t : !tk.vector<64xf32, register, column>) -> !tk.vector<64xf32, register, column> {
        %0 = math.exp2 %a : f32
        tk.yield %0 : f32
      }
      tk.store %L[%j], %seen : <?xf32>, !tk.vector<64xf32, register, column>
      %alpha = tk.reduce max rows %s : !tk.tile<64x64xf32, register, row> -> !tk.vector<64xf32, register, column>
      %other = tk.reduce min rows %s : !tk.tile<64x64xf32, register, row> -> !tk.vector<64xf32, register, column>
      %t1 = tk.map (%a = %t : !tk.vector<64xf32, register, column>, %f = %alpha : !tk.vector<64xf32, register, column>, %b = %sum : !tk.vector<64xf32, register, column>) -> !tk.vector<64xf32, register, column> {
        %0 = arith.mulf %a, %f : f32
        %1 = arith.addf %0, %b : f32
        tk.yield %1 : f32
      }
      %o1 = tk.map (%a = %o : !tk.tile<64x64xf32, register, row>, %f = %alpha : !tk.vector<64xf32, register, column>) -> !tk.tile<64x64xf32, register, row> {
        %0 = arith.mulf %a, %f : f32
        tk.yield %0 : f32
      }
      %o2 = tk.mma AB %o1, %p, %v : <64x64xf32, register, row>, <64x64xbf16, register, row>, <64x64xbf16, shared>
      scf.yield %o2, %t1 : !tk.tile<64x64xf32, register, row>, !tk.vector<64xf32, register, column>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %L[%m], %r#1 : <?xf32>, !tk.vector<64xf32, register, column>
    tk.store %O[%m, %c0], %r#0 : <?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
