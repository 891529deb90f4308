// Tests that warps come in whole warpgroups.

// RUN: %tk-opt %s --tk-distribute --verify-diagnostics

tk.kernel @warps() {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-error @below {{the scope has 6 warps when it should have a multiple of 4, whole warpgroups}}
    tk.each warp of 6 (%w) {
    }
  }
}
