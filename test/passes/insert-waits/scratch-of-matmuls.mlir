// Tests scratch that only MMAs of the own warpgroup read: who has waited for the MMA may write it again without
// meeting anybody, because an MMA is over for a whole warpgroup (PTX ISA, wgmma.commit_group).

// RUN: %tk-opt %s --tk-insert-waits --tk-check-protocol | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK-LABEL: hopper.kernel @k
// CHECK: scf.for
// CHECK-NOT: hopper.sync
// CHECK: hopper.wait_wgmma 0 because "the MMA has read the old content of p"
// CHECK-NEXT: hopper.store_fragment
// CHECK: hopper.fence_async_proxy
// CHECK-NEXT: hopper.sync_warpgroup because "the warpgroup has written p"
// CHECK: hopper.wgmma
// CHECK-NOT: hopper.sync
hopper.kernel @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %p = hopper.alloc_ring "p" : !hopper.ring<2, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %mine = hopper.slot %p[%w] : !hopper.ring<2, 64x64xbf16>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %o = hopper.wgmma ABt %o0, %mine, %mine accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
    }
  }
}
