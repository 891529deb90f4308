// Tests that a block has room for the scope's warpgroups.

// RUN: %tk-opt %s --tk-distribute --verify-diagnostics

tk.kernel @many() {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-error @below {{the scope has 5 warpgroups, but a block has at most 4 compute warpgroups}}
    tk.each warpgroup of 5 (%w) {
    }
  }
}
