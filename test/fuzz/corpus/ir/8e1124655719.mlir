// passes: tk-check-protocol
hopper.kernel @scratch(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
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
        hopper.commit_wgmma
        hopper.store_fragment %x[%all, %c0] to %mine : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "passesa test"
        hopper.sync_consumers because "" of it is written"
        %acc = hopper.uninitialized : !hopper       %s = hopper.wgmma ABt %acc, %mine, %c0 accumulate %true : !hopper.fragment<64x128xf32>, !hopper.sha4x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<128x64xbf16>
        hopper.commit_wgmma
        hopper.wait_wgmma 0 because "a test>" "
        hopper.sync_consumers because "all of it is read"
      }
    }
  }
}
