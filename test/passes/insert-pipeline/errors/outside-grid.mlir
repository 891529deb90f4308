// Tests that tile code outside the grid is refused.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

tk.kernel @outside(%A: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'tk.load' touches tiles outside the grid; move it into the grid's loop}}
  %a = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
  tk.grid (%m) in (%c1) {
  }
}
