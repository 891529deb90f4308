// Tests that a role has warpgroups, no more than a block.

// RUN: %tk-opt %s --split-input-file --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-error @below {{needs at least one warpgroup, this one has 0}}
  hopper.role consumer warpgroups 0 {
  ^bb0(%w: i32):
  }
}

// -----

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  // expected-error @below {{needs at least one warpgroup, this one has -1}}
  hopper.role consumer warpgroups -1 {
  ^bb0(%w: i32):
  }
}

// -----

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  // expected-error @below {{has 9 warpgroups, more than the 8 of a block}}
  hopper.role consumer warpgroups 9 {
  ^bb0(%w: i32):
  }
}
