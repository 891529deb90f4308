// Tests that an accumulator which its loop's first MMA overwrites is filled where its registers are needed by the
// MMA after the loop, and stays as it is where they are not.

// RUN: %tk-opt %s --tk-fill-accumulators | FileCheck %s

!wide = !hopper.fragment<64x256xf32>
!half = !hopper.fragment<64x256xbf16>
!out = !hopper.fragment<64x128xf32>

// CHECK-LABEL: hopper.kernel @filled
// CHECK: hopper.tile_loop
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[T:.+]] = hopper.fill %[[ZERO]]
// CHECK: scf.for {{.+}} iter_args(%{{.+}} = %[[T]])
// CHECK: %[[TRUE:.+]] = arith.constant true
// CHECK: hopper.wgmma AB {{.+}} accumulate %[[TRUE]]
hopper.kernel @filled(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %false = arith.constant false
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x256xbf16>
  %c = hopper.alloc_ring "c" : !hopper.ring<1, 256x128xbf16>
  %d = hopper.alloc_ring "d" : !hopper.ring<1, 64x128xf32>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
      %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x256xbf16>
      %z = hopper.slot %c[%c0] : !hopper.ring<1, 256x128xbf16>
      %s = hopper.slot %d[%c0] : !hopper.ring<1, 64x128xf32>
      %t = hopper.uninitialized : !wide
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t_k = %t) -> (!wide) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        %next = hopper.wgmma AB %t_k, %x, %y accumulate %later : !wide, !hopper.shared<64x64xbf16>, !hopper.shared<64x256xbf16>
        scf.yield %next : !wide
      }
      %p = hopper.map (%e = %sum : !wide) -> !half {
        %0 = arith.truncf %e : f32 to bf16
        tk.yield %0 : bf16
      }
      %o = hopper.uninitialized : !out
      %r = hopper.wgmma AB %o, %p, %z accumulate %false : !out, !half, !hopper.shared<256x128xbf16>
      hopper.store_fragment %r[%c0, %c0] to %s : !out, !hopper.shared<64x128xf32>
    }
  }
}

// CHECK-LABEL: hopper.kernel @stored
// CHECK: hopper.uninitialized
// CHECK: %[[LATER:.+]] = arith.cmpi
// CHECK: hopper.wgmma AB {{.+}} accumulate %[[LATER]]
hopper.kernel @stored(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x256xbf16>
  %d = hopper.alloc_ring "d" : !hopper.ring<1, 64x256xf32>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
      %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x256xbf16>
      %s = hopper.slot %d[%c0] : !hopper.ring<1, 64x256xf32>
      %t = hopper.uninitialized : !wide
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t_k = %t) -> (!wide) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        %next = hopper.wgmma AB %t_k, %x, %y accumulate %later : !wide, !hopper.shared<64x64xbf16>, !hopper.shared<64x256xbf16>
        scf.yield %next : !wide
      }
      %twice = hopper.map (%e = %sum : !wide) -> !wide {
        %0 = arith.addf %e, %e : f32
        tk.yield %0 : f32
      }
      hopper.store_fragment %twice[%c0, %c0] to %s : !wide, !hopper.shared<64x256xf32>
    }
  }
}
