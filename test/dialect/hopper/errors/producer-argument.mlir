// Tests that a producer has no argument.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-error @below {{a producer has 0 body arguments, this one has 1}}
  hopper.role producer warpgroups 1 {
  ^bb0(%w: i32):
  }
}
