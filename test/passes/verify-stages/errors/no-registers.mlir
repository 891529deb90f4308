// Tests that both roles have registers.

// RUN: %tk-opt %s --tk-verify-stages --verify-diagnostics

// expected-error @below {{a role has no registers after tk-allocate-registers}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 256 : i64} {
  hopper.role producer warpgroups 1 {
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}
