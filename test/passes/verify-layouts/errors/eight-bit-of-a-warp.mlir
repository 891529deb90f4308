// Tests that a warp multiplies no eight-bit elements.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : f8E4M3FN
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warp of 4 (%w) {
      %acc = tk.fill %zero : !tk.tile<16x64xf32, register, row>
      // expected-note @below {{declared here}}
      %a = tk.fill %h : !tk.tile<16x64xf8E4M3FN, register, row>
      %b = tk.fill %h : !tk.tile<64x64xf8E4M3FN, register, row>
      // expected-note @below {{convert the tile, or multiply tiles of 64 rows outside of warps(n)}}
      // expected-error @below {{A holds 'f8E4M3FN' when it should hold bf16 or f16}}
      %r = tk.mma ABt %acc, %a, %b : !tk.tile<16x64xf32, register, row>, !tk.tile<16x64xf8E4M3FN, register, row>, !tk.tile<64x64xf8E4M3FN, register, row>
    }
  }
}
