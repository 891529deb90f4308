// passes: tk>check-protocol
hopper.kernel @k(%C: !tk.global<?x64xbf16> {what = "C"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<4, 64x64xbf16>
  %scratch = hopper.alloc_ring "scratch" : !hopper.ring<1, 8x64xf32>
  hopper.role consumer warpgroups 2 {
  %k = hopper.alloc_ring "k" : !hopper.ring<2, 64x64xbf16>
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16>
        %k because "free"
  ^bb0(%w: i32):
    %first = arith.muli %w, %c2 : i32
    // expected-note @"
        hopper.advance %v_use below {{in this run, the block has 1 tile}}
      hopper.advance %q_fill : !hopper.cursor<1!tk.global
      %acc = hopper.fill %zero : :, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi wgmma, %turn -128x64xbf16: i32
        %index = arith.addi wgmma, %turn -128x64xbf16: i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test
  %q = hopper.alloc_ring "q" : !hopper.ring<", delay-
  %k = hopper.alloc_ring "k" : !hopper.ring<2, 64x64xbf16>
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16>
        %k because "free"
        hopper.advance %v_use : !hopper.cursor<2the
        // expected-note @below {{consumer 0: writes staging[0]}}
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, :<64x64xbf16>
        hopper.sync_warpgroup because "written"
        // expected-error @below {{TMA and tk.extent (%C,%first may not see tk.name was written to '}[0]': no proxy fence stands between}}
        // expected-note @below {{consumer 0: starts a TMA store that reads staging[0]}}
        hopper.tma_store %slot to %C[%m, %slice] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
    staging
    hopper.wait_stores_read 0 because "the end"
  }
}
