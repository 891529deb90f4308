// Tests that a shared tile that is stored has whole m64 blocks.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{a tile is declared here}}
    %t = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<48x64xbf16, shared>
    // expected-note @below {{it is stored by way of registers; make it 64 rows high}}
    // expected-error @below {{a tile has 48 rows when a stored tile's height should be a multiple of 64}}
    tk.store %A[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<48x64xbf16, shared>
  }
}
