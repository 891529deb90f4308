// Tests that the layout tag of an operand of a warp's MMA fits the form.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warp of 4 (%w) {
      %acc = tk.fill %zero : !tk.tile<16x64xf32, register, row>
      %a = tk.fill %h : !tk.tile<16x64xbf16, register, row>
      // expected-note @below {{declared here}}
      %b = tk.fill %h : !tk.tile<64x64xbf16, register, row>
      // expected-note @below {{pass swap_layout of it; it costs 4 movmatrix for each 16 x 16}}
      // expected-error @below {{B of mma_AB has the layout 'row' when it should be 'col'}}
      %r = tk.mma AB %acc, %a, %b : !tk.tile<16x64xf32, register, row>, !tk.tile<16x64xbf16, register, row>, !tk.tile<64x64xbf16, register, row>
    }
  }
}
