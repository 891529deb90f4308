// Tests a store in four slices: the store before last has read the buffer, and what is written is visible to TMA.
// The warpgroup knows that the buffer is free.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK-LABEL: hopper.kernel @four
// CHECK: hopper.fill
// CHECK-NOT: hopper.wait_stores_read
// CHECK: scf.for
// CHECK: hopper.wait_stores_read 1 because "the store that used this buffer before has read it"
// CHECK-NEXT: hopper.sync_warpgroup because "the warpgroup knows the buffer is free"
// CHECK-NEXT: hopper.store_fragment
// CHECK-NEXT: hopper.fence_async_proxy because "TMA reads through another proxy what these threads wrote"
// CHECK-NEXT: hopper.sync_warpgroup because "all of the buffer is written"
// CHECK-NEXT: hopper.tma_store
// CHECK: hopper.wait_stores_read 0 because "shared memory must outlive the stores that read it"
hopper.kernel @four(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    hopper.wait_grid_dependency because "a test"
    hopper.tile_loop (%m) in (%c4) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
        %col = arith.muli %slice, %c2 : i32
        %parity = arith.remsi %slice, %c2 : i32
        %slot = hopper.slot %staging[%parity] : !hopper.ring<2, 64x64xbf16>
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.tma_store %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
      } {hopper.unroll}
    }
  }
}
