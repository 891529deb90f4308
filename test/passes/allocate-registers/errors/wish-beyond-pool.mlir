// Tests that the user's registers are refused if the block's pool is smaller: the consumers would wait for ever.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 registers 40 {
  }
  // expected-error @below {{'registers(40, 240)' asks for 520 registers for a thread of each of 3 warpgroups, which start with 504}}
  hopper.role consumer warpgroups 2 registers 240 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
  }
}
