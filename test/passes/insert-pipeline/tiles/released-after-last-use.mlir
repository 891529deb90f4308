// Tests that a stage is given back after its last use also where a scalar stands there that leaves the loop.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!tile = !tk.tile<128x64xbf16, shared>
!half = !tk.tile<128x64xbf16, register, row>
!A = !tk.global<?x?xbf16>

// CHECK-LABEL: hopper.kernel @invariant
// CHECK: hopper.role consumer
// CHECK: scf.for
// CHECK: hopper.load_fragment
// CHECK-NEXT: hopper.arrive
// CHECK: hopper.store_fragment
tk.kernel @invariant(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    scf.for %k = %c0 to %n step %c1 : i32 {
      %a = tk.load %A[%m, %k] : !A -> !tile loc("a")
      %x = tk.read %a : !tile -> !half
      %row = arith.addi %n, %c1 : i32
      tk.store %C[%row, %k], %x : !A, !half
    }
  }
}
