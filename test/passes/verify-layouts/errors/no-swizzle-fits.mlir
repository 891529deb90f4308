// Tests that a row that no swizzle fits is refused.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  tk.grid (%m) in (%c0) {
    // expected-note @below {{make the tile 32 columns wide}}
    // expected-error @below {{a row of 16 'f8E4M3FN' takes 16 bytes when it should be a multiple of 32}}
    %a = tk.load %A[%m, %m] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x16xf8E4M3FN, shared>
  }
}
