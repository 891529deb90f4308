// RUN: %tk-opt %s --tk-check-protocol --split-input-file --verify-diagnostics

// Tests loops of the roles that differ by one.

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
      // expected-note @below {{in this run, this loop runs 0 times}}
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
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %more = arith.addi %n, %c1 : i32
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %more step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
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

// Tests loops of the roles with different bounds.

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
      // expected-note @below {{in this run, this loop runs 0 times}}
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
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      %sum = scf.for %k = %c0 to %other step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
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

// Tests a loop of one role that begins later.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  // expected-error @below {{the kernel ends without waiting for loads that complete 'full[0]'}}
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
      // expected-note @below {{in this run, this loop runs 0 times}}
      %sum = scf.for %k = %c1 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
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

// Tests roles that walk different tiles.

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
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%other) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
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

// Tests a load under a condition that the consumer does not have.

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
        %odd = arith.cmpi slt, %m, %other : i32
        scf.if %odd {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
        }
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

// Tests a tail that releases a stage even if the loop never ran.

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
    // expected-note @below {{in this run, the block has 3 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 0 times}}
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
    %release = hopper.cursor "release" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 3 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 0 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 1 because "a test"
        %later = arith.cmpi sgt, %k, %c0 : i32
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<2>
          hopper.advance %release : !hopper.cursor<2>
        }
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_products 0 because "a test"
      %ran = arith.cmpi slt, %c0, %n : i32
      // expected-error @below {{nothing ensures that phase 0 of 'empty[0]' is over when consumer comes to the next one}}
      // expected-note @below {{consumer: arrives at empty[0], phase 0}}
      // expected-note @below {{consumer: arrives at empty[0], phase 1}}
      hopper.arrive %empty[%release] : !hopper.barrier<2>
      hopper.advance %release : !hopper.cursor<2>
    }
  }
}

// -----

// Tests a tail that forgets the last stage.

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
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 2 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{producer: waits for empty[1], whose phase 0 has 0 of 4 arrivals}}
        // expected-note @below {{producer: waits for empty[1], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[1], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[1] for full[1], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    %release = hopper.cursor "release" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 2 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-note @below {{consumer: waits for full[1], whose phase 1 has 0 of 1 arrival}}
        // expected-note @below {{consumer: waits for full[1], phase 0}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 1 because "a test"
        %later = arith.cmpi sgt, %k, %c0 : i32
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<2>
          hopper.advance %release : !hopper.cursor<2>
        }
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_products 0 because "a test"
      %ran = arith.cmpi slt, %c0, %n : i32
    }
  }
}

// -----

// Tests a branch that is inverted.

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
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 2 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{producer: waits for empty[1], whose phase 0 has 0 of 4 arrivals}}
        // expected-note @below {{producer: waits for empty[1], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[1], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[1] for full[1], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    %release = hopper.cursor "release" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 2 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-note @below {{consumer: waits for full[1], whose phase 1 has 0 of 1 arrival}}
        // expected-note @below {{consumer: waits for full[1], phase 0}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 1 because "a test"
        %later = arith.cmpi sgt, %k, %c0 : i32
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<2>
          hopper.advance %release : !hopper.cursor<2>
        }
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_products 0 because "a test"
      %ran = arith.cmpi sge, %c0, %n : i32
      scf.if %ran {
        hopper.arrive %empty[%release] : !hopper.barrier<2>
        hopper.advance %release : !hopper.cursor<2>
      }
    }
  }
}

// -----

// Tests a release that is one iteration early.

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
    %release = hopper.cursor "release" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 2 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 1 because "a test"
        %later = arith.cmpi sge, %k, %c0 : i32
        scf.if %later {
          // expected-note @below {{consumer: arrives at empty[0], phase 0}}
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<2>
          hopper.advance %release : !hopper.cursor<2>
        }
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_products 0 because "a test"
      %ran = arith.cmpi slt, %c0, %n : i32
      scf.if %ran {
        // expected-error @below {{nothing ensures that phase 0 of 'empty[0]' is over when consumer comes to the next one}}
        // expected-note @below {{consumer: arrives at empty[0], phase 1}}
        hopper.arrive %empty[%release] : !hopper.barrier<2>
        hopper.advance %release : !hopper.cursor<2>
      }
    }
  }
}

// -----

// Tests a load that nobody waits for.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  // expected-error @below {{the kernel ends without waiting for loads that complete 'full[0]'}}
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 0 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
      // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
      %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
      // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
      hopper.tma_load %A[%m, %c0] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 0 times}}
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

// Tests a ring that is not as deep as the consumer looks ahead: it holds one stage while it waits for the next.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<1>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<1>
  hopper.init_barrier %full : !hopper.barrier<1>
  hopper.init_barrier %empty : !hopper.barrier<1>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{in this run, this loop runs 2 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @below {{the kernel hangs: nobody can go on}}
        // expected-note @below {{producer: waits for empty[0], whose phase 0 has 0 of 4 arrivals}}
        // expected-note @below {{producer: waits for empty[0], which begins free}}
        hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<1>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<1>
        %to = hopper.stage %a[%fill] : !hopper.ring<1, 64x64xbf16>
        // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<1>
        hopper.advance %fill : !hopper.cursor<1>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<1>
    %release = hopper.cursor "release" : !hopper.cursor<1>
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 2 times}}
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        // expected-note @below {{consumer: waits for full[0], whose phase 1 has 0 of 1 arrival}}
        // expected-note @below {{consumer: waits for full[0], phase 0}}
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<1>
        %at = hopper.stage %a[%use] : !hopper.ring<1, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 1 because "a test"
        %later = arith.cmpi sgt, %k, %c0 : i32
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<1>
          hopper.advance %release : !hopper.cursor<1>
        }
        hopper.advance %use : !hopper.cursor<1>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_products 0 because "a test"
      %ran = arith.cmpi slt, %c0, %n : i32
      scf.if %ran {
        hopper.arrive %empty[%release] : !hopper.barrier<1>
        hopper.advance %release : !hopper.cursor<1>
      }
    }
  }
}

// -----

// Tests a pool of registers that is over-subscribed (ThunderKittens issue 115: four consumers with the registers of
// three).

// expected-error @below {{setmaxnreg waits forever: the roles ask for 672 registers per thread in all, but start with 480}}
hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 16 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  // expected-note @below {{producer: asks for 1 x 32}}
  hopper.role producer warpgroups 1 registers 32 {
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
  // expected-note @below {{consumer: asks for 4 x 160}}
  hopper.role consumer warpgroups 4 registers 160 {
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

// Tests a consumer that asks for fewer registers than it starts with.

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
  // expected-error @below {{the consumer starts with 240 registers and may only have more, not 128}}
  hopper.role consumer warpgroups 1 registers 128 {
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

// Tests registers that setmaxnreg cannot give.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  // expected-error @below {{setmaxnreg takes a multiple of 8 from 24 to 256, not 50}}
  hopper.role producer warpgroups 1 registers 50 {
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
