// Tests that an MMA needs a row accumulator.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{a tile is declared here}}
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, col>
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
    // expected-note @below {{declare it without 'col'}}
    // expected-error @below {{the accumulator's layout is 'col' when it should be 'row'}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, col>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
  }
}
