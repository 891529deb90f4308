// Tests that a store converts from f32 only.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f16
  tk.grid (%m) in (%c4) {
    // expected-note @below {{is declared here}}
    %t = tk.fill %zero : !tk.tile<128x64xf16, register, row>

    // expected-note @below {{store a tile of f32}}
    // expected-error @below {{stores a tile of 'f16' to a tensor of 'bf16'}}
    tk.store %C[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<128x64xf16, register, row>
  }
}
