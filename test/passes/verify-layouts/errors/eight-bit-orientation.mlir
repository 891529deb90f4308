// Tests that eight-bit operands have K contiguous.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<128x64xf8E4M3FN, shared>
    // expected-note @below {{declared here}}
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x64xf8E4M3FN, shared>
    // expected-note @below {{load B as N x K and use mma_ABt}}
    // expected-error @below {{B holds 'f8E4M3FN' and is contiguous along N when it should be along K}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xf8E4M3FN, shared>, !tk.tile<64x64xf8E4M3FN, shared>
  }
}
