// Tests that a second grid is refused.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

tk.kernel @twice() attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
  // expected-note @below {{the first one is here; put the other into a kernel of its own}}
  tk.grid (%m) in (%c1) {
  }
  // expected-error @below {{a kernel has one grid, this is its second}}
  tk.grid (%m) in (%c1) {
  }
}
