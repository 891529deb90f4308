// Tests that the accumulator of a loop is kept while it is stored and packed.
// A consumer that is alone computes more in advance.

// RUN: %tk-opt %s --test-register-prediction --verify-diagnostics -o /dev/null

hopper.kernel @accumulated(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x128xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  // expected-remark @below {{expects 116, at least 82, has enough with 96}}
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %acc = hopper.uninitialized : !hopper.fragment<64x128xf32>
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x128xbf16>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc_k = %acc) -> (!hopper.fragment<64x128xf32>) : i32 {
      %next = hopper.wgmma AB %acc_k, %x, %y accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x128xbf16>
      scf.yield %next : !hopper.fragment<64x128xf32>
    }
    scf.for %slice = %c0 to %c2 step %c1 : i32 {
      %column = arith.muli %slice, %c64 : i32
      %slot = hopper.slot %staging[%slice] : !hopper.ring<2, 64x64xbf16>
      // expected-remark @below {{the most}}
      hopper.store_fragment %sum[%c0, %column] to %slot : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>
    } {hopper.unroll}
  }
}
