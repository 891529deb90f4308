// Tests that an op with effects outside of the grid is refused: no role would do it.

// RUN: %tk-opt %s --tk-insert-pipeline -allow-unregistered-dialect --verify-diagnostics -o /dev/null

tk.kernel @k() attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'test.print' cannot stand outside the grid}}
  "test.print"(%c1) : (i32) -> ()
  tk.grid (%m) in (%c1) {
  }
}
