// Tests that only warps have tiles of layout 'col'.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  tk.grid (%m) in (%c1) {
    // expected-note @below {{only in a loop over warps(n) are there MMAs that take 'col'}}
    // expected-error @below {{a tile has the layout 'col' when it should be 'row'}}
    %a = tk.fill %h : !tk.tile<64x64xbf16, register, col>
  }
}
