// Tests that a role has warpgroups.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-error @below {{needs at least one warpgroup, this one has 0}}
  hopper.role consumer warpgroups 0 {
  ^bb0(%w: i32):
  }
}
