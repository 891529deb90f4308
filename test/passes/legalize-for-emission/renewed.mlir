// Tests that new content for an accumulator which nobody has read since its MMA is marked; not where it is read, and not
// where the variable begins.

// RUN: %tk-opt %s --tk-legalize-for-emission | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!shared = !hopper.shared<64x64xbf16>

// CHECK-LABEL: hopper.kernel @renewed
// CHECK-NOT: hopper.renews
// CHECK: scf.for
// CHECK: hopper.copy %{{.*}} {hopper.renews = array<i64: 0>}
// CHECK-NOT: hopper.renews
hopper.kernel @renewed(%n: i32 {tk.name = "n"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %x = hopper.alloc_ring "x" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %t = hopper.slot %x[%c0] : !hopper.ring<1, 64x64xbf16>
    %start = hopper.fill %zero : f32, !tile loc("start")
    %init = hopper.fill %zero : f32, !tile loc("acc")
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %init) -> (!tile) : i32 {
      hopper.wait_wgmma 0 because "one"
      %new = hopper.copy %start : !tile
      %next = hopper.wgmma AB %new, %t, %t accumulate %true : !tile, !shared, !shared
      hopper.commit_wgmma
      scf.yield %next : !tile
    }
    %sum = hopper.fill %zero : f32, !tile loc("sum")
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%old = %sum) -> (!tile) : i32 {
      hopper.wait_wgmma 0 because "one"
      %read = hopper.map (%e = %old : !tile) -> !tile {
        %0 = arith.addf %e, %e : f32
        tk.yield %0 : f32
      }
      %next = hopper.wgmma AB %read, %t, %t accumulate %true : !tile, !shared, !shared
      hopper.commit_wgmma
      scf.yield %next : !tile
    }
  }
}
