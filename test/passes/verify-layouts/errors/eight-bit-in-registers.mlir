// Tests that eight-bit elements are not multiplied from registers.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : f8E4M3FN
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.fill %h : !tk.tile<128x64xf8E4M3FN, register, row>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x64xf8E4M3FN, shared>
    // expected-note @below {{put the tile into an st<...>}}
    // expected-error @below {{A holds 'f8E4M3FN' when it should hold bf16 or f16}}
    %r = tk.mma ABt %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xf8E4M3FN, register, row>, !tk.tile<64x64xf8E4M3FN, shared>
  }
}
