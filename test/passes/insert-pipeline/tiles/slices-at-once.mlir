// Tests a store in a loop whose slices have a buffer each: the warpgroup writes all of them, meets once, and then the
// leader stores them. Another store of the kernel does not change that, as long as the slices keep their buffers.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --tk-insert-waits | FileCheck %s

!x = !tk.tile<64x64xf32, register, row>
!C = !tk.global<?x64xf32>

// CHECK-LABEL: hopper.kernel @sums
// CHECK: hopper.role consumer
// CHECK: scf.for
// CHECK: hopper.wait_stores_read 0 because "the stores before these have read their buffers"
// CHECK-NEXT: hopper.sync_warpgroup
// CHECK-NEXT: scf.for
// CHECK-NOT: hopper.tma_store
// CHECK: hopper.store_fragment
// CHECK-NEXT: } {hopper.unroll}
// CHECK: hopper.fence_async_proxy
// CHECK-NEXT: hopper.sync_warpgroup
// CHECK-NEXT: scf.for
// CHECK-NOT: hopper.sync
// CHECK: hopper.tma_store accumulate
// CHECK: } {hopper.unroll}
//
// After the loop they ping-pong as ever.
// CHECK: scf.for
// CHECK: hopper.sync_warpgroup
// CHECK: hopper.store_fragment
// CHECK: hopper.sync_warpgroup
// CHECK: hopper.tma_store accumulate
tk.kernel @sums(%A: !C {tk.name = "A"}, %C: !C {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%n) {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %a = tk.load %A[%j, %c0] : !C -> !tk.tile<64x64xf32, shared> loc("a")
      %x = tk.read %a : !tk.tile<64x64xf32, shared> -> !x
      tk.store accumulate %C[%j, %c0], %x : !C, !x
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %b = tk.load %A[%m, %c0] : !C -> !tk.tile<64x64xf32, shared> loc("b")
    %y = tk.read %b : !tk.tile<64x64xf32, shared> -> !x
    tk.store accumulate %C[%m, %c0], %y : !C, !x
  }
}
