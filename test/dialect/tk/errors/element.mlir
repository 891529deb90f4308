// RUN: %tk-opt %s --split-input-file --verify-diagnostics

// Tests that an element has as many indices as its tensor has dimensions.

tk.kernel @k(%A: !tk.global<?x?xbf16>, %i: i32) {
  // expected-error @below {{a tensor of 2 dimensions needs as many indices, these are 1}}
  %a = tk.element %A[%i] : !tk.global<?x?xbf16> -> f32
}

// -----

// Tests that an element is a float if those of its tensor are.

tk.kernel @k(%A: !tk.global<?xbf16>, %i: i32) {
  // expected-error @below {{an element of 'bf16' is no 'i32'}}
  %a = tk.element %A[%i] : !tk.global<?xbf16> -> i32
}
