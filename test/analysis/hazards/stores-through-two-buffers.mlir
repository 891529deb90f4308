// Tests that an even number of slices through two buffers meets the store before last, in the loop and round it.
// Nothing is written before TMA sees it, and shared memory outlives the last stores.

// RUN: %tk-opt %s --test-hazards --verify-diagnostics -o /dev/null

// Nothing is written before TMA sees it, and shared memory outlives the last stores.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  // expected-remark @below {{store reading, pending 0}}
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
        // expected-remark @below {{store reading, pending 1}}
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        // expected-remark @below {{write unfenced}}
        hopper.tma_store %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
      } {hopper.unroll}
    }
  }
}
