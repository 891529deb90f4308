// Tests a query that is never given back.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics

hopper.kernel @attention(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x64xbf16> {tk.name = "K"}, %V: !tk.global<?x64xbf16> {tk.name = "V"}, %tiles: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %q = hopper.alloc_ring "q" : !hopper.ring<1, 128x64xbf16>
  %k = hopper.alloc_ring "k" : !hopper.ring<2, 64x64xbf16>
  %v = hopper.alloc_ring "v" : !hopper.ring<2, 64x64xbf16>
  %q_full = hopper.alloc_barrier "q_full" arrivals 1 : !hopper.barrier<1>
  %q_empty = hopper.alloc_barrier "q_empty" arrivals 8 : !hopper.barrier<1>
  %k_full = hopper.alloc_barrier "k_full" arrivals 1 : !hopper.barrier<2>
  %k_empty = hopper.alloc_barrier "k_empty" arrivals 8 : !hopper.barrier<2>
  %v_full = hopper.alloc_barrier "v_full" arrivals 1 : !hopper.barrier<2>
  %v_empty = hopper.alloc_barrier "v_empty" arrivals 8 : !hopper.barrier<2>
  hopper.init_barrier %q_full : !hopper.barrier<1>
  hopper.init_barrier %q_empty : !hopper.barrier<1>
  hopper.init_barrier %k_full : !hopper.barrier<2>
  hopper.init_barrier %k_empty : !hopper.barrier<2>
  hopper.init_barrier %v_full : !hopper.barrier<2>
  hopper.init_barrier %v_empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 40 {
    %q_fill = hopper.cursor "q_fill" : !hopper.cursor<1>
    %k_fill = hopper.cursor "k_fill" : !hopper.cursor<2>
    %v_fill = hopper.cursor "v_fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      %count = arith.addi %m, %n : i32
      // expected-error @below {{the kernel hangs: nobody can go on}}
      // expected-note @below {{producer: waits for q_empty[0], whose phase 0 has 0 of 8 arrivals}}
      // expected-note @below {{producer: waits for q_empty[0], which begins free}}
      hopper.wait_barrier %q_empty[%q_fill] previous because "a test" : !hopper.barrier<1>
      // expected-note @below {{producer: arrives and expects 16384 bytes at q_full[0], phase 0}}
      hopper.expect_bytes %q_full[%q_fill], 16384 : !hopper.barrier<1>
      %q_to = hopper.stage %q[%q_fill] : !hopper.ring<1, 128x64xbf16>
      // expected-note @below {{producer: loads 16384 bytes into q[0] for q_full[0], phase 0}}
      hopper.tma_load %Q[%m, %c0] to %q_to signals %q_full[%q_fill] : !tk.global<?x64xbf16>, !hopper.shared<128x64xbf16>, !hopper.barrier<1>
      hopper.advance %q_fill : !hopper.cursor<1>
      // expected-note @below {{in this run, this loop runs 0 times}}
      scf.for %j = %c0 to %count step %c1 : i32 {
        hopper.wait_barrier %k_empty[%k_fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %k_full[%k_fill], 8192 : !hopper.barrier<2>
        %k_to = hopper.stage %k[%k_fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %K[%j, %c0] to %k_to signals %k_full[%k_fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %k_fill : !hopper.cursor<2>
        hopper.wait_barrier %v_empty[%v_fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %v_full[%v_fill], 8192 : !hopper.barrier<2>
        %v_to = hopper.stage %v[%v_fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %V[%j, %c0] to %v_to signals %v_full[%v_fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %v_fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 2 registers 232 {
  ^bb0(%w: i32):
    %q_use = hopper.cursor "q_use" : !hopper.cursor<1>
    %k_use = hopper.cursor "k_use" : !hopper.cursor<2>
    %v_use = hopper.cursor "v_use" : !hopper.cursor<2>
    %first = arith.muli %w, %c64 : i32
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      %count = arith.addi %m, %n : i32
      // expected-note @below {{consumer 0: waits for q_full[0], whose phase 1 has 0 of 1 arrival}}
      // expected-note @below {{consumer 1: waits for q_full[0], whose phase 1 has 0 of 1 arrival}}
      // expected-note @below {{consumer 0: waits for q_full[0], phase 0}}
      // expected-note @below {{consumer 1: waits for q_full[0], phase 0}}
      hopper.wait_barrier %q_full[%q_use] because "a test" : !hopper.barrier<1>
      %q_all = hopper.stage %q[%q_use] : !hopper.ring<1, 128x64xbf16>
      %q_at = hopper.rows %q_all, %first : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
      %s = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %o = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %any = arith.cmpi slt, %c0, %count : i32
      scf.if %any {
        hopper.wait_barrier %k_full[%k_use] because "the first scores" : !hopper.barrier<2>
        %k_at = hopper.stage %k[%k_use] : !hopper.ring<2, 64x64xbf16>
        %s1 = hopper.wgmma ABt %s, %q_at, %k_at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_wgmma
        hopper.wait_wgmma 0 because "a test"
        hopper.arrive %k_empty[%k_use] : !hopper.barrier<2>
        hopper.advance %k_use : !hopper.cursor<2>
      }
      // expected-note @below {{in this run, this loop runs 0 times}}
      scf.for %j = %c1 to %count step %c1 : i32 {
        hopper.wait_barrier %k_full[%k_use] because "the next scores" : !hopper.barrier<2>
        %k_at = hopper.stage %k[%k_use] : !hopper.ring<2, 64x64xbf16>
        %s1 = hopper.wgmma ABt %s, %q_at, %k_at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_wgmma
        hopper.wait_barrier %v_full[%v_use] because "a test" : !hopper.barrier<2>
        %v_at = hopper.stage %v[%v_use] : !hopper.ring<2, 64x64xbf16>
        %o1 = hopper.wgmma AB %o, %s, %v_at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.commit_wgmma
        hopper.wait_wgmma 1 because "the scores"
        hopper.arrive %k_empty[%k_use] : !hopper.barrier<2>
        hopper.advance %k_use : !hopper.cursor<2>
        hopper.wait_wgmma 0 because "the output"
        hopper.arrive %v_empty[%v_use] : !hopper.barrier<2>
        hopper.advance %v_use : !hopper.cursor<2>
      }
      scf.if %any {
        hopper.wait_barrier %v_full[%v_use] because "the last MMA" : !hopper.barrier<2>
        %v_at = hopper.stage %v[%v_use] : !hopper.ring<2, 64x64xbf16>
        %o1 = hopper.wgmma AB %o, %s, %v_at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.commit_wgmma
        hopper.wait_wgmma 0 because "a test"
        hopper.arrive %v_empty[%v_use] : !hopper.barrier<2>
        hopper.advance %v_use : !hopper.cursor<2>
      }
      hopper.advance %q_use : !hopper.cursor<1>
    }
  }
}
