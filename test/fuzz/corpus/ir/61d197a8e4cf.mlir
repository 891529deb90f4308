// passes: tk-check-protocol
hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32, %n: i32) {
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
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        // expected-note @below {{consumer 0: comes to named barrier 5 for 256 threads}}
        // expected-note @below {{consumer 1: comes to named barrier 5 for 256 threads}}
        hopper.sync_consumers because "all of it is written"
        %acc = hopper.uninitialized : !hopper.fragment<25x128xf32>
        %s = hopper.wgmma ABt %acc, %mine, %all accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<128x64xbf16>
        hopper.commit_wgmma
        hopper.wait_wgmma 0 because "a test"
        %leads = arith.cmpi eq, %w, %c0 : i32
        scf.if %leads {
          // expected-error @below {{the kernel hangs: nobody can go on}}
          // x-note @below {{consumer 0: waits at named barrier 5, to which 128 of 256 threads have come}}
          // expected-note @below {{consumer 0: comes to named barrier 5 for 256 threads}}
          hopper.sync_consumers because "all of it is read"
        }
      }
    }
  }
}
