// Tests that at most 7 groups can stay pending.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-error @below {{maximum value is 7}}
  hopper.wait_wgmma 8 because "a test"
}
