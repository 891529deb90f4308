// Tests that a row is not taken out of a tile of layout 'col'.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics -o /dev/null

tk.kernel @k(%x: f32) {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    tk.each warp of 4 (%w) {
      // expected-note @below {{a tile is declared here}}
      %t = tk.fill %x : !tk.tile<64x64xf32, register, col>
      // expected-note @below {{take it out of swap_layout of the tile}}
      // expected-error @below {{takes a vector out of a tile of layout 'col'}}
      %v = tk.slice %t[5, 0] : !tk.tile<64x64xf32, register, col> -> !tk.vector<64xf32, register, row>
    }
  }
}
