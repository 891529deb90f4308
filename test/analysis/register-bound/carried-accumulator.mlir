// Tests that an accumulator which its loop's first MMA overwrites at run time keeps its registers, 32 here, beside the
// operand and the accumulator of the MMA after the loop, 16 and 64. After a fill it does not.

// RUN: %tk-opt %s --test-register-prediction --verify-diagnostics -o /dev/null

!acc = !hopper.fragment<64x64xf32>
!half = !hopper.fragment<64x64xbf16>
!out = !hopper.fragment<64x128xf32>
!tile = !hopper.shared<64x64xbf16>
!wide = !hopper.shared<64x128xbf16>

hopper.kernel @carried(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %false = arith.constant false
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x128xbf16>
  // expected-remark @below {{has enough with 152}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
      %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x128xbf16>
      %t = hopper.uninitialized : !acc
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t_k = %t) -> (!acc) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        %next = hopper.wgmma AB %t_k, %x, %x accumulate %later : !acc, !tile, !tile
        scf.yield %next : !acc
      }
      %p = hopper.map (%e = %sum : !acc) -> !half {
        %0 = arith.truncf %e : f32 to bf16
        tk.yield %0 : bf16
      }
      // expected-remark @below {{the most}}
      %o = hopper.uninitialized : !out
      %r = hopper.wgmma AB %o, %p, %y accumulate %false : !out, !half, !wide
      hopper.wait_wgmma 0 for %r because "test" : !out
    }
  }
}

hopper.kernel @filled(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x128xbf16>
  // expected-remark @below {{has enough with 120}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
      %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x128xbf16>
      %t = hopper.fill %zero : f32, !acc
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t_k = %t) -> (!acc) : i32 {
        %next = hopper.wgmma AB %t_k, %x, %x accumulate %true : !acc, !tile, !tile
        scf.yield %next : !acc
      }
      %p = hopper.map (%e = %sum : !acc) -> !half {
        %0 = arith.truncf %e : f32 to bf16
        tk.yield %0 : bf16
      }
      // expected-remark @below {{the most}}
      %o = hopper.uninitialized : !out
      %r = hopper.wgmma AB %o, %p, %y accumulate %false : !out, !half, !wide
      hopper.wait_wgmma 0 for %r because "test" : !out
    }
  }
}
