// Tests a stage that threads have read and give back without a proxy fence.

// RUN: not %tk-opt %s --tk-check-protocol 2>&1 | FileCheck %s

// CHECK: :[[# @LINE+20]]:7: error: TMA may overwrite 'a[0]' while threads still read it: a proxy fence is missing in between the read and the arrival
// CHECK: note: consumer reads it here

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.fence_barrier_init because "a test"
  hopper.sync_block because "a test"
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
      %at = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
      %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
      %x = hopper.load_fragment %at : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
      hopper.arrive %empty[%use] : !hopper.barrier<2>
      hopper.advance %use : !hopper.cursor<2>
    }
  }
}
