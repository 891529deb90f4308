// Tests that a ring of one stage is warned of if its load stands in a loop.

// RUN: %tk-opt %s --tk-warn-performance --verify-diagnostics -o /dev/null
// RUN: %tk-opt %s --tk-warn-performance=silenced=shallow-ring 2>&1 >/dev/null | count 0

hopper.kernel @shallow(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = hopper.alloc_ring "q" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %k = hopper.alloc_ring "k" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %v = hopper.alloc_ring "v" {swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<1>
  %fuller = hopper.alloc_barrier "fuller" arrivals 1 : !hopper.barrier<2>
  hopper.role producer warpgroups 1 {
    %one = hopper.cursor "one" : !hopper.cursor<1>
    %two = hopper.cursor "two" : !hopper.cursor<2>
    %s = hopper.stage %q[%one] : !hopper.ring<1, 64x64xbf16>
    hopper.tma_load %A[%c0, %c0] to %s signals %full[%one] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<1>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %t = hopper.stage %k[%one] : !hopper.ring<1, 64x64xbf16>
      // expected-warning @below {{'k' has one stage, so that each load of this loop waits until the one before has been read}}
      hopper.tma_load %A[%i, %c0] to %t signals %full[%one] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<1>
      %u = hopper.stage %v[%two] : !hopper.ring<2, 64x64xbf16>
      hopper.tma_load %A[%i, %c0] to %u signals %fuller[%two] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
    }
  }
}
