// Tests what tiles of all first indices have in common and keep in cache: tiles that loops load and tiles that they add to,
// here 64 columns of bf16 and of f32, 384 bytes a row. Vectors do not count.

// RUN: %tk-opt %s --tk-insert-pipeline | FileCheck %s

!Q = !tk.global<?x?x64xbf16>
!S = !tk.global<?x?x64xf32>
!acc = !tk.tile<64x64xf32, register, row>
!b = !tk.tile<64x64xbf16, shared>

// CHECK-LABEL: hopper.kernel @added
// CHECK: arith.divsi %c87381_i32, %{{.+}}
// CHECK: hopper.tile_scheduler readers 4 head_group %{{[^ ]+}}{{$}}
tk.kernel @added(%Q: !Q {tk.name = "Q"}, %K: !Q {tk.name = "K"}, %L: !tk.global<?x?xf32> {tk.name = "L"}, %S: !S {tk.name = "S"}) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %Q, 1 : !Q
  %heads = tk.extent %Q, 0 : !Q
  tk.grid (%n, %h) in (%tiles, %heads) {
    %k = tk.load %K[%h, %n, %c0] : !Q -> !b
    %left = arith.subi %tiles, %n : i32
    scf.for %i = %c0 to %left step %c1 : i32 {
      %j = arith.addi %n, %i : i32
      %q = tk.load %Q[%h, %j, %c0] : !Q -> !b
      %l = tk.load %L[%h, %j] : !tk.global<?x?xf32> -> !tk.vector<64xf32, shared>
      %f = tk.fill %zero : !acc
      %s = tk.mma ABt %f, %k, %q : !acc, !b, !b
      %v = tk.read %l : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, row>
      %d = tk.map (%e = %s : !acc, %y = %v : !tk.vector<64xf32, register, row>) -> !acc {
        %g = arith.subf %e, %y : f32
        tk.yield %g : f32
      }
      tk.store accumulate %S[%h, %j, %c0], %d : !S, !acc
    } {tk.pipeline = #tk.pipeline<stages = 0>}
  }
}
