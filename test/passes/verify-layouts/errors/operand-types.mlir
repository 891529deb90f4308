// Tests that operands the tensor cores cannot multiply are refused.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xi32> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xi32> -> !tk.tile<128x64xi32, shared>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xi32> -> !tk.tile<64x64xi32, shared>
    // expected-note @below {{the tensor cores have no such MMA}}
    // expected-error @below {{A holds 'i32' when it should hold bf16 or f16}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xi32, shared>, !tk.tile<64x64xi32, shared>
  }
}
