// Tests a kernel that loads nothing: no producer, no barriers.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK-LABEL: hopper.kernel @k
// CHECK-NOT: hopper.alloc_barrier
// CHECK-NOT: producer
// CHECK: hopper.role consumer warpgroups 2 {
// CHECK: hopper.fill
// CHECK-NOT: scf.for
// CHECK: hopper.store_fragment
tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c4) {
    %t = tk.fill %zero : !tk.tile<128x64xf32, register, row>

    tk.store %C[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, row>
  }
}
