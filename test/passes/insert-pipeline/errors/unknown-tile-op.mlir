// Tests that an op nobody knows does not take tiles.

// RUN: %tk-opt %s --tk-insert-pipeline -allow-unregistered-dialect --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    // expected-error @below {{'test.use' cannot take or make tiles}}
    "test.use"(%t) : (!tk.tile<64x64xf32, register, row>) -> ()
  }
}
