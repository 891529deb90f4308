// Tests that an op with effects is refused in the grid: all roles would do it.

// RUN: %tk-opt %s --tk-insert-pipeline -allow-unregistered-dialect --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-error @below {{'test.print' has effects that the roles of a block cannot share}}
    "test.print"(%m) : (i32) -> ()
  }
}
