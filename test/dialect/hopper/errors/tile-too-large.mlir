// Tests that a tile's extents are bounded.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-error @below {{a tile has 1 to 65536 rows and columns, these are 0 x 64}}
  %f = hopper.uninitialized : !hopper.fragment<0x64xf32>
}
