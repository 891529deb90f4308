// Tests that A in registers is M x K.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.fill %h : !tk.tile<64x128xbf16, register, row>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-note @below {{store it to an st<...>, or pass transpose(...) of it}}
    // expected-error @below {{A is transposed and in registers when it should be M x K}}
    %r = tk.mma AtB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<64x128xbf16, register, row>, !tk.tile<64x64xbf16, shared>
  }
}
