// Tests that a store whose index may be negative is refused: TMA would trap.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c4) {
    %t = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{it is computed here}}
    %row = arith.subi %m, %c4 : i32
    // expected-note @below {{bound the index, for example by max(0, ...)}}
    // expected-error @below {{index 0 of this store may be negative when it should be at least 0}}
    tk.store %C[%row, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, row>
  }
}
