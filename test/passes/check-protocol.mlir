// RUN: %tk-opt %s --tk-check-protocol --split-input-file --verify-diagnostics
// RUN: %tk-opt %p/insert-pipeline.mlir --tk-distribute --tk-insert-pipeline --tk-insert-waits --tk-allocate-shared \
// RUN:   --tk-allocate-registers --tk-check-protocol -o /dev/null

// Nothing is found in what the passes before this one make of insert-pipeline.mlir, nor in these kernels.

// Tests a ring whose stages are given back at once.

hopper.kernel @stream(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
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

// Tests a ring whose stages are given back one iteration late, with a tail for loops that ran.

hopper.kernel @delayed(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
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
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    %release = hopper.cursor "release" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
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
      scf.if %ran {
        hopper.arrive %empty[%release] : !hopper.barrier<2>
        hopper.advance %release : !hopper.cursor<2>
      }
    }
  }
}

// -----

// Tests a tail within the last iteration: the comparison follows from the number of iterations.

hopper.kernel @last(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
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
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    %release = hopper.cursor "release" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
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
        %end = arith.subi %n, %c1 : i32
        %isLast = arith.cmpi eq, %k, %end : i32
        scf.if %isLast {
          hopper.wait_products 0 because "a test"
          hopper.arrive %empty[%release] : !hopper.barrier<2>
          hopper.advance %release : !hopper.cursor<2>
        }
        hopper.advance %use : !hopper.cursor<2>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_products 0 because "a test"
    }
  }
}

// -----

// Tests one condition that the roles write differently.

hopper.kernel @branches(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
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
        %some = arith.cmpi slt, %m, %other : i32
        scf.if %some {
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
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %none = arith.cmpi sge, %m, %other : i32
        %next = scf.if %none -> !hopper.fragment<64x64xf32> {
          scf.yield %acc : !hopper.fragment<64x64xf32>
        } else {
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
        %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
        %product = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %empty[%use] : !hopper.barrier<2>
        hopper.advance %use : !hopper.cursor<2>
          scf.yield %product : !hopper.fragment<64x64xf32>
        }
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
    }
  }
}

// -----

// Tests two staging buffers for each warpgroup, with stores in flight while the next one is written.

hopper.kernel @stores(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<4, 64x64xbf16>
  %scratch = hopper.alloc_ring "scratch" : !hopper.ring<1, 8x64xf32>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %first = arith.muli %w, %c2 : i32
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.sync_warpgroup because "free"
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "written"
        hopper.tma_store %slot to %C[%m, %slice] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "the end"
  }
}

// -----

// Tests scratch that two warpgroups write and both read.

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
      %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_consumers because "all of it is written"
        %acc = hopper.uninitialized : !hopper.fragment<64x128xf32>
        %s = hopper.wgmma ABt %acc, %mine, %all accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<128x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.sync_consumers because "all of it is read"
      }
    }
  }
}

// -----

// Tests warps that write other columns of the same rows.

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
        %left = hopper.columns %mine, %c0 : !hopper.shared<64x64xbf16> -> !hopper.shared<64x32xbf16>
        %right = hopper.columns %mine, %c32 : !hopper.shared<64x64xbf16> -> !hopper.shared<64x32xbf16>
        hopper.store_fragment %x[%c0, %c0] to %left : !hopper.fragment<64x64xf32>, !hopper.shared<64x32xbf16>
        hopper.store_fragment %x[%c0, %c32] to %right : !hopper.fragment<64x64xf32>, !hopper.shared<64x32xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_consumers because "all of it is written"
        %acc = hopper.uninitialized : !hopper.fragment<64x128xf32>
        %s = hopper.wgmma ABt %acc, %mine, %all accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<128x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.sync_consumers because "all of it is read"
      }
    }
  }
}

// -----

// Tests an exchange through scratch at the consumers' own barrier.

hopper.kernel @exchange(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %scratch = hopper.alloc_ring "scratch" : !hopper.ring<1, 128x64xbf16>
  %sums_ring = hopper.alloc_ring "sums" : !hopper.ring<1, 8x64xf32>
  %rows = hopper.slot %sums_ring[%c0] : !hopper.ring<1, 8x64xf32>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %first = arith.muli %w, %c64 : i32
    %all = hopper.slot %scratch[%c0] : !hopper.ring<1, 128x64xbf16>
    %mine = hopper.rows %all, %first : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    hopper.tile_loop (%m) in (%tiles) {
      %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_consumers because "all of it is written"
        %acc = hopper.uninitialized : !hopper.fragment<64x128xf32>
        %s = hopper.wgmma ABt %acc, %mine, %all accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<128x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.sync_consumers because "all of it is read"
        %sums = hopper.reduce_columns add %x across 2 through %rows {barrier_id = 5 : i64} : !hopper.fragment<64x64xf32>, !hopper.shared<8x64xf32> -> !hopper.vector<64xf32, row>
      }
    }
  }
}

// -----

// Tests attention: Q loaded once for each tile, K one iteration ahead of V; the number of iterations differs between
// tiles, and the roles compute it in another order of operands.

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
    hopper.tile_loop (%m) in (%tiles) {
      %count = arith.addi %m, %n : i32
      hopper.wait_barrier %q_empty[%q_fill] previous because "a test" : !hopper.barrier<1>
      hopper.expect_bytes %q_full[%q_fill], 16384 : !hopper.barrier<1>
      %q_to = hopper.stage %q[%q_fill] : !hopper.ring<1, 128x64xbf16>
      hopper.tma_load %Q[%m, %c0] to %q_to signals %q_full[%q_fill] : !tk.global<?x64xbf16>, !hopper.shared<128x64xbf16>, !hopper.barrier<1>
      hopper.advance %q_fill : !hopper.cursor<1>
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
    hopper.tile_loop (%m) in (%tiles) {
      %count = arith.addi %n, %m : i32
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
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %k_empty[%k_use] : !hopper.barrier<2>
        hopper.advance %k_use : !hopper.cursor<2>
      }
      scf.for %j = %c1 to %count step %c1 : i32 {
        hopper.wait_barrier %k_full[%k_use] because "the next scores" : !hopper.barrier<2>
        %k_at = hopper.stage %k[%k_use] : !hopper.ring<2, 64x64xbf16>
        %s1 = hopper.wgmma ABt %s, %q_at, %k_at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_barrier %v_full[%v_use] because "a test" : !hopper.barrier<2>
        %v_at = hopper.stage %v[%v_use] : !hopper.ring<2, 64x64xbf16>
        %o1 = hopper.wgmma AB %o, %s, %v_at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 1 because "the scores"
        hopper.arrive %k_empty[%k_use] : !hopper.barrier<2>
        hopper.advance %k_use : !hopper.cursor<2>
        hopper.wait_products 0 because "the output"
        hopper.arrive %v_empty[%v_use] : !hopper.barrier<2>
        hopper.advance %v_use : !hopper.cursor<2>
      }
      scf.if %any {
        hopper.wait_barrier %v_full[%v_use] because "the last product" : !hopper.barrier<2>
        %v_at = hopper.stage %v[%v_use] : !hopper.ring<2, 64x64xbf16>
        %o1 = hopper.wgmma AB %o, %s, %v_at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.arrive %v_empty[%v_use] : !hopper.barrier<2>
        hopper.advance %v_use : !hopper.cursor<2>
      }
      hopper.arrive %q_empty[%q_use] : !hopper.barrier<1>
      hopper.advance %q_use : !hopper.cursor<1>
    }
  }
}
