// Tests that the sums of an MMA's left operand are columns of it, and whose they are.

// RUN: %tk-opt %s --split-input-file --verify-diagnostics

tk.kernel @width(%A: !tk.global<?x?xbf16>, %acc: f32) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %o = tk.fill %zero : !tk.tile<64x64xf32, register, row>
  %h = arith.constant 0.0 : bf16
  %a = tk.fill %h : !tk.tile<64x64xbf16, register, row>
  %b = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
  // expected-error @below {{the result is 64 x 72 but the accumulator is 64 x 64}}
  %r = tk.mma AB %o, %a, %b {sums} : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
}

// -----

tk.kernel @shared(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %o = tk.fill %zero : !tk.tile<64x72xf32, register, row>
  %a = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
  // expected-error @below {{only A B with A in registers sums A's rows}}
  %r = tk.mma AB %o, %a, %a {sums} : !tk.tile<64x72xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
}
