// RUN: %tk-opt %s --test-hazards --split-input-file --verify-diagnostics -o /dev/null

// Tests what a loop of products needs: a fence before it, the older product for a stage that is given back one
// iteration late, the newest one for the stage of the last iteration.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
  // expected-remark @below {{product in flight, pending 0}}
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<4>
    %release = hopper.cursor "release" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("acc")
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        // expected-remark @below {{registers touched}}
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        scf.if %later {
          // expected-remark @below {{product in flight, pending 1, from before}}
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      // expected-remark @below {{product in flight, pending 0, from before}}
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}

// -----

// Tests that the same loop has no hazards with its waits in place.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<4>
    %release = hopper.cursor "release" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("acc")
      hopper.fence_registers because "a test"
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        hopper.fence_registers because "a test"
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 1 because "a test"
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_products 0 because "a test"
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}

// -----

// Tests that a wait for the newest product but one does not cover the last stage.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
  // expected-remark @below {{product in flight, pending 0}}
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<4>
    %release = hopper.cursor "release" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("acc")
      hopper.fence_registers because "a test"
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        hopper.fence_registers because "a test"
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        hopper.wait_products 1 because "a test"
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_products 1 because "a test"
      // expected-remark @below {{product in flight, pending 0, from before}}
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}

// -----

// Tests that an even number of slices through two buffers meets the store before last, in the loop and round it.

// Nothing is written before TMA sees it, and shared memory outlives the last stores.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  // expected-remark @below {{store reading, pending 0}}
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    hopper.wait_grid_dependency because "a test"
    hopper.tile_loop (%m) in (%c4) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
        %col = arith.muli %slice, %c2 : i32
        %turn = arith.remsi %slice, %c2 : i32
        %slot = hopper.slot %staging[%turn] : !hopper.ring<2, 64x64xbf16>
        // expected-remark @below {{store reading, pending 1}}
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        // expected-remark @below {{write unfenced}}
        hopper.tma_store %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
      } {hopper.unroll}
    }
  }
}

// -----

// Tests that the first of three slices meets the last store of the tile before, once the others wait in the loop.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    hopper.wait_grid_dependency because "a test"
    hopper.tile_loop (%m) in (%c4) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 3 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
        %col = arith.muli %slice, %c2 : i32
        %turn = arith.remsi %slice, %c2 : i32
        %slot = hopper.slot %staging[%turn] : !hopper.ring<2, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.sync_warpgroup because "a test"
        // expected-remark @below {{store reading, pending 0, from before}}
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "a test"
        hopper.tma_store %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "a test"
  }
}

// -----

// Tests that a fence after the barrier does not help: the other threads' writes must be fenced before it.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    hopper.wait_grid_dependency because "a test"
    hopper.tile_loop (%m) in (%c4) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
        %col = arith.muli %slice, %c2 : i32
        %turn = arith.remsi %slice, %c2 : i32
        %slot = hopper.slot %staging[%turn] : !hopper.ring<2, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.sync_warpgroup because "a test"
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.sync_warpgroup because "a test"
        hopper.fence_async_proxy because "a test"
        // expected-remark @below {{write unsynced}}
        hopper.tma_store %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "a test"
  }
}

// -----

// Tests that the leader's wait is not enough: the other threads must learn of it.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    hopper.wait_grid_dependency because "a test"
    hopper.tile_loop (%m) in (%c4) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
        %col = arith.muli %slice, %c2 : i32
        %turn = arith.remsi %slice, %c2 : i32
        %slot = hopper.slot %staging[%turn] : !hopper.ring<2, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        // expected-remark @below {{freed unknown, pending 1}}
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "a test"
        hopper.tma_store %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "a test"
  }
}

// -----

// Tests that threads which read a buffer must meet before it is written again.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    hopper.wait_grid_dependency because "a test"
    hopper.tile_loop (%m) in (%c4) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
        %col = arith.muli %slice, %c2 : i32
        %turn = arith.remsi %slice, %c2 : i32
        %slot = hopper.slot %staging[%turn] : !hopper.ring<2, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.sync_warpgroup because "a test"
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "a test"
        // TMA store left out %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
        hopper.store_row_ends %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
        // expected-remark @below {{freed unknown, pending 0}}
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "a test"
      } {hopper.unroll}
    }
    hopper.wait_stores_read 0 because "a test"
  }
}

// -----

// Tests that a product which no group holds cannot be waited for.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
  // expected-remark @below {{product in flight}}
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<4>
    %release = hopper.cursor "release" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("acc")
      hopper.fence_registers because "a test"
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        hopper.fence_registers because "a test"
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        scf.if %later {
          // expected-remark @below {{product open}}
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_products 0 because "a test"
      // expected-remark @below {{product open}}
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}

// -----

