// Tests that the fence after a thread's reads of a stage stands before the wait for MMAs, which take their time
// anyway, if nothing reads between the two.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK: hopper.role consumer
// CHECK: hopper.commit_wgmma
// CHECK: hopper.load_element
// CHECK-NEXT: hopper.fence_async_proxy because "TMA writes through another proxy, which could overtake the reads of e"
// CHECK-NEXT: hopper.wait_wgmma 0
// CHECK-NEXT: hopper.arrive
// CHECK-NOT: hopper.fence_async_proxy
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %E: !tk.global<?x?xf32> {tk.name = "E"}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %e = hopper.alloc_ring "e" : !hopper.ring<2, 1x32xf32>
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %full = hopper.alloc_barrier "full" arrivals 2 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.fence_barrier_init because "a test"
  hopper.sync_block because "a test"
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
      %at = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
      %et = hopper.stage %e[%fill] : !hopper.ring<2, 1x32xf32>
      hopper.copy_element %E[%m, %c0] to %et signals %full[%fill] : !tk.global<?x?xf32>, !hopper.shared<1x32xf32>, !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
      %at = hopper.stage %a[%use] : !hopper.ring<2, 64x64xbf16>
      %et = hopper.stage %e[%use] : !hopper.ring<2, 1x32xf32>
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      %s = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      %x = hopper.load_element %et : !hopper.shared<1x32xf32> -> f32
      hopper.arrive %empty[%use] : !hopper.barrier<2>
      hopper.advance %use : !hopper.cursor<2>
    }
  }
}
