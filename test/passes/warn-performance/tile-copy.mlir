// Tests that a copy of a tile is warned of in a loop, and not that of a vector, nor after the loop.

// RUN: %tk-opt %s --tk-warn-performance --verify-diagnostics -o /dev/null
// RUN: %tk-opt %s --tk-warn-performance=silenced=tile-copy 2>&1 >/dev/null | count 0

hopper.kernel @copy(%A: !tk.global<?x?xbf16>, %n: i32, %v: !hopper.vector<64xf32, column>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.uninitialized : !hopper.fragment<64x64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-warning @below {{a tile is copied in every iteration, 32 registers a thread, because two values of it are needed at once}}
      %u = hopper.copy %t : !hopper.fragment<64x64xf32>
      %r = hopper.copy %v : !hopper.vector<64xf32, column>
    }
    %u = hopper.copy %t : !hopper.fragment<64x64xf32>
  }
}
