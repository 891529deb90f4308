// Tests that a scope of warpgroups or warps has none inside.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{the first one is here}}
    tk.each warpgroup of 2 (%w) {
      // expected-error @below {{a grid has one scope of warpgroups or warps, this is its second}}
      tk.each warp of 4 (%v) {
      }
    }
  }
}
