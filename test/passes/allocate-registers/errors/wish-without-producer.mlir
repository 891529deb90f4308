// Tests that the user's registers are refused where nobody gives any away.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'registers' has no effect here, for nothing is loaded by TMA and all warpgroups are alike; leave it out}}
  hopper.role consumer warpgroups 2 registers 232 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
  }
}
