// Tests two warpgroups that share a buffer.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<4, 64x64xbf16>
  %scratch = hopper.alloc_ring "scratch" : !hopper.ring<1, 8x64xf32>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %first = arith.muli %c0, %c2 : i32
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %parity = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %parity : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.sync_warpgroup because "free"
        // expected-error @below {{consumer 1 may overwrite 'staging[0]' before the write into it has landed}}
        // expected-note @below {{consumer 0 writes it here}}
        // expected-note @below {{consumer 0: writes staging[0]}}
        // expected-note @below {{consumer 1: writes staging[0]}}
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "written"
        hopper.tma_store %slot to %C[%m, %slice] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "the end"
  }
}
