// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE

// Nothing is left uncovered, and a second run adds nothing.
// NONE-NOT: remark

// Tests the waits of a loop of products: a fence before each product, the product before the newest in it, outside the branch
// that gives the stage back, and all of them after it. No wait for the next tile, which the last one covers.

// CHECK-LABEL: hopper.kernel @products
// CHECK: hopper.role consumer
// CHECK-NOT: hopper.wait_grid_dependency
// CHECK: hopper.uninitialized
// CHECK-NOT: hopper.fence_registers
// CHECK: scf.for
// CHECK: hopper.fence_registers because "acc passes from this thread's code to the tensor cores; ptxas wants it in the loop"
// CHECK-NEXT: hopper.wgmma
// CHECK-NEXT: hopper.commit_products
// CHECK-NEXT: hopper.wait_products 1 because "the product before this one has read its stage"
// CHECK-NEXT: scf.if
// CHECK-NEXT: hopper.arrive
// CHECK: hopper.wait_products 0 because "the product has read its stage"
// CHECK-NEXT: hopper.arrive
// CHECK-NOT: hopper.wait_products
hopper.kernel @products(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}

// Tests that filling the accumulator of the next tile waits for nothing: the wait for the last stage has covered it.

// CHECK-LABEL: hopper.kernel @next_tile
// CHECK: hopper.role consumer
// CHECK-NOT: hopper.wait_products
// CHECK: hopper.fill
// CHECK: hopper.wait_products 1
// CHECK: hopper.wait_products 0
hopper.kernel @next_tile(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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
      %start = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("acc")
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}

// Tests that the wait for the last product says who reads its result.

// CHECK-LABEL: hopper.kernel @result
// CHECK: hopper.wait_products 1
// CHECK: hopper.wait_products 0 because "acc is read on line {{[0-9]+}}"
// CHECK-NEXT: hopper.arrive
hopper.kernel @result(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
      %slot = hopper.slot %staging[%c0] : !hopper.ring<2, 64x64xbf16>
      hopper.store_fragment %sum[%c0, %c0] to %slot : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
    }
  }
}

// Tests a store in four slices: in each, the store before last has read the buffer, the warpgroup knows, and what is
// written is visible to TMA.

// CHECK-LABEL: hopper.kernel @four
// CHECK: hopper.fill
// CHECK-NOT: hopper.wait_stores_read
// CHECK: scf.for
// CHECK: hopper.wait_stores_read 1 because "the store that used this buffer before has read it"
// CHECK-NEXT: hopper.sync_warpgroup because "the warpgroup knows the buffer is free"
// CHECK-NEXT: hopper.store_fragment
// CHECK-NEXT: hopper.fence_async_proxy because "TMA reads through another proxy what these threads wrote"
// CHECK-NEXT: hopper.sync_warpgroup because "all of the buffer is written"
// CHECK-NEXT: hopper.tma_store
// CHECK: hopper.wait_stores_read 0 because "shared memory must outlive the stores that read it"
hopper.kernel @four(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.tma_store %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
      } {hopper.unroll}
    }
  }
}

// Tests a store in three slices: the first one uses the buffer of the last store of the tile before.

// CHECK-LABEL: hopper.kernel @three
// CHECK: hopper.wait_stores_read 0 because "the stores before these have read their buffers"
// CHECK-NEXT: scf.for
// CHECK: hopper.wait_stores_read 1
// CHECK-NEXT: hopper.sync_warpgroup
hopper.kernel @three(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.tma_store %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
      } {hopper.unroll}
    }
  }
}

// Tests that a role that waits for no loads waits for the grid before itself.

// CHECK-LABEL: hopper.kernel @alone
// CHECK: hopper.role consumer
// CHECK: hopper.wait_grid_dependency because "the kernel before this one may still be reading C"
hopper.kernel @alone(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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
    hopper.tile_loop (%m) in (%c4) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
        %col = arith.muli %slice, %c2 : i32
        %turn = arith.remsi %slice, %c2 : i32
        %slot = hopper.slot %staging[%turn] : !hopper.ring<2, 64x64xbf16>
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
        hopper.tma_store %slot to %C[%m, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
      } {hopper.unroll}
    }
  }
}

