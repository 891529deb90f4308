// Tests that tile code that is left over is named.

// RUN: %tk-opt %s --tk-verify-stages --verify-diagnostics

tk.kernel @k(%C: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-error @below {{'tk.fill' is left after tk-insert-pipeline}}
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
  }
}
