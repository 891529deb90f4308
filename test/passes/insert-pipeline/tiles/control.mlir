// Tests that both roles keep of two loops and two branches what concerns them.
// One of the loops stands in a branch, with a load after them, and one of the branches gives a tile. The branch's loop
// may not run, so the last stage is given back only if it did.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!tile = !tk.tile<128x64xbf16, shared>
!acc = !tk.tile<128x64xf32, register, row>
!A = !tk.global<?x?xbf16>

// CHECK-LABEL: hopper.kernel @control
// CHECK: hopper.role producer
// CHECK: scf.for
// CHECK: hopper.tma_load %arg0
// CHECK: scf.if %arg2 {
// CHECK-NEXT: scf.for
// CHECK: hopper.tma_load %arg0
// CHECK-NOT: else
// CHECK: hopper.tma_load %arg0
// CHECK: hopper.role consumer
// CHECK: scf.for
// CHECK: %[[GIVEN:.+]] = scf.if %arg2 -> (!hopper.fragment<64x64xf32>) {
// CHECK: scf.for
// CHECK: distance 1
// CHECK: scf.yield
// CHECK: %[[HAS_ITERATED:.+]] = arith.cmpi sgt, %arg3, %c0
// CHECK-NEXT: scf.if %[[HAS_ITERATED]] {
// CHECK-NEXT: hopper.arrive
// CHECK: scf.yield %{{.+}} : !hopper.fragment<64x64xf32>
// CHECK: } else {
// CHECK: scf.yield %{{.+}} : !hopper.fragment<64x64xf32>
// CHECK: hopper.wait_barrier {{.+}} because "c and d of this stage have landed"
// CHECK: hopper.wgmma ABt %[[GIVEN]]
tk.kernel @control(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}, %flag: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 1.0 : f32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %zero : !acc
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %t) -> (!acc) : i32 {
      %a = tk.load %A[%m, %k] : !A -> !tile loc("a")
      %b = tk.load %A[%k, %m] : !A -> !tk.tile<64x64xbf16, shared> loc("b")
      %next = tk.mma AB %acc, %a, %b : !acc, !tile, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !acc
    }
    %g = scf.if %flag -> (!acc) {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %s) -> (!acc) : i32 {
        %a = tk.load %A[%m, %k] : !A -> !tile loc("d")
        %b = tk.load %A[%k, %m] : !A -> !tk.tile<64x64xbf16, shared> loc("e")
        %next = tk.mma AB %acc, %a, %b : !acc, !tile, !tk.tile<64x64xbf16, shared>
        scf.yield %next : !acc
      }
      scf.yield %r : !acc
    } else {
      %u = tk.map (%x = %s : !acc) -> !acc {
        %y = arith.negf %x : f32
        tk.yield %y : f32
      }
      scf.yield %u : !acc
    }
    %c = tk.load %A[%m, %m] : !A -> !tile loc("c")
    %d = tk.load %A[%m, %m] : !A -> !tk.tile<64x64xbf16, shared> loc("d")
    %last = tk.mma ABt %g, %c, %d : !acc, !tile, !tk.tile<64x64xbf16, shared>
    tk.store %C[%m, %c0], %last : !A, !acc
  }
}