// Tests that mbarriers are initialised for TMA and for all threads.

// CHECK-LABEL: hopper.kernel @init
// CHECK: hopper.init_barrier
// CHECK: hopper.init_barrier
// CHECK-NEXT: hopper.fence_barrier_init
// CHECK-NEXT: hopper.sync_block
// CHECK: hopper.role producer
// CHECK-NEXT: hopper.wait_grid_dependency because "the kernel before this one may still be writing A"
hopper.kernel @init(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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
  hopper.role producer warpgroups 1 {
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
}

// Tests two products in flight beside elementwise work: the first result is read while the second product goes on, one fence
// serves both, and what the second one reads or makes waits for it.

// CHECK-LABEL: hopper.kernel @overlap
// CHECK: hopper.fence_registers because "s, o and p pass from this thread's code to the tensor cores"
// CHECK-NEXT: hopper.wgmma ABt
// CHECK-NEXT: hopper.commit_products
// CHECK-NEXT: hopper.wgmma AB
// CHECK-NEXT: hopper.commit_products
// CHECK-NEXT: hopper.wait_products 1 because "s is read on line 31"
// CHECK-NEXT: hopper.reduce_rows
// CHECK-NOT: hopper.wait_products
// CHECK: hopper.wait_products 0 because "o is read on line 32"
// CHECK-NEXT: hopper.map
// CHECK-NOT: hopper.wait_products
#line31 = loc("a.tk":31:1)
#line32 = loc("a.tk":32:1)
#line33 = loc("a.tk":33:1)
hopper.kernel @overlap(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %at = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
    %o0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("o")
    %p0 = hopper.map (%x = %o0 : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
      %0 = arith.truncf %x : f32 to bf16
      tk.yield %0 : bf16
    } loc("p")
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %o0, %p = %p0)
        -> (!hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>) : i32 {
      %s0 = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("s")
      %s = hopper.wgmma ABt %s0, %at, %at accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_products
      %o1 = hopper.wgmma AB %o, %p, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_products
      %m = hopper.reduce_rows max %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column> loc(#line31)
      %o2 = hopper.map (%x = %o1 : !hopper.fragment<64x64xf32>, %f = %m : !hopper.vector<64xf32, column>)
          -> !hopper.fragment<64x64xf32> {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      } loc(#line32)
      %p1 = hopper.map (%x = %s : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      } loc(#line33)
      scf.yield %o2, %p1 : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>
    }
  }
}

// Tests scratch memory: within a warpgroup, and shared by all of them; both in a loop that writes it again.
// That the first is free is known since all consumers have met for the second.

// CHECK-LABEL: hopper.kernel @scratch
// CHECK: scf.for
// CHECK-NEXT: hopper.store_fragment
// CHECK-NEXT: hopper.sync_warpgroup because "the warpgroup has written own"
// CHECK-NEXT: hopper.load_fragment
// CHECK: hopper.wait_products 0 because "the product has read what p held before"
// CHECK-NEXT: hopper.sync_consumers because "all consumers have read what p held before"
// CHECK-NEXT: hopper.store_fragment
// CHECK: hopper.fence_async_proxy because "the tensor cores read through another proxy what these threads wrote"
// CHECK-NEXT: hopper.sync_consumers because "all consumers have written p"
// CHECK: hopper.wgmma
hopper.kernel @scratch(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %own = hopper.alloc_ring "own" : !hopper.ring<1, 128x64xbf16>
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 128x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x128xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %row = arith.muli %w, %c64 : i32
    %0 = hopper.slot %own[%c0] : !hopper.ring<1, 128x64xbf16>
    %mine = hopper.rows %0, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %all = hopper.slot %p[%c0] : !hopper.ring<1, 128x64xbf16>
    %part = hopper.rows %all, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %at = hopper.slot %b[%c0] : !hopper.ring<1, 64x128xbf16>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      %y = hopper.load_fragment %mine : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
      hopper.store_fragment %y[%c0, %c0] to %part : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %o = hopper.wgmma AB %o0, %at, %all accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x128xbf16>, !hopper.shared<128x64xbf16>
      hopper.commit_products
    }
  }
}
