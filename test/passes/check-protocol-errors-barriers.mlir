// RUN: %tk-opt %s --tk-check-protocol --split-input-file --verify-diagnostics

// Tests a count that is too large: the fourth warp is waited for in vain.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 8 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 3 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{producer: waits for empty[0], whose phase 0 has 4 of 8 arrivals}}
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 3 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-note @below {{consumer: waits for full[0], whose phase 1 has 0 of 1 arrival}}
        // expected-note @below {{consumer: waits for full[0], phase 0}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        // expected-note @below {{consumer: arrives at empty[0], phase 0}}
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a count that is too small: a phase is over before all warps have come.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  // expected-note @below {{its count is given here}}
  %empty = hopper.alloc_barrier "empty" arrivals 2 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        // expected-error @below {{'empty[0]' gets more arrivals than the 2 that complete its phase 0}}
        // expected-note @below {{consumer: arrives at empty[0], phase 0}}
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a full barrier that waits for an arrival nobody makes.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 2 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{consumer: waits for full[0], whose phase 0 has 1 of 2 arrivals and 8192 of 8192 bytes}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a missing arrival: the ring is never free again.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 3 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{producer: waits for empty[0], whose phase 0 has 0 of 4 arrivals}}
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 3 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-note @below {{consumer: waits for full[0], whose phase 1 has 0 of 1 arrival}}
        // expected-note @below {{consumer: waits for full[0], phase 0}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a missing arrival in the one branch that a single iteration takes (tilelang issue 2566: bytes are expected,
