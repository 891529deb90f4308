// Tests a ring that two consumers write, each its rows, and hand over to a reducer.

// RUN: %tk-opt %s --tk-check-protocol -o /dev/null

hopper.kernel @k(%C: !tk.global<?xf32> {tk.name = "C"}, %n: i32) attributes {pdl = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %ds = hopper.alloc_ring "ds" : !hopper.ring<2, 128x64xbf16>
  %full = hopper.alloc_barrier "ds_full" arrivals 8 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "ds_empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.sync_block because "a test"
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %fill = hopper.cursor "ds_fill" : !hopper.cursor<2>
    %first = arith.muli %w, %c64 : i32
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    scf.for %j = %c0 to %n step %c1 : i32 {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
      %stage = hopper.stage %ds[%fill] : !hopper.ring<2, 128x64xbf16>
      %own = hopper.rows %stage, %first : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
      hopper.store_fragment %x[%c0, %c0] to %own : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.fence_async_proxy because "a test"
      hopper.arrive %full[%fill] : !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
  }
  hopper.role reducer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "ds_use" : !hopper.cursor<2>
    scf.for %j = %c0 to %n step %c1 : i32 {
      hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
      %stage = hopper.stage %ds[%use] : !hopper.ring<2, 128x64xbf16>
      %none = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %d = hopper.wgmma AtB %none, %stage, %stage accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<128x64xbf16>, !hopper.shared<128x64xbf16>
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "a test"
      hopper.arrive %empty[%use] : !hopper.barrier<2>
      hopper.advance %use : !hopper.cursor<2>
    }
  }
}
