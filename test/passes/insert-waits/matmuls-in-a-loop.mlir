// Tests the waits of a loop of MMAs: a fence before each, and the MMA before the newest in it.
// That wait stands outside of the branch that gives the stage back, and after the loop is one for all MMAs. There
// is none for the next tile, which the last one covers.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK-LABEL: hopper.kernel @matmuls
// CHECK: hopper.role consumer
// CHECK-NOT: hopper.wait_grid_dependency
// CHECK: hopper.uninitialized
// CHECK-NOT: hopper.fence_registers
// CHECK: scf.for
// CHECK: hopper.fence_registers because "acc passes from this thread's code to the tensor cores; ptxas wants it in the loop"
// CHECK-NEXT: hopper.wgmma
// CHECK-NEXT: hopper.commit_wgmma
// CHECK-NEXT: hopper.wait_wgmma 1 because "the MMA before this one has read its stage"
// CHECK-NEXT: scf.if
// CHECK-NEXT: hopper.arrive
// CHECK: hopper.wait_wgmma 0 because "the MMA has read its stage"
// CHECK-NEXT: hopper.arrive
// CHECK-NOT: hopper.wait_wgmma
hopper.kernel @matmuls(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
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
        hopper.commit_wgmma
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
