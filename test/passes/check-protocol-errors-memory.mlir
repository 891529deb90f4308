// RUN: %tk-opt %s --tk-check-protocol --split-input-file --verify-diagnostics

// Tests a buffer that is written while the last store may still read it (CUTLASS issue 2162).

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
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
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.sync_warpgroup because "free"
        // expected-error @below {{consumer 0 may overwrite 'staging[0]' while it is still read}}
        // expected-note @below {{consumer 0: writes staging[0]}}
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "written"
        // expected-note @below {{another warp of consumer 0 reads it here}}
        // expected-note @below {{consumer 0: starts a TMA store that reads staging[0]}}
        hopper.tma_store %slot to %C[%m, %slice] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "the end"
  }
}

// -----

// Tests a wait for stores that is too weak.

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
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
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 2 because "a test"
        hopper.sync_warpgroup because "free"
        // expected-error @below {{consumer 0 may overwrite 'staging[0]' while it is still read}}
        // expected-note @below {{consumer 0: writes staging[0]}}
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "written"
        // expected-note @below {{another warp of consumer 0 reads it here}}
        // expected-note @below {{consumer 0: starts a TMA store that reads staging[0]}}
        hopper.tma_store %slot to %C[%m, %slice] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "the end"
  }
}

// -----

// Tests a missing proxy fence.

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
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
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.sync_warpgroup because "free"
        // expected-note @below {{another warp of consumer 0 writes it here}}
        // expected-note @below {{consumer 0: writes staging[0]}}
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.sync_warpgroup because "written"
        // expected-error @below {{TMA and wgmma may not see what was written to 'staging[0]': no proxy fence stands between}}
        // expected-note @below {{consumer 0: starts a TMA store that reads staging[0]}}
        hopper.tma_store %slot to %C[%m, %slice] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "the end"
  }
}

// -----

// Tests a proxy fence that comes after the barrier: only the leader executes one before its store.

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
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
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.sync_warpgroup because "free"
        // expected-note @below {{another warp of consumer 0 writes it here}}
        // expected-note @below {{consumer 0: writes staging[0]}}
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.sync_warpgroup because "written"
        hopper.fence_async_proxy because "a test"
        // expected-error @below {{TMA and wgmma may not see what was written to 'staging[0]': no proxy fence stands between}}
        // expected-note @below {{consumer 0: starts a TMA store that reads staging[0]}}
        hopper.tma_store %slot to %C[%m, %slice] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "the end"
  }
}

// -----

// Tests a store of what other warps may not have written.

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
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
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.sync_warpgroup because "free"
        // expected-note @below {{another warp of consumer 0 writes it here}}
        // expected-note @below {{consumer 0: writes staging[0]}}
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        // expected-error @below {{consumer 0 may read 'staging[0]' before the data has landed}}
        // expected-note @below {{consumer 0: starts a TMA store that reads staging[0]}}
        hopper.tma_store %slot to %C[%m, %slice] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "the end"
  }
}

// -----

// Tests a buffer that other warps do not know to be free.

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
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
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        // expected-error @below {{consumer 0 may overwrite 'staging[0]' while it is still read}}
        // expected-note @below {{consumer 0: writes staging[0]}}
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "written"
        // expected-note @below {{another warp of consumer 0 reads it here}}
        // expected-note @below {{consumer 0: starts a TMA store that reads staging[0]}}
        hopper.tma_store %slot to %C[%m, %slice] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "the end"
  }
}

// -----

// Tests a kernel that ends before its stores have read.

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<4, 64x64xbf16>
  %scratch = hopper.alloc_ring "scratch" : !hopper.ring<1, 8x64xf32>
  // expected-error @below {{consumer 0 ends while its TMA stores may still read shared memory}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %first = arith.muli %w, %c2 : i32
    // expected-note @below {{in this run, the block has 1 tile}}
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
  }
}

// -----

// Tests two warpgroups that share a buffer.

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<4, 64x64xbf16>
  %scratch = hopper.alloc_ring "scratch" : !hopper.ring<1, 8x64xf32>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %first = arith.muli %c0, %c2 : i32
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.sync_warpgroup because "free"
        // expected-error @below {{consumer 1 may overwrite 'staging[0]' before what was written there has landed}}
        // expected-note @below {{consumer 0 writes it here}}
        // expected-note @below {{consumer 0: writes staging[0]}}
        // expected-note @below {{consumer 1: writes staging[0]}}
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

