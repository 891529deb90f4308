// Tests that a tile holds numbers.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-error @below {{a tile's element is an integer or a float, this is 'index'}}
  %x = hopper.alloc_ring "x" : !hopper.ring<4, 64x64xindex>
}
