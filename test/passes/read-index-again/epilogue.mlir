// Tests that an epilogue reads the index of its warpgroup again where the mainloop has no registers left, and that all
// of it that follows from the index uses the new one, what was computed before the mainloop too.

// RUN: %tk-opt %s --tk-read-index-again | FileCheck %s

!acc = !hopper.fragment<64x256xf32>

// CHECK-LABEL: hopper.kernel @full
// CHECK: ^bb0(%[[OLD:.+]]: i32)
// CHECK: hopper.tile_loop
// CHECK: arith.muli %[[OLD]]
// CHECK: scf.for
// CHECK: hopper.wgmma
// CHECK: }
// CHECK-NEXT: %[[NEW:.+]] = hopper.warpgroup_index because "read again
// CHECK-NEXT: %[[ROW:.+]] = arith.muli %[[NEW]], %{{.+}} : i32
// CHECK-NOT: %[[OLD]]
// CHECK: %[[SLOT:.+]] = hopper.slot %{{.+}}[%[[NEW]]]
// CHECK: hopper.store_fragment %{{.+}}[%[[ROW]], %{{.+}}] to %[[SLOT]]
hopper.kernel @full(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x256xbf16>
  %d = hopper.alloc_ring "d" : !hopper.ring<2, 64x256xf32>
  hopper.role consumer warpgroups 2 registers 152 {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %row = arith.muli %w, %c64 : i32
      %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x256xbf16>
      %x = hopper.slot %a[%w] : !hopper.ring<2, 64x64xbf16>
      %t = hopper.uninitialized : !acc
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t_k = %t) -> (!acc) : i32 {
        %next = hopper.wgmma AB %t_k, %x, %y accumulate %true : !acc, !hopper.shared<64x64xbf16>, !hopper.shared<64x256xbf16>
        scf.yield %next : !acc
      }
      %s = hopper.slot %d[%w] : !hopper.ring<2, 64x256xf32>
      hopper.store_fragment %sum[%row, %c0] to %s : !acc, !hopper.shared<64x256xf32>
    }
  }
}

// One tile for each block: nothing is computed before the first one.
// CHECK-LABEL: hopper.kernel @one_tile
// CHECK-NOT: hopper.warpgroup_index
hopper.kernel @one_tile(%n: i32) attributes {persistent = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x256xbf16>
  %d = hopper.alloc_ring "d" : !hopper.ring<2, 64x256xf32>
  hopper.role consumer warpgroups 2 registers 152 {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x256xbf16>
      %x = hopper.slot %a[%w] : !hopper.ring<2, 64x64xbf16>
      %t = hopper.uninitialized : !acc
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t_k = %t) -> (!acc) : i32 {
        %next = hopper.wgmma AB %t_k, %x, %y accumulate %true : !acc, !hopper.shared<64x64xbf16>, !hopper.shared<64x256xbf16>
        scf.yield %next : !acc
      }
      %s = hopper.slot %d[%w] : !hopper.ring<2, 64x256xf32>
      hopper.store_fragment %sum[%c0, %c0] to %s : !acc, !hopper.shared<64x256xf32>
    }
  }
}

// Registers are left.
// CHECK-LABEL: hopper.kernel @roomy
// CHECK-NOT: hopper.warpgroup_index
hopper.kernel @roomy(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x256xbf16>
  %d = hopper.alloc_ring "d" : !hopper.ring<2, 64x256xf32>
  hopper.role consumer warpgroups 2 registers 232 {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x256xbf16>
      %x = hopper.slot %a[%w] : !hopper.ring<2, 64x64xbf16>
      %t = hopper.uninitialized : !acc
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t_k = %t) -> (!acc) : i32 {
        %next = hopper.wgmma AB %t_k, %x, %y accumulate %true : !acc, !hopper.shared<64x64xbf16>, !hopper.shared<64x256xbf16>
        scf.yield %next : !acc
      }
      %s = hopper.slot %d[%w] : !hopper.ring<2, 64x256xf32>
      hopper.store_fragment %sum[%c0, %c0] to %s : !acc, !hopper.shared<64x256xf32>
    }
  }
}
