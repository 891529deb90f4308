// Tests a store in three slices: the first one uses the buffer of the last store of the tile before.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK-LABEL: hopper.kernel @three
// CHECK: hopper.wait_stores_read 0 because "the stores before these have read their buffers"
// CHECK-NEXT: scf.for
// CHECK: hopper.wait_stores_read 1
// CHECK-NEXT: hopper.sync_warpgroup
hopper.kernel @three(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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
      %n = arith.constant 3 : i32
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
