// Tests that an MMA whose result stays in the loop is the consumers', of which there is one then.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// CHECK-LABEL: tk.kernel @gathered
// CHECK-SAME: consumers = 1 : i64
// CHECK-NOT: tk.reducer
tk.kernel @gathered(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x64xbf16> {tk.name = "K"}, %O: !tk.global<?x64xbf16> {tk.name = "O"}, %G: !tk.global<?x64xf32> {tk.name = "G"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  tk.grid (%n) in (%c4) {
    %k = tk.load %K[%n, %c0] : !tk.global<?x64xbf16> -> !tk.tile<128x64xbf16, shared> loc("k")
    %none = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    %start = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %all = tk.alloc : !tk.tile<128x64xbf16, shared> loc("all")
    %sum:2 = scf.for %m = %c0 to %c4 step %c1 iter_args(%o = %none, %kept = %start) -> (!tk.tile<128x64xf32, register, row>, !tk.tile<64x64xf32, register, row>) : i32 {
      %q = tk.load %Q[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("q")
      %s = tk.mma ABt %none, %k, %q : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %w = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xbf16, register, row> {
        %narrow = arith.truncf %x : f32 to bf16
        tk.yield %narrow : bf16
      }
      %written = tk.write %w to %all : !tk.tile<128x64xbf16, register, row>, !tk.tile<128x64xbf16, shared>
      %next = tk.mma AB %o, %w, %q : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      %empty = tk.fill %zero : !tk.tile<64x64xf32, register, row>
      %g = tk.mma AtB %empty, %written, %k : !tk.tile<64x64xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<128x64xbf16, shared>
      %scaled = tk.map (%x = %g : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
        %halved = arith.mulf %x, %half : f32
        tk.yield %halved : f32
      }
      tk.store accumulate %G[%m, %c0], %scaled : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
      scf.yield %next, %scaled : !tk.tile<128x64xf32, register, row>, !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store accumulate %G[%n, %c0], %sum#1 : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
    tk.store %O[%n, %c0], %sum#0 : !tk.global<?x64xbf16>, !tk.tile<128x64xf32, register, row>
  }
}
