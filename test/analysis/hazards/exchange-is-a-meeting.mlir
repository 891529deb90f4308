// Tests that an op which exchanges through scratch memory is a meeting itself.

// RUN: %tk-opt %s --test-hazards --verify-diagnostics -o /dev/null

hopper.kernel @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 8x64xf32>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %all = hopper.slot %p[%c0] : !hopper.ring<1, 8x64xf32>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %r = hopper.reduce_columns add %x across 2 through %all : !hopper.fragment<64x64xf32>, !hopper.shared<8x64xf32> -> !hopper.vector<64xf32, row>
    }
  }
}
