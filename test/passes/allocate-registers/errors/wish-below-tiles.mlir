// Tests that the user's registers are refused if the tiles do not fit.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 registers 96 {
  }
  // expected-error @below {{'registers(96, 184)' leaves 166 registers for tiles, but those alive here need 176}}
  hopper.role consumer warpgroups 2 registers 184 {
  ^bb0(%w: i32):
    // expected-note @below {{a tile holds 176}}
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x352xf32>
  }
}
