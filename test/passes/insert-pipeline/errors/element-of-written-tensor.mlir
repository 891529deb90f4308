// Tests that a kernel does not read elements of a tensor that it writes to.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xf32> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{one is read here}}
    %a = tk.element %A[%m, %c0] : !tk.global<?x?xf32> -> f32
    %x = tk.fill %a : !tk.tile<64x64xf32, register, row>
    // expected-error @below {{a kernel does not write to a tensor whose elements it reads as scalars: other blocks may read them before or after}}
    tk.store %A[%m, %c0], %x : !tk.global<?x?xf32>, !tk.tile<64x64xf32, register, row>
  }
}
