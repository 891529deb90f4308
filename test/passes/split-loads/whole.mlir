// Tests that a tile stays whole in a pipeline that was not asked to have one stage, and where threads read it.

// RUN: %tk-opt %s --tk-split-loads | FileCheck %s --implicit-check-not=tk.is_part

!score = !tk.tile<64x64xf32, register, row>
!half = !tk.tile<64x128xf32, register, row>

// CHECK: tk.kernel @more_stages
tk.kernel @more_stages(%Q: !tk.global<?x?xbf16>, %K: !tk.global<?x?xbf16>, %O: !tk.global<?x?xf32>, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x320xbf16, shared>
    %o0 = tk.fill %zero : !half
    %t0 = tk.fill %zero : !tk.tile<64x16xf32, register, row>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0, %t = %t0) -> (!half, !tk.tile<64x16xf32, register, row>) : i32 {
      %k = tk.load %K[%j, %j] : !tk.global<?x?xbf16> -> !tk.tile<64x320xbf16, shared>
      %s0 = tk.fill %zero : !score
      %s = tk.mma ABt %s0, %q, %k : !score, !tk.tile<64x320xbf16, shared>, !tk.tile<64x320xbf16, shared>
      %p = tk.map (%x = %s : !score) -> !tk.tile<64x64xbf16, register, row> {
        %y = arith.truncf %x : f32 to bf16
        tk.yield %y : bf16
      }
      %left = tk.slice %k[0, 0] : !tk.tile<64x320xbf16, shared> -> !tk.tile<64x128xbf16, shared>
      %o1 = tk.mma AB %o, %p, %left : !half, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x128xbf16, shared>
      %some = tk.slice %k[0, 144] : !tk.tile<64x320xbf16, shared> -> !tk.tile<64x16xbf16, shared>
      %t1 = tk.mma AB %t, %p, %some : !tk.tile<64x16xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x16xbf16, shared>
      scf.yield %o1, %t1 : !half, !tk.tile<64x16xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 2>}
    tk.store %O[%m, %c0], %r#0 : !tk.global<?x?xf32>, !half
  }
}

// CHECK: tk.kernel @read_by_threads
tk.kernel @read_by_threads(%Q: !tk.global<?x?xbf16>, %K: !tk.global<?x?xbf16>, %O: !tk.global<?x?xf32>, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x320xbf16, shared>
    %o0 = tk.fill %zero : !half
    %t0 = tk.fill %zero : !tk.tile<64x16xf32, register, row>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0, %t = %t0) -> (!half, !tk.tile<64x16xf32, register, row>) : i32 {
      %k = tk.load %K[%j, %j] : !tk.global<?x?xbf16> -> !tk.tile<64x320xbf16, shared>
      %s0 = tk.fill %zero : !score
      %s = tk.mma ABt %s0, %q, %k : !score, !tk.tile<64x320xbf16, shared>, !tk.tile<64x320xbf16, shared>
      %p = tk.map (%x = %s : !score) -> !tk.tile<64x64xbf16, register, row> {
        %y = arith.truncf %x : f32 to bf16
        tk.yield %y : bf16
      }
      %x0 = tk.read %k : !tk.tile<64x320xbf16, shared> -> !tk.tile<64x320xbf16, register, row>
      %left = tk.slice %k[0, 0] : !tk.tile<64x320xbf16, shared> -> !tk.tile<64x128xbf16, shared>
      %o1 = tk.mma AB %o, %p, %left : !half, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x128xbf16, shared>
      %some = tk.slice %k[0, 144] : !tk.tile<64x320xbf16, shared> -> !tk.tile<64x16xbf16, shared>
      %t1 = tk.mma AB %t, %p, %some : !tk.tile<64x16xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x16xbf16, shared>
      scf.yield %o1, %t1 : !half, !tk.tile<64x16xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 1>}
    tk.store %O[%m, %c0], %r#0 : !tk.global<?x?xf32>, !half
  }
}
