// Tests that a height that is no multiple of 64 is refused once, with a height that would do.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{make the tile 128 rows high}}
    // expected-error @below {{a tile has 96 rows when a register tile's height should be a multiple of 64}}
    %acc = tk.fill %zero : !tk.tile<96x64xf32, register, row>
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<96x64xbf16, shared> loc("a")
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
    %r = tk.mma AB %acc, %a, %b : !tk.tile<96x64xf32, register, row>, !tk.tile<96x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
  }
}
