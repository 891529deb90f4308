// Tests that a reduction along columns is warned of in a loop, if warps meet for it.

// RUN: %tk-opt %s --tk-warn-performance --verify-diagnostics -o /dev/null
// RUN: %tk-opt %s --tk-warn-performance=silenced=column-reduction 2>&1 >/dev/null | count 0

hopper.kernel @columns(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = hopper.alloc_ring "scratch" {swizzle = 128 : i64} : !hopper.ring<1, 16x64xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %s = hopper.slot %ring[%c0] : !hopper.ring<1, 16x64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-warning @below {{a reduction along columns goes through shared memory, and all warps meet twice}}
      %m = hopper.reduce_columns add %t across 1 through %s {barrier_id = 1 : i64} : !hopper.fragment<64x64xf32>, !hopper.shared<16x64xf32> -> !hopper.vector<64xf32, row>
    }
  }
}
