// Tests that a kernel is warned of that may need more registers than it has, at the line that needs most.
// It is not where they suffice, though no more than 40 are left beside the tiles.

// RUN: %tk-opt %s --tk-warn-performance --verify-diagnostics -o /dev/null
// RUN: %tk-opt %s --tk-warn-performance=silenced=registers 2>&1 >/dev/null | count 0

hopper.kernel @full(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" {swizzle = 128 : i64} : !hopper.ring<1, 64x32xf32>
  hopper.role consumer warpgroups 2 registers 232 {
  ^bb0(%w: i32):
    %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x32xf32>
    // expected-warning @below {{up to 240 registers a thread are needed here and 232 are there, so ptxas may spill, or serialise wgmma; give the tiles fewer columns, or rows for more compute warpgroups}}
    %x = hopper.fill %zero : f32, !hopper.fragment<64x400xf32>
    hopper.store_fragment %x[%c0, %c0] to %slot : !hopper.fragment<64x400xf32>, !hopper.shared<64x32xf32>
  }
}

hopper.kernel @enough(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" {swizzle = 128 : i64} : !hopper.ring<1, 64x32xf32>
  hopper.role consumer warpgroups 2 registers 240 {
  ^bb0(%w: i32):
    %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x32xf32>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x400xf32>
    hopper.store_fragment %x[%c0, %c0] to %slot : !hopper.fragment<64x400xf32>, !hopper.shared<64x32xf32>
  }
}
