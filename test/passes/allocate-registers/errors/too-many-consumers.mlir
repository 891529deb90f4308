// Tests that more consumers than a block has are refused.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-error @below {{a block has 1 to 4 compute warpgroups, not 7}}
  hopper.role consumer warpgroups 7 {
  ^bb0(%w: i32):
  }
}
