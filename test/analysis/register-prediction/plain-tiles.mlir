// Tests that a role without tiles has an upper bound, and that a consumer needs more than its tiles: 64 registers.

// RUN: %tk-opt %s --test-register-prediction --verify-diagnostics -o /dev/null

hopper.kernel @plain(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  // expected-remark @below {{expects 24, at least 24}}
  hopper.role producer warpgroups 1 {
  }
  // expected-remark @below {{expects 89, at least 82, has enough with 104}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    // expected-remark @below {{the most}}
    %acc = hopper.fill %zero : f32, !hopper.fragment<64x128xf32>
    %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
    hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>
  }
}
