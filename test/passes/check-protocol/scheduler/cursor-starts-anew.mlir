// Tests a second loop over dynamically scheduled tiles: both begin at the first slot, and take its phase for the first one.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  // expected-note @below {{it completes with 1 arrival}}
  hopper.tile_scheduler readers 4
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    // expected-note @below {{producer: arrives at tile_scheduler full[0], phase 0}}
    hopper.tile_loop (%m) in (%tiles) attributes {dynamic} {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
      %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
    // expected-error @below {{phase 0 of 'tile_scheduler full[0]' completes before this: its count is too small, or the cursor stands on a stage that was done}}
    // expected-note @below {{producer: arrives at tile_scheduler full[0], phase 0}}
    hopper.tile_loop (%m) in (%tiles) attributes {dynamic} {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
      %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) attributes {dynamic} {
      hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
      %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
      %x = hopper.load_fragment %at : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
      hopper.arrive %empty[%use] : !hopper.barrier<2>
      hopper.advance %use : !hopper.cursor<2>
    }
    hopper.tile_loop (%m) in (%tiles) attributes {dynamic} {
      hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
      %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
      %x = hopper.load_fragment %at : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
      hopper.arrive %empty[%use] : !hopper.barrier<2>
      hopper.advance %use : !hopper.cursor<2>
    }
  }
}
