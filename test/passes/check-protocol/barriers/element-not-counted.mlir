// Tests that the arrival of an element that lands by itself must be counted.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %E: !tk.global<?x?xf32> {tk.name = "E"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  %e = hopper.alloc_ring "e" {offset = 16384 : i64, swizzle = 0 : i64} : !hopper.ring<2, 1x32xf32>
  // expected-note @below {{it completes with 1 arrival}}
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
      // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
      %at = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
      // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
      %et = hopper.stage %e[%fill] : !hopper.ring<2, 1x32xf32>
      // expected-error @below {{phase 0 of 'full[0]' completes before this: its count is too small, or the cursor stands on a stage that was done}}
      // expected-note @below {{producer: copies an element into e[0] for full[0], phase 0}}
      hopper.copy_element %E[%m, %c0] to %et signals %full[%fill] : !tk.global<?x?xf32>, !hopper.shared<1x32xf32>, !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
      %et = hopper.stage %e[%use] : !hopper.ring<2, 1x32xf32>
      %x = hopper.load_element %et : !hopper.shared<1x32xf32> -> f32
      hopper.fence_async_proxy because "a test"
      hopper.arrive %empty[%use] : !hopper.barrier<2>
      hopper.advance %use : !hopper.cursor<2>
    }
  }
}
