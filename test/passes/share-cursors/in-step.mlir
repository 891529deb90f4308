// Tests which cursors of a role become one: those of as many stages that advance as often in the same blocks, where the last of them did.
// Not so a cursor that is used between, that advances elsewhere or over several stages, that has other stages, or that hands tiles over.

// RUN: %tk-opt %s --tk-share-cursors | FileCheck %s

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<2, 64x64xbf16>
  %c = hopper.alloc_ring "c" : !hopper.ring<2, 64x64xbf16>
  %d = hopper.alloc_ring "d" : !hopper.ring<3, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  %b_full = hopper.alloc_barrier "b_full" arrivals 1 : !hopper.barrier<2>
  %d_full = hopper.alloc_barrier "d_full" arrivals 1 : !hopper.barrier<3>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<2>
  // CHECK: hopper.role consumer
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    // CHECK: %[[BETWEEN:.*]] = hopper.cursor "between_use" : <2>
    // CHECK-NEXT: %[[USE:.*]] = hopper.cursor "use" : <2>
    // CHECK-NEXT: %[[OUTSIDE:.*]] = hopper.cursor "outside_use" : <2>
    // CHECK-NEXT: %[[THREE:.*]] = hopper.cursor "d_use" : <3>
    // CHECK-NEXT: %[[TWO:.*]] = hopper.cursor "two_use" : <2>
    // CHECK-NEXT: %[[WRITE:.*]] = hopper.cursor "c_fill" : <2>
    // CHECK-NEXT: hopper.tile_loop
    %between = hopper.cursor "between_use" : !hopper.cursor<2>
    %a_use = hopper.cursor "a_use" : !hopper.cursor<2>
    %b_use = hopper.cursor "b_use" : !hopper.cursor<2>
    %outside = hopper.cursor "outside_use" : !hopper.cursor<2>
    %d_use = hopper.cursor "d_use" : !hopper.cursor<3>
    %two = hopper.cursor "two_use" : !hopper.cursor<2>
    %c_fill = hopper.cursor "c_fill" : !hopper.cursor<2>
    hopper.tile_loop (%m) in (%tiles) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %full[%a_use] because "a test" : !hopper.barrier<2>
        hopper.advance %between : !hopper.cursor<2>
        hopper.wait_barrier %full[%between] because "a test" : !hopper.barrier<2>
        // CHECK: hopper.wait_barrier %{{.*}}[%[[BETWEEN]]]
        // CHECK-NEXT: hopper.wait_barrier %{{.*}}[%[[USE]]]
        // CHECK-NEXT: hopper.advance %[[USE]]
        // CHECK-NEXT: hopper.advance %[[THREE]]
        // CHECK-NEXT: hopper.advance %[[TWO]] by
        // CHECK-NEXT: hopper.wait_barrier %{{.*}}[%[[WRITE]]] previous
        // CHECK-NEXT: hopper.arrive %{{.*}}[%[[WRITE]]]
        // CHECK-NEXT: hopper.advance %[[WRITE]]
        hopper.advance %a_use : !hopper.cursor<2>
        hopper.wait_barrier %b_full[%b_use] because "a test" : !hopper.barrier<2>
        hopper.advance %b_use : !hopper.cursor<2>
        hopper.advance %d_use : !hopper.cursor<3>
        hopper.advance %two by %c1 : !hopper.cursor<2>
        hopper.wait_barrier %empty[%c_fill] previous because "a test" : !hopper.barrier<2>
        hopper.arrive %full[%c_fill] : !hopper.barrier<2>
        hopper.advance %c_fill : !hopper.cursor<2>
      }
      // CHECK: hopper.advance %[[OUTSIDE]]
      hopper.advance %outside : !hopper.cursor<2>
    }
  }
}
