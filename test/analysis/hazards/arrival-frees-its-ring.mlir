// Tests that an arrival frees the tiles that loads overwrite after its barrier, and not those that only threads write: the
// MMA of such tiles, the newest, may stay in flight.

// RUN: %tk-opt %s --test-hazards --verify-diagnostics -o /dev/null

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
  // expected-remark @below {{MMA in flight, pending 0}}
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<4>
    %own = hopper.slot %p[%c0] : !hopper.ring<1, 64x64xbf16>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    hopper.store_fragment %x[%c0, %c0] to %own : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.fence_async_proxy because "a test"
    hopper.sync_warpgroup because "a test"
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
      %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
      %s0 = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("s")
      %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("o")
      hopper.fence_registers because "a test"
      %s = hopper.wgmma ABt %s0, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      %o = hopper.wgmma ABt %o0, %own, %own accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      // expected-remark @below {{MMA in flight, pending 1, from before}}
      hopper.arrive %empty[%use] : !hopper.barrier<4>
      hopper.advance %use : !hopper.cursor<4>
    }
  }
}
