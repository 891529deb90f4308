// Tests that the user's registers are refused if they go the wrong way.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 registers 40 {
  }
  // expected-error @below {{'registers(40, 160)' must give a producer at most, and a consumer at least, the 168 registers with which every thread starts}}
  hopper.role consumer warpgroups 2 registers 160 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
  }
}
