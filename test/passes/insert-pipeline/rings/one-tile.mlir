// Tests that a block of one tile loads each tile to a place of its own, gives nothing back, and that a thread of the
// consumers starts the loads; unless a loop loads, too.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

// CHECK-LABEL: hopper.kernel @add
// CHECK-SAME: persistent = false
// CHECK: hopper.alloc_ring {{.*}} : <1, 64x64xf16>
// CHECK-NOT: hopper.alloc_barrier "{{.*}}empty
// CHECK: hopper.role producer warpgroups 1 attributes {hopper.joined} {
// CHECK-NOT: hopper.wait_barrier
// CHECK: hopper.tma_load
// CHECK: hopper.role consumer
// CHECK: hopper.wait_barrier {{.*}} because "{{.*}} has landed"
// CHECK-NOT: hopper.arrive
// CHECK: hopper.tma_store
tk.kernel @add(%A: !tk.global<?x64xf16> {tk.name = "A"}, %C: !tk.global<?x64xf16> {tk.name = "C"}) attributes {persistent = false} {
  %c0 = arith.constant 0 : i32
  %rows = tk.extent %A, 0 : !tk.global<?x64xf16>
  tk.grid (%m) in (%rows) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x64xf16> -> !tk.tile<64x64xf16, shared>
    %x = tk.read %a[%c0, %c0] : !tk.tile<64x64xf16, shared> -> !tk.tile<64x64xf16, register, row>
    tk.store %C[%m, %c0], %x : !tk.global<?x64xf16>, !tk.tile<64x64xf16, register, row>
  }
}

// CHECK-LABEL: hopper.kernel @sum
// CHECK: hopper.alloc_barrier "{{.*}}empty
// CHECK: hopper.role producer warpgroups 1 {
// CHECK: hopper.role consumer
tk.kernel @sum(%A: !tk.global<?x?xf16> {tk.name = "A"}, %C: !tk.global<?x64xf16> {tk.name = "C"}) attributes {persistent = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = tk.extent %A, 0 : !tk.global<?x?xf16>
  %cols = tk.extent %A, 1 : !tk.global<?x?xf16>
  tk.grid (%m) in (%rows) {
    scf.for %k = %c0 to %cols step %c1 : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xf16> -> !tk.tile<64x64xf16, shared>
      %x = tk.read %a[%c0, %c0] : !tk.tile<64x64xf16, shared> -> !tk.tile<64x64xf16, register, row>
      tk.store %C[%m, %c0], %x : !tk.global<?x64xf16>, !tk.tile<64x64xf16, register, row>
    }
  }
}
