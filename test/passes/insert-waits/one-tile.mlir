// Tests that a block of one tile does not wait for stores of a tile before: its first store finds the buffer free. A
// persistent block waits.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: sed 's/attributes {persistent = false}/attributes {persistent = true}/' %s > %t.mlir
// RUN: %tk-opt %t.mlir --tk-insert-waits | FileCheck %s --check-prefix=MORE
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK-LABEL: hopper.kernel @one
// CHECK: hopper.role consumer
// CHECK: hopper.wgmma
// CHECK-NOT: hopper.wait_stores_read
// CHECK-NOT: hopper.sync
// CHECK: hopper.store_fragment
// CHECK-NEXT: hopper.fence_async_proxy
// CHECK-NEXT: hopper.sync_warpgroup because "all of the buffer is written"
// CHECK-NEXT: hopper.tma_store
// MORE-LABEL: hopper.kernel @one
// MORE: hopper.wait_stores_read 0 because "the store that used this buffer before has read it"
// MORE-NEXT: hopper.sync_warpgroup because "the warpgroup knows the buffer is free"
// MORE-NEXT: hopper.store_fragment
hopper.kernel @one(%C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {persistent = false} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    hopper.wait_grid_dependency because "a test"
    hopper.tile_loop (%m) in (%c4) {
      %at = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
      %start = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("acc")
      %acc = hopper.wgmma ABt %start, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
      hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
      hopper.tma_store %slot to %C[%m, %c0] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
    }
  }
}