// Tests that tensors of the kernel before are waited for, and barriers are initialised for all.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.init_barrier %full : !hopper.barrier<4>
  hopper.init_barrier %empty : !hopper.barrier<4>
  // expected-remark @below {{init unfenced}}
  // expected-remark @below {{init unsynced}}
  hopper.role producer warpgroups 1 {
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      // expected-remark @below {{grid unwaited}}
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
}

// -----

// Tests that reading a product's result waits for that product and not for the newer one; that its operand in registers may
// not be computed anew while it is read; and that vectors are code of this thread like any other.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  // expected-remark @below {{product in flight, pending 0}}
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %at = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
    %one = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("s")
    %p = hopper.map (%x = %one : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
      %0 = arith.truncf %x : f32 to bf16
      tk.yield %0 : bf16
    } loc("p")
    %s0 = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("s")
    %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("o")
    // expected-remark @below {{registers touched}}
    %s = hopper.wgmma ABt %s0, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_products
    // expected-remark @below {{registers touched}}
    %o = hopper.wgmma AB %o0, %p, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_products
    // expected-remark @below {{product in flight, pending 1, from before}}
    %m = hopper.reduce_rows max %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column>
    // expected-remark @below {{product in flight, pending 0, from before}}
    %q = hopper.map (%x = %p : !hopper.fragment<64x64xbf16>) -> !hopper.fragment<64x64xbf16> {
      tk.yield %x : bf16
    }
  }
}

// -----

// Tests scratch memory that a warpgroup writes and reads for itself: its own threads must have met, and fenced where the
// tensor cores read it; what they have read may be overwritten once they have met again.

hopper.kernel @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 128x64xbf16>
  %q = hopper.alloc_ring "q" : !hopper.ring<1, 128x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x64xbf16>
  // expected-remark @below {{product in flight, pending 0}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %row = arith.muli %w, %c64 : i32
    %all = hopper.slot %p[%c0] : !hopper.ring<1, 128x64xbf16>
    %own = hopper.rows %all, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %other = hopper.slot %q[%c0] : !hopper.ring<1, 128x64xbf16>
    %ownq = hopper.rows %other, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %at = hopper.slot %b[%c0] : !hopper.ring<1, 64x64xbf16>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-remark @below {{product in flight, pending 0, from before}}
      hopper.store_fragment %x[%c0, %c0] to %own : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-remark @below {{write unfenced}}
      // expected-remark @below {{registers touched}}
      %o = hopper.wgmma AB %o0, %own, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_products
      // expected-remark @below {{freed unknown, pending 0}}
      hopper.store_fragment %x[%c0, %c0] to %ownq : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      // expected-remark @below {{write unsynced, pending 0}}
      %r = hopper.load_fragment %ownq : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
    }
  }
}

// -----

// Tests scratch memory that all consumers read: they must all have met, and meet again before it is overwritten.

hopper.kernel @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 128x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x128xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %row = arith.muli %w, %c64 : i32
    %all = hopper.slot %p[%c0] : !hopper.ring<1, 128x64xbf16>
    %own = hopper.rows %all, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %at = hopper.slot %b[%c0] : !hopper.ring<1, 64x128xbf16>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-remark @below {{freed unknown, pending 0, across warpgroups}}
      hopper.store_fragment %x[%c0, %c0] to %own : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      hopper.fence_async_proxy because "a test"
      hopper.sync_warpgroup because "not enough"
      hopper.fence_registers because "a test"
      // expected-remark @below {{write unsynced, pending 0, across warpgroups}}
      %o = hopper.wgmma AB %o0, %at, %all accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x128xbf16>, !hopper.shared<128x64xbf16>
      hopper.commit_products
      hopper.wait_products 0 because "a test"
      hopper.sync_warpgroup because "not enough"
    }
  }
}

// -----

// Tests that an op which exchanges through scratch memory is a meeting itself.

hopper.kernel @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 8x64xf32>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %all = hopper.slot %p[%c0] : !hopper.ring<1, 8x64xf32>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %r = hopper.reduce_columns add %x across 2 through %all : !hopper.fragment<64x64xf32>, !hopper.shared<8x64xf32> -> !hopper.vector<64xf32, row>
    }
  }
}

// -----

// Tests that ordinary loads and stores of tensors wait for the kernel before.

hopper.kernel @k(%T: !tk.global<?x?xbf16> {tk.name = "T"}, %L: !tk.global<?xf32> {tk.name = "L"}) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %index = hopper.fill %one : i32, !hopper.vector<64xi32, column>
    // expected-remark @below {{grid unwaited}}
    %x = hopper.gather %T[%c0, %c0] by %index : !tk.global<?x?xbf16>, !hopper.vector<64xi32, column> -> !hopper.fragment<64x64xbf16>
    %v = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    // expected-remark @below {{grid unwaited}}
    hopper.store_global %v to %L[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
  }
}
