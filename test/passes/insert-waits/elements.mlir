// Tests that every role which reads an element of a tensor waits for the kernel before this one first, and that no element
// is read before the roles, even if it is the same for all tiles. Out of a loop it may move.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --cse --tk-assign-variables --tk-insert-waits | FileCheck %s

// CHECK-LABEL: hopper.kernel @elements
// CHECK-NOT: tk.element
// CHECK: hopper.role producer
// CHECK: hopper.wait_grid_dependency because "the kernel before this one may still be writing A and E, or reading C"
// CHECK: hopper.tile_loop
// CHECK: tk.element
// CHECK: hopper.role consumer
// CHECK: hopper.wait_grid_dependency because "the kernel before this one may still be writing E, or reading C"
// CHECK: hopper.tile_loop
// CHECK: tk.element
// CHECK: scf.for
// CHECK-NOT: tk.element
tk.kernel @elements(%A: !tk.global<?x?xf32> {tk.name = "A"}, %E: !tk.global<?xi32> {tk.name = "E"}, %C: !tk.global<?x?xf32> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = tk.extent %A, 1 : !tk.global<?x?xf32>
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %row = tk.element %E[%m] : !tk.global<?xi32> -> i32
    %start = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %last = tk.element %E[%c0] : !tk.global<?xi32> -> i32
      %f = arith.sitofp %last : i32 to f32
      %a = tk.load %A[%row, %k] : !tk.global<?x?xf32> -> !tk.tile<64x64xf32, shared>
      %x = tk.read %a : !tk.tile<64x64xf32, shared> -> !tk.tile<64x64xf32, register, row>
      %next = tk.map (%p = %acc : !tk.tile<64x64xf32, register, row>, %q = %x : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
        %r = arith.mulf %q, %f : f32
        %s = arith.addf %p, %r : f32
        tk.yield %s : f32
      }
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %c0], %sum : !tk.global<?x?xf32>, !tk.tile<64x64xf32, register, row>
  }
}
