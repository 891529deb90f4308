// Tests that a column tile cannot be stored.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c4) {
    // expected-note @below {{is declared here}}
    %t = tk.fill %zero : !tk.tile<128x64xf32, register, col>

    // expected-note @below {{pass swap_layout of it}}
    // expected-error @below {{the tile's layout is 'col' when it should be 'row'}}
    tk.store %C[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, col>
  }
}
