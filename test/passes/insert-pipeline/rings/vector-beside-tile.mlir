// Tests that a vector which is used while a tile is lands with the tile, on its barrier. One that outlives the tile has a
// barrier of its own, or the tile's stage would be given back late.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!acc = !tk.tile<64x64xf32, register, row>
!b = !tk.tile<64x64xbf16, shared>
!v = !tk.vector<64xf32, shared>
!row = !tk.vector<64xf32, register, row>

// CHECK-LABEL: hopper.kernel @vectors
// CHECK: hopper.alloc_barrier "b_full" {{.+}} 8448 TMA bytes
// CHECK: hopper.alloc_barrier "late_full" {{.+}} 256 TMA bytes
tk.kernel @vectors(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %V: !tk.global<?xf32> {tk.name = "V"}, %C: !tk.global<?x64xf32> {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %o = tk.fill %zero : !acc
    %a = tk.load %A[%m, %c0] : !tk.global<?x64xbf16> -> !b loc("a")
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %o) -> (!acc) : i32 {
      %b = tk.load %A[%j, %c0] : !tk.global<?x64xbf16> -> !b loc("b")
      %within = tk.load %V[%j] : !tk.global<?xf32> -> !v loc("within")
      %late = tk.load %V[%j] : !tk.global<?xf32> -> !v loc("late")
      %f = tk.fill %zero : !acc
      %s = tk.mma ABt %f, %a, %b : !acc, !b, !b
      %x = tk.read %within : !v -> !row
      %p = tk.map (%e = %s : !acc, %y = %x : !row) -> !tk.tile<64x64xbf16, register, row> {
        %d = arith.addf %e, %y : f32
        %t = arith.truncf %d : f32 to bf16
        tk.yield %t : bf16
      }
      %g = tk.fill %zero : !acc
      %q = tk.mma AB %g, %p, %b : !acc, !tk.tile<64x64xbf16, register, row>, !b
      %z = tk.read %late : !v -> !row
      %next = tk.map (%e = %q : !acc, %y = %z : !row, %h = %sum : !acc) -> !acc {
        %d = arith.mulf %e, %y : f32
        %i = arith.addf %d, %h : f32
        tk.yield %i : f32
      }
      scf.yield %next : !acc
    } {tk.pipeline = #tk.pipeline<stages = 0, overlap = false>}
    tk.store %C[%m, %c0], %r : !tk.global<?x64xf32>, !acc
  }
}