// Tests a barrier that only one of two warpgroups reaches.

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
        %acc = hopper.uninitialized : !hopper.fragment<64x128xf32>
        %s = hopper.wgmma ABt %acc, %mine, %all accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<128x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        %leads = arith.cmpi eq, %w, %c0 : i32
        scf.if %leads {
          // expected-error @below {{the kernel hangs: nobody can go on}}
          // expected-note @below {{consumer 0: waits at named barrier 5, to which 128 of 256 threads have come}}
          // expected-note @below {{consumer 0: comes to named barrier 5 for 256 threads}}
          hopper.sync_consumers because "all of it is read"
        }
      }
    }
  }
}

// -----

// Tests the id of a warpgroup's barrier that all consumers use.

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
    hopper.tile_loop (%m) in (%tiles) {
      %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        // expected-note @below {{it is used here first}}
        hopper.sync_warpgroup because "a test"
        // expected-error @below {{named barrier 1 is used for 256 threads here and for 128 elsewhere}}
        hopper.sync_consumers because "all of it is written" {barrier_id = 1 : i64}
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

// Tests the id of __syncthreads.

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
    hopper.tile_loop (%m) in (%tiles) {
      %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        // expected-error @below {{named barrier 0 is not one of 1 to 15; 0 belongs to __syncthreads}}
        hopper.sync_consumers because "all of it is written" {barrier_id = 0 : i64}
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

// Tests an id that no block has.

hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
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
        // expected-error @below {{named barrier 16 is not one of 1 to 15; 0 belongs to __syncthreads}}
        hopper.sync_warpgroup because "free" {barrier_id = 15 : i64}
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

// Tests shared scratch that is written anew while the other warpgroup may still read it (tilelang issue 2613: the
// barrier at the end of the loop is missing).

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
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      // expected-note @below {{in this run, this loop runs 1 time}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @below {{consumer 1 writes it here}}
        // expected-note @below {{consumer 0: writes scratch[0]}}
        // expected-note @below {{consumer 1: writes scratch[0]}}
        hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_consumers because "all of it is written"
        %acc = hopper.uninitialized : !hopper.fragment<64x128xf32>
        // expected-error @below {{consumer 0 may read 'scratch[0]' before the data has landed}}
        // expected-note @below {{consumer 1: starts a product that reads scratch[0]}}
        // expected-note @below {{consumer 0: starts a product that reads scratch[0]}}
        %s = hopper.wgmma ABt %acc, %mine, %all accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<128x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
      }
    }
  }
}

// -----

// Tests shared scratch that is read before the other warpgroup has written.

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
        // expected-note @below {{consumer 0: writes scratch[0]}}
        hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "a part of it is written"
        %acc = hopper.uninitialized : !hopper.fragment<64x128xf32>
        // expected-error @below {{consumer 0 reads 'scratch[0]', which nobody has written}}
        // expected-note @below {{consumer 0: starts a product that reads scratch[0]}}
        %s = hopper.wgmma ABt %acc, %mine, %all accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<128x64xbf16>
        hopper.commit_products
        hopper.wait_products 0 because "a test"
        hopper.sync_consumers because "all of it is read"
      }
    }
  }
}

// -----

// Tests buffers that share bytes.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {offset = 0 : i64} : !hopper.ring<2, 64x64xbf16>
  %b = hopper.alloc_ring "b" {offset = 8192 : i64} : !hopper.ring<1, 64x64xbf16>
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
        // expected-note @below {{producer writes it here}}
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
        %slot = hopper.slot %b[%c0] : !hopper.ring<1, 64x64xbf16>
        // expected-error @below {{consumer may overwrite 'b[0]' before what was written there has landed}}
        // expected-note @below {{consumer: writes b[0]}}
        hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
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

// Tests a product that reads what nobody writes.

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<2, 64x64xbf16>
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
        %at = hopper.stage %b[%use] : !hopper.ring<2, 64x64xbf16>
        // expected-error @below {{consumer reads 'b[0]', which nobody has written}}
        // expected-note @below {{consumer: starts a product that reads b[0]}}
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
