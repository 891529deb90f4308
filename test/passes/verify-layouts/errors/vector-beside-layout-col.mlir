// Tests that vectors do not meet tiles of layout 'col'.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warp of 4 (%w) {
      // expected-note @below {{declared here}}
      %a = tk.fill %h : !tk.tile<16x64xf32, register, col>
      // expected-note @below {{reduce swap_layout of the tile}}
      // expected-error @below {{reduces a tile of layout 'col'}}
      %v = tk.reduce add rows %a : !tk.tile<16x64xf32, register, col> -> !tk.vector<16xf32, register, column>
      // expected-note @below {{vectors lie along tiles of layout 'row'}}
      // expected-error @below {{combines a tile of layout 'col' with a vector}}
      %b = tk.map (%x = %a : !tk.tile<16x64xf32, register, col>, %y = %v : !tk.vector<16xf32, register, column>) -> !tk.tile<16x64xf32, register, col> {
        %z = arith.addf %x, %y : f32
        tk.yield %z : f32
      }
    }
  }
}
