// Tests that a copy names a tensor that is an argument: its map is made from it.

// RUN: %tk-opt %s --tk-legalize-for-emission --verify-diagnostics -o /dev/null

hopper.kernel @k(%A: !tk.global<?x?xbf16>, %B: !tk.global<?x?xbf16>, %flag: i1) {
  %c0 = arith.constant 0 : i32
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %T = arith.select %flag, %A, %B : !tk.global<?x?xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    // expected-error @below {{the tensor is not an argument of the kernel}}
    hopper.tma_store %t to %T[%c0, %c0] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
  }
}
