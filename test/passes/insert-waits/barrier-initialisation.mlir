// Tests that mbarriers are initialised for TMA and for all threads.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK-LABEL: hopper.kernel @init
// CHECK: hopper.init_barrier
// CHECK: hopper.init_barrier
// CHECK-NEXT: hopper.fence_barrier_init
// CHECK-NEXT: hopper.sync_block
// CHECK: hopper.role producer
// CHECK-NEXT: hopper.wait_grid_dependency because "the kernel before this one may still be writing A"
hopper.kernel @init(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
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