// but nobody arrives).

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        %single = arith.cmpi eq, %n, %c1 : i32
        scf.if %single {
        } else {
          hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        }
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{consumer: waits for full[0], whose phase 0 has 0 of 1 arrival and 8192 of 0 bytes}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests too few bytes: the phase completes before the data is there.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 4096 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 4096 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{'full[0]' expects 4096 bytes in a phase, but the loads bring 8192: consumer waits forever}}
        // expected-note @below {{consumer: waits for full[0], whose phase 0 has 1 of 1 arrival and 8192 of 4096 bytes}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests too many bytes: the phase never completes.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 16384 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 16384 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{'full[0]' expects 16384 bytes in a phase, but the loads bring 8192: consumer waits forever}}
        // expected-note @below {{consumer: waits for full[0], whose phase 0 has 1 of 1 arrival and 8192 of 16384 bytes}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a producer that waits for a phase of a ring that nobody has used.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{producer: waits for empty[0], whose phase 0 has 0 of 4 arrivals}}
        hopper.wait_barrier %empty[%fill] because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-note @below {{consumer: waits for full[0], whose phase 0 has 0 of 1 arrival}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a consumer that waits for the phase before.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{'full[0]' may complete phase 0 before all who wait for it to be free have come: its phase bit would make them wait for another one}}
        hopper.wait_barrier %full[%use] previous because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a missing wait for the data.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer writes it here}}
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        // expected-error @below {{consumer may read 'a[0]' before the data has landed}}
        // expected-note @below {{consumer: starts a product that reads a[0]}}
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a missing wait for the free stage.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 3 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @below {{nothing ensures that phase 0 of 'full[0]' is over when producer comes to the next one}}
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 1}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests an early release: the stage is given back before the product has read it.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 3 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{producer: waits for empty[0], phase 0}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 1}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-error @below {{producer may overwrite 'a[0]' while it is still read}}
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 1}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 3 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-note @below {{consumer: waits for full[0], phase 0}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{consumer reads it here}}
        // expected-note @below {{consumer: starts a product that reads a[0]}}
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        // expected-note @below {{consumer: arrives at empty[0], phase 0}}
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.wait_products 0 because "a test"
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a wait that leaves the product in flight.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  // expected-error @below {{consumer ends while its products may still read shared memory}}
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 1 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a product that is in no group when it is waited for.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  // expected-error @below {{consumer ends while its products may still read shared memory}}
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a cursor of the consumer that is not advanced.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  // expected-note @below {{its count is given here}}
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 2 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 2 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        // expected-error @below {{'empty[0]' gets more arrivals than the 4 that complete its phase 0}}
        // expected-note @below {{consumer: arrives at empty[0], phase 0}}
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a cursor of the producer that is not advanced.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  // expected-note @below {{it completes with 1 arrival}}
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 2 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-error @below {{phase 0 of 'full[0]' completes before this: its count is too small, or the cursor stands on a stage that was done}}
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a cursor that is advanced twice.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 2 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 2 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{consumer: waits for full[1], whose phase 0 has 0 of 1 arrival}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a cursor that is advanced in the wrong branch.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  // expected-note @below {{its count is given here}}
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 2 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 2 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        // expected-error @below {{'empty[0]' gets more arrivals than the 4 that complete its phase 0}}
        // expected-note @below {{consumer: arrives at empty[0], phase 0}}
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        %later = arith.cmpi sgt, %k, %c0 : i32
        scf.if %later {
          hopper.advance %use : !hopper.cursor<2>
        }
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests an arrival at the wrong barrier.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  // expected-note @below {{it completes with 1 arrival}}
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-note @below {{consumer: waits for full[0], phase 0}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        // expected-error @below {{phase 0 of 'full[0]' completes before this: its count is too small, or the cursor stands on a stage that was done}}
        // expected-note @below {{consumer: arrives at full[0], phase 0}}
        hopper.arrive %full[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests bytes that are signalled to the wrong barrier.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %empty[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{'full[0]' expects 8192 bytes in a phase, but the loads bring 0: consumer waits forever}}
        // expected-note @below {{consumer: waits for full[0], whose phase 0 has 1 of 1 arrival and 0 of 8192 bytes}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a doubled arrival.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  // expected-note @below {{its count is given here}}
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        // expected-error @below {{'empty[0]' gets more arrivals than the 4 that complete its phase 0}}
        // expected-note @below {{consumer: arrives at empty[0], phase 0}}
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        // expected-note @below {{consumer: arrives at empty[0], phase 0}}
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests doubled expected bytes.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  // expected-note @below {{its count is given here}}
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        // expected-error @below {{'full[0]' gets more arrivals than the 1 that complete its phase 0}}
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a doubled load.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{its own earlier operation writes it here}}
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        // expected-error @below {{producer may overwrite 'a[0]' before what was written there has landed}}
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a cursor that starts anew with each tile.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  // expected-note @below {{its count is given here}}
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      %use = hopper.cursor "use" : !hopper.cursor<2>
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        // expected-error @below {{'empty[0]' gets more arrivals than the 4 that complete its phase 0}}
        // expected-note @below {{consumer: arrives at empty[0], phase 0}}
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a barrier that nobody initialises.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  // expected-error @below {{'empty' is initialised 0 times, which should be once}}
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a barrier that is initialised twice.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  // expected-error @below {{'full' is initialised 2 times, which should be once}}
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a wait at another barrier than the tile's.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{consumer: waits for empty[0], whose phase 0 has 0 of 4 arrivals}}
        hopper.wait_barrier %empty[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests a consumer that takes tiles and never gives a stage back (CUTLASS issue 2404: the arrival is that of thread 0, which
// belongs to the producer's warpgroup). Three stages are filled; the fourth load waits for ever.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<3, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<3>
  %empty = hopper.alloc_barrier "empty" arrivals 1 : !hopper.barrier<3>
  hopper.init_barrier %full : !hopper.barrier<3>
  hopper.init_barrier %empty : !hopper.barrier<3>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<3>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 4 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{producer: waits for empty[0], whose phase 0 has 0 of 1 arrival}}
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<3>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<3>
        %to = hopper.stage %a[%fill] : !hopper.ring<3, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<3>
        hopper.advance %fill : !hopper.cursor<3>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<3>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 4 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{consumer: waits for full[0], whose phase 1 has 0 of 1 arrival}}
        // expected-note @below {{consumer: waits for full[0], phase 0}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<3>
        %at = hopper.stage %a[%use] : !hopper.ring<3, 64x64xbf16>
        %x = hopper.load_fragment %at : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
        hopper.advance %use : !hopper.cursor<3>
      }
    }
  }
}
