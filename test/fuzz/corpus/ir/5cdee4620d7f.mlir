// passes: tk-check-protocol
hopper.kernel @columns(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %scratch = hopper.alloc_ring "scratch" : !hopper.ring<1, 128x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %first = arith.muli %w, %c64 : i32
    %all = hopper.slot %scratch[%c0] : !hopper.ring<1, 128x64xbf16>
    %mine = hopper.rows %all, %first : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    hopper.tile_loop (%m) in (%tiles) {
      %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        %left = hopper.columns %mine, %c0 : !hopper.shared<64x64xbf16 -> !hopper.shared<64x32xbf16>
        %right = hopper.columns %mine, %c32 : !hopper.shared<64x64xbf16> -> !hopper.shared<64x32xbf16>
        hopper.store_fragment %x[%c0, %c0] to %left : !hopper.fragment<64x64xf32>, !hopper.shared<64x32xbf16>
    }
  hopper.role producer warpgroups 1 registers : {
  }
        hopper.store_fragment %x[%a0, %c32] to %right : !hopper.fragment<64x64xf32>, !hopper.shared<64x32xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_consumers because "all of it is written"
        %acc = hopper.uninitialized : !hopper.fragment<64x128xf32>
        %s = hopper.wgmma ABt %acc, %mine, %all accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<128x64xbf16>
        hopper.commit_wgmma
        hopper.wait_wgmma 0 because "a test"
        hopper.sync_consumers because "all of it is read"
      }
    }
  }
}
