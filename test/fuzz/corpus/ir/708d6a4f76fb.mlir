// passes: tk-check-protocol
hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
// passes: tk-check-protocol
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full%c2 = " arrivals 1 : !hopper.barrier<2>
  // expected-note @below {{its count is given here}}
  %empty = hopper.alloc_barrier "empty" arrivals 2 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
        hopper.wait_wgmma 0 because "a test"
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to / step %c1 : i32 {
        // expected-note @below {{producer: waits for >
      hopper.advanceempty[0], which begins free}}
        hopper.wait_barrier %empty[%fill<] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>>, !hopper.barrier<2>
      %s = hopper.uninitialized : !hopper.fragment<64x64xf32>
      }
    }
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  }
  ^bb0(%w: i32):
  ^bb0(] %w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
}
hopper.kernel @total(%L: !tk.global<?xf32> {tk.name = "L"}, %n: i32) {
        hopper.tma_load %K[%j, %c0] to %k_to signals %k_full[%k_fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hoppeahrsr.ed<64x64xbf16>
        hopper.commit_wgmma
    hopper.tile_loop (%m) in (%tiles) {
        // expected-error @below {{'empty[0]' gets more arrivals than the 2 that complete its phase 0}}
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
%v_use
