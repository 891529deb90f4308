// Tests that consumers ping-pong at starting the MMAs of a loop whose exponentials need as long as they do.
// The fence that hands over the first MMA's registers is part of the ping-pong step; each role begins and ends its ping-pong steps.

// RUN: %tk-opt %s --tk-pingpong-warpgroups | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!shared = !hopper.shared<64x64xbf16>

// CHECK-LABEL: hopper.kernel @softmax
// CHECK: hopper.role consumer
// CHECK-NEXT: ^bb0
// CHECK-NEXT: hopper.pingpong_begin because "the first warpgroup begins"
// CHECK: scf.for
// CHECK-NEXT: hopper.pingpong_acquire because "the warpgroup before this one has started its MMAs"
// CHECK-NEXT: hopper.fence_registers
// CHECK-NEXT: {{.*}}hopper.wgmma
// CHECK-NEXT: hopper.commit_wgmma
// CHECK-NEXT: hopper.fence_registers
// CHECK-NEXT: {{.*}}hopper.wgmma
// CHECK-NEXT: hopper.commit_wgmma
// CHECK-NEXT: hopper.pingpong_release because "the next one starts its MMAs while this one computes"
// CHECK-NEXT: hopper.wait_wgmma
// CHECK: hopper.pingpong_end because "the last release has to be acquired, too"
// CHECK-NEXT: }
hopper.kernel @softmax(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %false = arith.constant false
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %s = hopper.uninitialized : !tile
    %o = hopper.uninitialized : !tile
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.fence_registers because "s is handed over"
      %s1 = hopper.wgmma ABt %s, %x, %x accumulate %false : !tile, !shared, !shared
      hopper.commit_wgmma
      hopper.fence_registers because "o is handed over"
      %o1 = hopper.wgmma ABt %o, %x, %x accumulate %false : !tile, !shared, !shared
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "s is read"
      %e1 = hopper.map (%e = %s1 : !tile) -> !tile {
        %0 = math.exp2 %e : f32
        tk.yield %0 : f32
      }
    }
  }
}
