// Tests that an extent exists.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  // expected-error @below {{dimension 2 of a tensor of rank 2}}
  %t = tk.extent %A, 2 : !tk.global<?x?xbf16>
}
