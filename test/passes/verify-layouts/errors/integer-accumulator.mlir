// Tests that an MMA of eight-bit integers needs an i32 accumulator.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xi8>, %C: !tk.global<?x?xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x?xi8> -> !tk.tile<64x64xi8, shared>
    // expected-note @below {{a tile is declared here}}
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    // expected-note @below {{declare it as an rt<int32, ...> and convert the sum}}
    // expected-error @below {{the accumulator holds 'f32' when it should hold i32}}
    %r = tk.mma ABt %t, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xi8, shared>, !tk.tile<64x64xi8, shared>
    tk.store %C[%m, %c0], %r : !tk.global<?x?xf32>, !tk.tile<64x64xf32, register, row>
  }
}
