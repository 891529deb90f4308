// Tests that two places of one ring do not overlap: the second tile would be used while the first one is.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

tk.kernel @overlap(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{that one is loaded here}}
    %a = tk.load %A[%m, %m] {ring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-error @below {{this tile is used before the one that its ring held before is given back}}
    %b = tk.load %A[%m, %c1] {ring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %y = tk.read %b : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    %x = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %A[%m, %c1], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
    tk.store %A[%m, %c1], %y : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}
